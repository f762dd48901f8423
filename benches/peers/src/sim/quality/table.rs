//! The table of the scenes, with the values of each engine.

use serde::{Serialize, Serializer};

use super::scenes::Scene;
use crate::AnyError;
use crate::sim::Contender;

/// A figure counts as clearly wrong if it is above the tolerance times this factor.
const CLEARLY: f64 = 5.0;

/// The figures that all engines have in one scene.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    scene: &'static str,
    unit: &'static str,
    tolerance: f64,
    figures: Vec<Figure>,
}

/// The measured figure of one engine in one scene.
#[derive(Clone, Copy, Debug, Serialize)]
struct Figure {
    engine: &'static str,
    /// The value, serialised as null if it is infinite.
    #[serde(serialize_with = "finite")]
    figure: f64,
    is_fine: bool,
    is_clearly_wrong: bool,
}

fn finite<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Some(*figure).filter(|figure| figure.is_finite()).serialize(serializer)
}

impl Row {
    pub(super) fn measure(scene: &Scene, engines: &[Contender]) -> Result<Self, AnyError> {
        let measured = engines.iter().map(|&engine| Ok((engine.name(), (scene.measure)(engine)?)));
        let figures = measured.collect::<Result<Vec<_>, AnyError>>()?;
        Ok(Self::new(scene.name, scene.unit, scene.tolerance, &figures))
    }

    fn new(scene: &'static str, unit: &'static str, tolerance: f64, figures: &[(&'static str, f64)]) -> Self {
        let figure = |&(engine, figure)| Figure {
            engine,
            figure,
            is_fine: figure <= tolerance,
            is_clearly_wrong: figure > CLEARLY * tolerance,
        };
        Self { scene, unit, tolerance, figures: figures.iter().map(figure).collect() }
    }

    pub(super) fn is_clearly_wrong(&self, engine: &str) -> bool {
        self.figures.iter().any(|figure| figure.engine == engine && figure.is_clearly_wrong)
    }

    fn has_any_clearly_wrong(&self) -> bool {
        self.figures.iter().any(|figure| figure.is_clearly_wrong)
    }

    fn tolerance(&self) -> String {
        with_unit(self.tolerance, self.unit)
    }
}

impl Figure {
    fn print(self, unit: &str) -> String {
        with_unit(self.figure, unit) + if self.is_clearly_wrong { " !" } else { "" }
    }
}

/// Returns a value with two digits and its unit.
fn with_unit(x: f64, unit: &str) -> String {
    let digits = match x.abs() {
        x if x.is_infinite() => "infinite".into(),
        0.0 => "0".into(),
        x if x < 0.000_95 => format!("{x:.0e}"),
        x if x < 0.0095 => format!("{x:.4}"),
        x if x < 0.095 => format!("{x:.3}"),
        x if x < 0.95 => format!("{x:.2}"),
        x if x < 9.5 => format!("{x:.1}"),
        x => format!("{x:.0}"),
    };
    // Zeros at the end are removed, so that tolerances look as in the list of scenes.
    let digits =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    if unit.is_empty() || unit == "°" { format!("{digits}{unit}") } else { format!("{digits} {unit}") }
}

/// Returns the text that explains the columns of the table.
pub(super) fn explanation() -> String {
    format!(
        "Each figure is the worst over the parameters of its scene. By mechanics it is 0. It is fine up to the tolerance, and clearly wrong (!) beyond {CLEARLY} times the tolerance."
    )
}

/// Returns the table of all scenes for a terminal.
pub(super) fn text(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut lines = vec![format!("{:<60} {:>11}", "scene", "tolerance")];
    first.figures.iter().for_each(|figure| lines[0] += &format!(" {:>15}", figure.engine));
    for row in rows {
        let mut line = format!("{:<60} {:>11}", row.scene, row.tolerance());
        row.figures.iter().for_each(|figure| line += &format!(" {:>15}", figure.print(row.unit)));
        lines.push(line);
    }
    lines.join("\n")
}

/// Returns the table for the guide: the scenes in which an engine is clearly wrong, and the number of the other scenes.
pub(super) fn markdown(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let engines = first.figures.iter().map(|figure| format!(" {} |", figure.engine));
    let mut lines = vec![
        format!("| scene | tolerance |{}", engines.collect::<String>()),
        format!("|---|---|{}", "---|".repeat(first.figures.len())),
    ];
    for row in rows.iter().filter(|row| row.has_any_clearly_wrong()) {
        let figures = row.figures.iter().map(|figure| format!(" {} |", figure.print(row.unit)));
        lines.push(format!("| {} | {} |{}", row.scene, row.tolerance(), figures.collect::<String>()));
    }
    let others = rows.iter().filter(|row| !row.has_any_clearly_wrong()).count();
    lines.push(format!("\nNo engine is clearly wrong in the other scenes ({others})."));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> [Row; 2] {
        let wrong = Row::new("fall", "m/s", 0.1, &[("a", 0.1), ("b", 0.51), ("c", f64::INFINITY)]);
        [wrong, Row::new("rise", "", 0.0, &[("a", 0.0), ("b", 0.0), ("c", 0.0)])]
    }

    #[test]
    fn a_figure_is_clearly_wrong_beyond_five_tolerances() {
        let row = Row::new("fall", "m/s", 0.1, &[("a", 0.1), ("b", 0.49), ("c", 0.51)]);
        assert_eq!(["a", "b", "c"].map(|engine| row.is_clearly_wrong(engine)), [false, false, true]);
        let row = Row::new("wall", "%", 0.0, &[("a", 0.0), ("b", 1e-9)]);
        assert_eq!(["a", "b"].map(|engine| row.is_clearly_wrong(engine)), [false, true]);
        assert_eq!(row.figures.iter().map(|f| f.is_fine).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn figures_have_two_digits() {
        let found = [0.0, 0.00004, 0.00123, 0.0123, 0.123, 1.23, 12.3, 123.0].map(|x| with_unit(x, "m"));
        assert_eq!(found, ["0 m", "4e-5 m", "0.0012 m", "0.012 m", "0.12 m", "1.2 m", "12 m", "123 m"]);
        assert_eq!([with_unit(0.5, "°"), with_unit(0.02, "")], ["0.5°", "0.02"]);
    }

    #[test]
    fn the_guide_lists_scenes_with_wrong_figures_alone() {
        let expected = "| scene | tolerance | a | b | c |\n|---|---|---|---|---|\n| fall | 0.1 m/s | 0.1 m/s | 0.51 m/s ! | infinite m/s ! |\n\nNo engine is clearly wrong in the other scenes (1).";
        assert_eq!(markdown(&rows()), expected);
        assert_eq!(text(&rows()).lines().count(), 3);
    }

    #[test]
    fn json_has_no_infinite_figure() {
        let json = serde_json::to_value(rows()).unwrap();
        assert_eq!(json[0]["figures"][2]["figure"], serde_json::Value::Null);
        assert_eq!(json[0]["figures"][2]["is_clearly_wrong"], true);
        assert_eq!(json[0]["figures"][0]["figure"], 0.1);
    }
}
