//! Draws two kinds of plots as SVG: stacked bars, and lines on logarithmic axes. Text and axes have the page's own
//! colour, so they are readable on a light page and on a dark page.

use std::error::Error;

use plotters::coord::ranged1d::SegmentValue;
use plotters::prelude::*;

use super::table::scaled;

/// The colours of the series. Each contrasts with black and with white.
pub(super) const COLOURS: [RGBColor; 9] = [
    RGBColor(59, 130, 196),
    RGBColor(224, 123, 57),
    RGBColor(63, 166, 107),
    RGBColor(201, 91, 143),
    RGBColor(138, 111, 209),
    RGBColor(181, 155, 43),
    RGBColor(47, 165, 181),
    RGBColor(214, 69, 69),
    RGBColor(140, 140, 140),
];

/// The placeholder colour of text and axes. The page's own colour replaces it.
const INK: RGBColor = RGBColor(0, 0, 0);
/// The width of a plot, in pixels.
const WIDTH: u32 = 760;
/// The font of the text in plots.
const FONT: &str = "sans-serif";
/// The size of the text in plots, in pixels.
const FONT_SIZE: i32 = 16;

/// Returns the colour of the series at `index`.
pub(super) fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

/// Returns a colour in the notation of CSS.
pub(super) fn css(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

type Plot = Result<String, Box<dyn Error>>;

/// One bar of a bar chart. The bar consists of parts with different colours.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    /// The parts of the bar, each with its start and its end in the unit of the chart, and the index of its colour.
    pub(super) parts: Vec<(f64, f64, usize)>,
}

/// Draws horizontal bars that start at 0. `limit` is drawn as a line across the bars. Returns an empty string if there are no
/// bars, and an error if plotters fails.
pub(super) fn bars(bars: &[Bar], unit: &str, limit: Option<f64>) -> Plot {
    if bars.is_empty() {
        return Ok(String::new());
    }
    let ends = bars.iter().flat_map(|bar| bar.parts.iter().map(|part| part.1));
    let end = ends.chain(limit).fold(0.0, f64::max).max(f64::MIN_POSITIVE) * 1.03;
    // The crate `plotters` cannot draw an axis of one segment, so an empty bar is added below a single bar.
    let count = i32::try_from(bars.len())?.max(2);
    let mut text = String::new();
    {
        let height = 60 + 30 * count.unsigned_abs();
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        let longest = bars.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0);
        let mut chart = ChartBuilder::on(&area)
            .margin(6)
            .margin_right(24)
            .x_label_area_size(40)
            .y_label_area_size(16 + 8 * u32::try_from(longest)?)
            // The rows are numbered from the bottom, and the first bar is at the top.
            .build_cartesian_2d(0.0..end, (0..count - 1).into_segmented())?;
        let label = |segment: &SegmentValue<i32>| match segment {
            SegmentValue::CenterOf(index) => usize::try_from(count - 1 - index)
                .ok()
                .and_then(|at| bars.get(at))
                .map(|bar| bar.label.clone()),
            _ => None,
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.15))
            .axis_style(INK.mix(0.5))
            .label_style((FONT, FONT_SIZE).into_font().color(&INK))
            .x_desc(unit)
            .x_labels(8)
            .x_label_formatter(&|value| short(*value))
            .y_labels(count.unsigned_abs() as usize)
            .y_label_formatter(&|segment| label(segment).unwrap_or_default())
            .draw()?;
        for (bar, row) in bars.iter().zip((0..count).rev()) {
            chart.draw_series(bar.parts.iter().map(|&(start, end, index)| {
                let corners = [(start, SegmentValue::Exact(row)), (end, SegmentValue::Exact(row + 1))];
                let mut part = Rectangle::new(corners, colour(index).filled());
                part.set_margin(5, 5, 0, 0);
                part
            }))?;
        }
        if let Some(limit) = limit {
            let ends = vec![(limit, SegmentValue::Exact(0)), (limit, SegmentValue::Exact(count))];
            chart.draw_series([PathElement::new(ends, INK.stroke_width(2))])?;
        }
        area.present()?;
    }
    Ok(finished(&text))
}

/// A series: the index of its colour, and its points, sorted by x. All coordinates are positive.
pub(super) type Series = (usize, Vec<(f64, f64)>);

