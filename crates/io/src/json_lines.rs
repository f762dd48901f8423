use std::io::{self, Write};

use super::Output;
use super::columns::{Column, PairRow, Position, Shortest};
use crate::{Error, Result};
use sat2d::{Closest, Contact, Manifold, PairFeature, Penetration};

/// Writes pairs as JSON lines, such as `{"a":"06001","b":7,"relation":"touching"}`. An id is a string or a number, as
/// in the input.
///
/// Each selected column adds one member. The name of the member is the name of the [`Column`] in lower case. The
/// containment is a string, and the distance is a number. The other columns are JSON objects:
///
/// - the closest points: `{"a":[1.0,2.0],"b":[3.0,2.0]}`;
/// - a penetration: `{"normal":[1.0,0.0],"depth":0.5}`;
/// - a manifold:
///   `{"normal":[1.0,0.0],"points":[{"position":[1.0,0.5],"separation":-0.5,"features":{"a":{"edge":1},"b":{"vertex":0}}}]}`,
///   with feature indices as in [`sat2d::PairFeature`].
///
/// A member without a value is `null`. Each number is written so that a reader gets exactly the same f64.
///
/// Call [`JsonLinesWriter::finish`] after the last pair. Until `finish` returns, some lines may still be in a buffer,
/// and the output file does not exist.
///
/// ```
/// use sat2d::Relation;
/// use sat2d_io::{Id, JsonLinesWriter, Output, PairRow};
/// let path = std::env::temp_dir().join(format!("sat2d-json-{}.jsonl", std::process::id()));
/// let mut pairs = JsonLinesWriter::new(Output::create(Some(&path))?, &[]);
/// let (a, b) = (Id::Text("the \"park\"".into()), Id::Number("1.50".into()));
/// pairs.write(&PairRow::new(&a, &b, Relation::Overlapping))?;
/// pairs.finish()?;
/// let text = std::fs::read_to_string(&path)?;
/// assert_eq!(text, "{\"a\":\"the \\\"park\\\"\",\"b\":1.50,\"relation\":\"overlapping\"}\n");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonLinesWriter {
    output: Output,
    columns: Vec<Column>,
}

impl JsonLinesWriter {
    /// Creates a writer that writes to `output`. In each line, the given columns follow the relation.
    #[must_use]
    pub fn new(output: Output, columns: &[Column]) -> Self {
        Self { output, columns: columns.to_vec() }
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write(&mut self, row: &PairRow<'_>) -> Result<()> {
        self.line(row).map_err(|source| Error::Write { path: self.output.name().into(), source })
    }

    /// Writes the buffered lines and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(self) -> Result<()> {
        self.into_output().commit()
    }

    /// The output, with every line in it.
    #[doc(hidden)]
    pub fn into_output(self) -> Output {
        self.output
    }

    fn line(&mut self, row: &PairRow<'_>) -> io::Result<()> {
        let output = &mut self.output;
        output.write_all(b"{\"a\":")?;
        row.a.write_json(output)?;
        output.write_all(b",\"b\":")?;
        row.b.write_json(output)?;
        write!(output, ",\"relation\":\"{}\"", row.relation)?;
        for column in &self.columns {
            member(output, *column, row)?;
        }
        output.write_all(b"}\n")
    }
}

/// Writes a comma, the name of the column, and its value.
fn member(output: &mut Output, column: Column, row: &PairRow<'_>) -> io::Result<()> {
    let name = match column {
        Column::Containment => "containment",
        Column::Distance => "distance",
        Column::Closest => "closest",
        Column::Penetration => "penetration",
        Column::Manifold => "manifold",
    };
    write!(output, ",\"{name}\":")?;
    match column {
        Column::Containment => {
            known(output, row.containment, |output, containment| write!(output, "\"{containment}\""))
        }
        Column::Distance => {
            known(output, row.distance, |output, distance| write!(output, "{}", Shortest(distance)))
        }
        Column::Closest => known(output, row.closest, closest),
        Column::Penetration => known(output, row.penetration, penetration),
        Column::Manifold => known(output, row.manifold.filter(|m| !m.points().is_empty()), manifold),
    }
}

fn known<T>(
    output: &mut Output,
    value: Option<T>,
    write: impl FnOnce(&mut Output, T) -> io::Result<()>,
) -> io::Result<()> {
    match value {
        Some(value) => write(output, value),
        None => output.write_all(b"null"),
    }
}

fn closest(output: &mut Output, Closest { point_a, point_b, .. }: Closest) -> io::Result<()> {
    write!(output, "{{\"a\":{},\"b\":{}}}", Position(point_a), Position(point_b))
}

fn penetration(output: &mut Output, penetration: Penetration) -> io::Result<()> {
    let (normal, depth) = (Position(penetration.normal), Shortest(penetration.depth()));
    write!(output, "{{\"normal\":{normal},\"depth\":{depth}}}")
}

fn manifold(output: &mut Output, manifold: Manifold) -> io::Result<()> {
    write!(output, "{{\"normal\":{},\"points\":[", Position(manifold.normal))?;
    for (k, Contact { position, separation, features }) in manifold.points().iter().enumerate() {
        let comma = if k == 0 { "" } else { "," };
        let (position, separation) = (Position(*position), Shortest(*separation));
        let (of_a, of_b) = (Feature(features.a), Feature(features.b));
        write!(
            output,
            "{comma}{{\"position\":{position},\"separation\":{separation},\"features\":{{\"a\":{of_a},\"b\":{of_b}}}}}"
        )?;
    }
    output.write_all(b"]}")
}

struct Feature(PairFeature);

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            PairFeature::Vertex(index) => write!(f, "{{\"vertex\":{index}}}"),
            PairFeature::Edge(index) => write!(f, "{{\"edge\":{index}}}"),
        }
    }
}
