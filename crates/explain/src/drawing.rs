//! Draws the picture of an explanation: the two polygons, the axes next to them, and the projections on the axes.

use std::fmt::Write as _;

use sat2d::glam::DVec2;

use crate::Explained;
use crate::layout::{self, Placed, Scale, TAIL};
use crate::report::{edges, notes, pieces, short, verdict};
use sat2d::{Aabb, Axis, Explanation};

/// The margin around the picture, in pixels.
const MARGIN: f64 = 24.0;
/// The distance of the bars of the two projections from their axis, in pixels. The bars are on opposite sides of the axis.
const BAR_OFFSET: f64 = 5.0;
/// Half of the height of the mark of an overlap or a gap, in pixels.
const MARK: f64 = 11.0;
/// The least length of a drawn interval, in pixels, so that a reader sees it.
const LEAST: f64 = 2.5;
/// The least length, in pixels, of an edge for which the picture has a label.
const LABELLED_EDGE: f64 = 34.0;
/// The height of a line of the legend, in pixels.
const LINE: f64 = 24.0;
/// The greatest number of characters in a line of the legend.
const LINE_CHARACTERS: usize = 96;
/// The greatest number of characters of an id in the legend.
const ID_CHARACTERS: usize = 40;

const STYLE: &str = "\
text{font:14px system-ui,sans-serif;fill:#27323d}.bold{font-weight:600}.name{font-size:24px;font-weight:600}\
.edge{font-size:11px}.a{fill:#2f6db5}.b{fill:#b9770e}.apart{fill:#1d7f43}.common{fill:#c92a1c}.quiet{fill:#5b6b7a}\
.polygon{stroke-width:2;stroke-linejoin:round;fill-opacity:.2}.polygon.a,.bar.a,.ray.a{stroke:#2f6db5}\
.polygon.b,.bar.b,.ray.b{stroke:#b9770e}.bar,.ray,.axis,.gap{fill:none}.bar{stroke-width:7}.ray{stroke-width:1;stroke-dasharray:3 4;\
stroke-opacity:.35}.strong .ray{stroke-opacity:.95}.axis{stroke:#7b8894;stroke-width:1}.strong .axis{stroke:#27323d;stroke-width:1.8}\
.area{fill-opacity:.16;stroke-width:1}.strong .area{fill-opacity:.3;stroke-width:2}.area.common{stroke:#c92a1c}\
.area.apart{stroke:#1d7f43;stroke-dasharray:4 3}";

/// Returns the picture as the text of an SVG file.
pub(crate) fn svg(explained: &Explained) -> String {
    let explanation = &explained.found.explanation;
    let scale = Scale::new(explanation);
    let label = |index: usize, axis: &Axis| {
        let what = if axis.separates() { "gap" } else { "overlap" };
        format!("{} ({}): {what} {}", index + 1, shortened(&edges(axis), 24), short(axis.overlap.abs()))
    };
    let placed = layout::place(explanation, &scale, label);
    let mut body = String::new();
    // The least important axes are drawn first, so that the others cover them.
    for axis in placed.iter().rev() {
        draw_axis(&mut body, explanation, &scale, axis);
    }
    let [a, b] = [&explanation.vertices_a, &explanation.vertices_b]
        .map(|vertices| vertices.iter().map(|&v| scale.place(v)).collect::<Vec<DVec2>>());
    draw_polygon(&mut body, &a, &b, "a");
    draw_polygon(&mut body, &b, &a, "b");
    let around = extent(explanation, &scale, &placed);
    let lines = legend(explained, &placed);
    // The width of the legend is estimated from its longest line.
    let text_width =
        lines.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as f64 * 7.4 + 32.0;
    let size = around.max - around.min;
    let width = size.x.max(text_width) + 2.0 * MARGIN;
    let height = size.y + 3.0 * MARGIN + LINE * lines.len() as f64;
    let left = around.min.x - (width - size.x) * 0.5;
    let top = -around.max.y - MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.0} {top:.0} {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\">\n<title>{}</title>\n<style>{STYLE}</style>\n<rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" fill=\"#fff\"/>\n{body}",
        xml(&verdict(explained))
    );
    let mut y = -around.min.y + 2.0 * MARGIN;
    let left = left + MARGIN;
    for (class, line) in lines {
        let mut x = left;
        if matches!(class, "a" | "b") {
            let _ =
                writeln!(text, "<path class=\"polygon {class}\" d=\"M{x:.1} {:.1}h18v13h-18z\"/>", y - 12.0);
            x += 28.0;
        }
        let class = if matches!(class, "a" | "b") { "plain" } else { class };
        let _ = writeln!(text, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", xml(&line));
        y += LINE;
    }
    text.push_str("</svg>\n");
    text
}