/// Draws lines and their points, with both axes logarithmic. Returns an error if plotters fails. `level` is drawn as a
/// horizontal line.
pub(super) fn lines(series: &[Series], x_name: &str, y_name: &str, level: Option<f64>) -> Plot {
    let points = || series.iter().flat_map(|(_, points)| points.iter().copied());
    let (x, y) = (range(points().map(|p| p.0), 1.2), range(points().map(|p| p.1).chain(level), 1.6));
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, 320)).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(6)
            .margin_right(24)
            .x_label_area_size(40)
            .y_label_area_size(72)
            .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.15))
            .axis_style(INK.mix(0.5))
            .label_style((FONT, FONT_SIZE).into_font().color(&INK))
            .x_desc(x_name)
            .y_desc(y_name)
            .x_labels(6)
            .y_labels(12)
            .x_label_formatter(&|value| decade_label(*value))
            .y_label_formatter(&|value| decade_label(*value))
            .draw()?;
        if let Some(level) = level {
            chart.draw_series([PathElement::new(vec![(x.0, level), (x.1, level)], INK.stroke_width(1))])?;
        }
        for (index, points) in series {
            let style = colour(*index).stroke_width(2);
            chart.draw_series([PathElement::new(points.clone(), style)])?;
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour(*index).filled())))?;
        }
        area.present()?;
    }
    Ok(finished(&text))
}

/// Returns the label of a value. Only values that start with 1, 2 or 5 have a label, because more labels would overlap.
fn decade_label(value: f64) -> String {
    let digit = (value / 10f64.powf(value.log10().floor())).round();
    if [1.0, 2.0, 5.0, 10.0].contains(&digit) { short(value) } else { String::new() }
}

/// Formats a value for a label. A value below 1 is rounded to six decimal places. Any other value has about three digits and, from
/// 1,000, a unit prefix, such as `12.5 k`. Zeros at the end of the decimals are left out.
fn short(value: f64) -> String {
    if value < 1.0 {
        return format!("{}", (value * 1e6).round() / 1e6);
    }
    let text = scaled(value);
    let (number, unit) = text.split_once(' ').map_or((&*text, ""), |(number, unit)| (number, unit));
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    if unit.is_empty() { number.into() } else { format!("{number} {unit}") }
}

/// Returns the least and the greatest of positive values, with the least divided by `room` and the greatest multiplied by
/// `room`. Returns 1 and 10 if there are no values.
fn range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
    if low <= high { (low / room, high * room) } else { (1.0, 10.0) }
}

/// Replaces the placeholder colour with the page's colour, and makes the plot as wide as the page allows.
fn finished(svg: &str) -> String {
    let svg = svg.replace("\"#000000\"", "\"currentColor\"");
    svg.replacen("<svg ", "<svg role=\"img\" style=\"max-width:100%;height:auto\" ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_few() {
        assert_eq!(["0.2", "1", "20", "1.5 k", "100 M"], [0.2, 1.0, 20.0, 1500.0, 1e8].map(short));
        assert_eq!(["", "5 M", "", "0.5"], [3.0, 5e6, 7e3, 0.5].map(decade_label));
    }

    #[test]
    fn plots_hold_what_they_are_given() {
        let bar =
            |label: &str, end| Bar { label: label.into(), parts: vec![(0.0, end, 0), (end, 2.0 * end, 1)] };
        let svg = bars(&[bar("one", 3.0), bar("two", 7.0)], "ms", Some(10.0)).unwrap();
        for part in ["one", "two", "ms", "#3B82C4", "#E07B39", "currentColor"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(svg.find("one") < svg.find("two") && !svg.contains("#000000"));

        let svg = lines(&[(2, vec![(1e3, 1e6), (1e4, 5e6)])], "polygons", "pairs/s", Some(2e6)).unwrap();
        assert!(svg.contains("polygons") && svg.matches("<circle").count() == 2, "{svg}");
        // Plots without a series, and with a series of a single point.
        lines(&[], "x", "y", None).unwrap();
        lines(&[(0, vec![(1e3, 1e6)])], "x", "y", None).unwrap();
        bars(&[bar("alone", 0.0)], "ms", None).unwrap();
        assert_eq!(bars(&[], "ms", None).unwrap(), "");
    }
}