/// Returns the lines of the legend, each with its CSS class.
fn legend(explained: &Explained, placed: &[Placed]) -> Vec<(&'static str, String)> {
    let explanation = &explained.found.explanation;
    let [id_a, id_b] = explained.names.each_ref().map(|name| shortened(name, ID_CHARACTERS));
    let count = |vertices: &[DVec2]| format!("{} vertices", vertices.len());
    let mut lines = vec![
        ("a", format!("A: {id_a}, {}", count(&explanation.vertices_a))),
        ("b", format!("B: {id_b}, {}", count(&explanation.vertices_b))),
    ];
    let mut add = |class, text: &str| lines.extend(wrapped(text).into_iter().map(|line| (class, line)));
    add("bold", &verdict(explained));
    if let Some(text) = pieces(explained) {
        add("quiet", &format!("Pieces: {text}."));
    }
    if placed.len() < explanation.axes.len() {
        let drawn = format!(
            "{} of {} axes are drawn: the deciding axis, and the first of the others.",
            placed.len(),
            explanation.axes.len()
        );
        add("quiet", &drawn);
    }
    if let Some(text) = notes(&explanation.axes) {
        add("quiet", &text);
    }
    lines
}

/// Draws an axis with both projections, the rays from the polygons to the ends of the projections, and the interval of the
/// overlap or gap.
fn draw_axis(svg: &mut String, explanation: &Explanation, scale: &Scale, placed: &Placed) {
    let axis = &explanation.axes[placed.index];
    let strength = if placed.index == explanation.deciding { "strong" } else { "weak" };
    let _ = writeln!(svg, "<g class=\"{strength}\">");
    let side = placed.offset.normalize_or_zero();
    for (vertices, class, projection) in [
        (&explanation.vertices_a, "a", placed.projection_a),
        (&explanation.vertices_b, "b", placed.projection_b),
    ] {
        for end in projection {
            let foot = placed.at(end);
            // The ray starts at the vertex nearest to the axis among those that are projected to this end.
            let above = |v: &DVec2| (v.dot(placed.normal) - end).abs();
            let points = || vertices.iter().map(|&v| scale.place(v));
            let nearest = points().map(|v| above(&v)).fold(f64::MAX, f64::min);
            let from = points()
                .filter(|v| above(v) <= nearest + 0.05)
                .max_by(|p, q| p.dot(side).total_cmp(&q.dot(side)));
            if let Some(from) = from {
                line(svg, &format!("ray {class}"), from, foot);
            }
        }
    }
    let [least, greatest] = placed.extent();
    let tip = placed.at(greatest + TAIL);
    line(svg, "axis", placed.at(least - TAIL), tip);
    let (back, across) = (placed.normal * 9.0, placed.normal.perp() * 3.5);
    let _ = writeln!(
        svg,
        "<path class=\"quiet\" d=\"M{}L{}L{}z\"/>",
        at(tip),
        at(tip - back + across),
        at(tip - back - across)
    );
    for (class, projection, offset) in
        [("a", placed.projection_a, BAR_OFFSET), ("b", placed.projection_b, -BAR_OFFSET)]
    {
        let [from, to] = widened(projection);
        // A's bar is on the side of the axis on which the polygons are.
        let shift = side * -offset;
        line(svg, &format!("bar {class}"), placed.at(from) + shift, placed.at(to) + shift);
    }
    let (class, ends) = stretch(placed, axis);
    let [from, to] = widened(ends).map(|end| placed.at(end));
    let _ = writeln!(
        svg,
        "<path class=\"area {class}\" d=\"M{}L{}L{}L{}z\"/>",
        at(from + side * MARK),
        at(to + side * MARK),
        at(to - side * MARK),
        at(from - side * MARK)
    );
    let corner = placed.label_corner;
    let bold = if strength == "strong" { " bold" } else { "" };
    let _ = writeln!(
        svg,
        "<text class=\"{class}{bold}\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n</g>",
        corner.x + placed.label_width * 0.5,
        -corner.y - 4.5,
        xml(&placed.label)
    );
}

/// Returns the CSS class and the ends of the interval whose length is the overlap or the gap.
fn stretch(placed: &Placed, axis: &Axis) -> (&'static str, [f64; 2]) {
    let ends = if axis.toward_b == axis.normal {
        [placed.projection_b[0], placed.projection_a[1]]
    } else {
        [placed.projection_a[0], placed.projection_b[1]]
    };
    let sorted = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    (if axis.separates() { "apart" } else { "common" }, sorted)
}

/// Widens an interval that is too short to be seen.
fn widened([from, to]: [f64; 2]) -> [f64; 2] {
    if to - from >= LEAST {
        return [from, to];
    }
    let middle = (from + to) * 0.5;
    [middle - LEAST * 0.5, middle + LEAST * 0.5]
}

fn draw_polygon(svg: &mut String, points: &[DVec2], other: &[DVec2], class: &str) {
    let path: Vec<String> = points.iter().map(|&p| at(p)).collect();
    let _ = writeln!(svg, "<path class=\"polygon {class}\" d=\"M{}z\"/>", path.join("L"));
    let name = class.to_uppercase();
    // The names of similar polygons are shifted apart.
    let (shift, share) = if class == "a" { (-14.0, 0.42) } else { (14.0, 0.58) };
    let aabb = Aabb::around(points);
    if (aabb.max - aabb.min).min_element() > 2.0 * LABELLED_EDGE {
        let middle = free_place(points, other);
        let _ = writeln!(
            svg,
            "<text class=\"name {class}\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            middle.x + shift,
            8.0 - middle.y
        );
    }
    for (i, &from) in points.iter().enumerate() {
        let to = points[(i + 1) % points.len()];
        let along = to - from;
        if along.length() < LABELLED_EDGE || (aabb.max - aabb.min).min_element() < LABELLED_EDGE {
            continue;
        }
        // The label is on the inner side of its edge.
        let place = from + along * share + along.perp().normalize_or_zero() * 12.0;
        let _ = writeln!(
            svg,
            "<text class=\"edge {class}\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{name}{i}</text>",
            place.x,
            4.0 - place.y
        );
    }
}

/// Returns a place for the name of a polygon. This is the polygon's middle. If the box of the other polygon is near the
/// middle, it is a free point halfway between the middle and a vertex, or the middle if no such point is free.
fn free_place(points: &[DVec2], other: &[DVec2]) -> DVec2 {
    let middle = points.iter().sum::<DVec2>() / points.len() as f64;
    let taken = Aabb::around(other);
    let is_free = |p: &DVec2| {
        let around = Aabb { min: *p - 28.0, max: *p + 28.0 };
        !around.meets(taken)
    };
    let halfway = points.iter().map(|&v| middle.midpoint(v));
    std::iter::once(middle).chain(halfway).find(is_free).unwrap_or(middle)
}

/// Returns the box around everything that is drawn, in pixels, with y up.
fn extent(explanation: &Explanation, scale: &Scale, placed: &[Placed]) -> Aabb {
    let vertices = explanation.vertices_a.iter().chain(&explanation.vertices_b).map(|&v| scale.place(v));
    let axes = placed.iter().flat_map(|axis| {
        let [least, greatest] = axis.extent();
        let label = axis.label_corner;
        [axis.at(least - TAIL), axis.at(greatest + TAIL), label, label + DVec2::new(axis.label_width, 18.0)]
    });
    Aabb::around(&vertices.chain(axes).collect::<Vec<_>>())
}

fn line(svg: &mut String, class: &str, from: DVec2, to: DVec2) {
    let _ = writeln!(svg, "<path class=\"{class}\" d=\"M{}L{}\"/>", at(from), at(to));
}

/// Formats a point for SVG, where y points down.
fn at(p: DVec2) -> String {
    format!("{:.1} {:.1}", p.x, -p.y)
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most - 3).chain("...".chars()).collect()
}

/// Breaks a text into lines at spaces outside brackets.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut depth = 0usize;
    let breaks = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c.is_whitespace() && depth == 0
    };
    for word in text.split(breaks).filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + word.chars().count() < LINE_CHARACTERS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// Returns text with XML escapes. A character that XML cannot represent becomes a question mark.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}
