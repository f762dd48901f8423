use std::io::{self, Write as _};

use super::columns::{Column, PairRow, are_counts};
use super::text::{push_integer, push_number, push_position};
use super::{Output, blocks};
use crate::{Error, Result};
use sat2d::{Closest, Contact, Manifold, PairFeature, Penetration};

/// Writes pairs as JSON lines, such as `{"a":"06001","b":7,"relation":"touching"}`. An id is a string or a number, as
/// in the input. Dates and timestamps are strings. If [`Column::Count`] is the only column, a line has only `a` and
/// `count`.
///
/// Each selected column adds one member. The containment is a string. The distance, the areas, the intersection over union
/// and the count are numbers. The other columns are JSON objects:
///
/// - the closest points: `{"a":[1.0,2.0],"b":[3.0,2.0]}`;
/// - a penetration: `{"normal":[1.0,0.0],"depth":0.5}`;
/// - a manifold:
///   `{"normal":[1.0,0.0],"points":[{"position":[1.0,0.5],"separation":-0.5,"features":{"a":{"edge":1},"b":{"vertex":0}}}]}`,
///   in which the features have the indices that [`sat2d::PairFeature`] describes.
///
/// A member without a value is `null`. A reader gets the same f64 from each number, but -0 is written as 0.
///
/// Call [`JsonLinesWriter::finish`] after the last pair. Until `finish` returns, some lines may still be in a buffer. A
/// file at the path of the output appears or changes only when `finish` succeeds.
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
    format: Format,
    /// The text of the line that is being written. Each line reuses the memory of the line before it.
    line: Vec<u8>,
}

#[derive(Debug)]
struct Format {
    columns: Vec<Column>,
    is_terminal: bool,
}

impl JsonLinesWriter {
    /// Creates a writer that writes to `output`. In each line, the given columns follow the ids and the relation.
    #[must_use]
    pub fn new(output: Output, columns: &[Column]) -> Self {
        let format = Format { columns: columns.to_vec(), is_terminal: output.is_terminal() };
        Self { output, format, line: Vec::new() }
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write(&mut self, row: &PairRow<'_>) -> Result<()> {
        self.line.clear();
        self.format.push(&mut self.line, row);
        self.output.write_all(&self.line).map_err(|source| self.failed(source))
    }

    /// Writes the pairs `row(0)` to `row(count - 1)`, in this order. All threads call `row` and format the text. The text is
    /// the same as the text of [`JsonLinesWriter::write`] for each row.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write_rows<'r>(&mut self, count: usize, row: impl Fn(usize) -> PairRow<'r> + Sync) -> Result<()> {
        let format = &self.format;
        let written = blocks::write(&mut self.output, count, row, |text, row, _| format.push(text, row));
        written.map_err(|source| self.failed(source))
    }

    /// Writes the buffered lines and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(self) -> Result<()> {
        self.into_output().commit()
    }

    /// Returns the output, to which every line has been written. The caller must commit the output.
    #[doc(hidden)]
    pub fn into_output(self) -> Output {
        self.output
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.output.name().into(), source }
    }
}

impl Format {
    /// Appends the line of a row.
    fn push(&self, line: &mut Vec<u8>, row: &PairRow<'_>) {
        line.extend_from_slice(b"{\"a\":");
        row.a.push_json(line, self.is_terminal);
        if !are_counts(&self.columns) {
            line.extend_from_slice(b",\"b\":");
            row.b.push_json(line, self.is_terminal);
            line.extend_from_slice(b",\"relation\":\"");
            line.extend_from_slice(row.relation.as_bytes());
            line.push(b'"');
        }
        for column in &self.columns {
            push_member(line, *column, row);
        }
        line.extend_from_slice(b"}\n");
    }
}

/// Appends a comma, the name of the column, a colon, and the value of the column in `row`.
fn push_member(line: &mut Vec<u8>, column: Column, row: &PairRow<'_>) {
    let name: &[u8] = match column {
        Column::Containment => b",\"containment\":",
        Column::Distance => b",\"distance\":",
        Column::Closest => b",\"closest\":",
        Column::Penetration => b",\"penetration\":",
        Column::Manifold => b",\"manifold\":",
        Column::Area => b",\"area\":",
        Column::Iou => b",\"iou\":",
        Column::AreaA => b",\"area_a\":",
        Column::AreaB => b",\"area_b\":",
        Column::Count => b",\"count\":",
    };
    line.extend_from_slice(name);
    match column {
        Column::Containment => push_known(line, row.containment, |line, containment| {
            line.push(b'"');
            line.extend_from_slice(containment.name().as_bytes());
            line.push(b'"');
        }),
        Column::Distance => push_known(line, row.distance, push_number),
        Column::Closest => push_known(line, row.closest.as_ref(), push_closest),
        Column::Penetration => push_known(line, row.penetration.as_ref(), push_penetration),
        Column::Area => push_known(line, row.overlap.map(|overlap| overlap.area), push_number),
        Column::Iou => push_known(line, row.overlap.map(|overlap| overlap.iou), push_number),
        Column::AreaA => push_known(line, row.overlap.map(|overlap| overlap.area_a), push_number),
        Column::AreaB => push_known(line, row.overlap.map(|overlap| overlap.area_b), push_number),
        Column::Count => push_known(line, row.count, push_integer),
        Column::Manifold => {
            let manifold = row.manifold.as_ref().filter(|manifold| !manifold.points().is_empty());
            push_known(line, manifold, push_manifold);
        }
    }
}

/// Appends the value with `push`, or `null` if `value` is `None`.
fn push_known<T>(line: &mut Vec<u8>, value: Option<T>, push: impl FnOnce(&mut Vec<u8>, T)) {
    match value {
        Some(value) => push(line, value),
        None => line.extend_from_slice(b"null"),
    }
}

fn push_closest(line: &mut Vec<u8>, closest: &Closest) {
    line.extend_from_slice(b"{\"a\":");
    push_position(line, closest.point_a);
    line.extend_from_slice(b",\"b\":");
    push_position(line, closest.point_b);
    line.push(b'}');
}

fn push_penetration(line: &mut Vec<u8>, penetration: &Penetration) {
    line.extend_from_slice(b"{\"normal\":");
    push_position(line, penetration.normal);
    line.extend_from_slice(b",\"depth\":");
    push_number(line, penetration.depth());
    line.push(b'}');
}

fn push_manifold(line: &mut Vec<u8>, manifold: &Manifold) {
    line.extend_from_slice(b"{\"normal\":");
    push_position(line, manifold.normal);
    line.extend_from_slice(b",\"points\":[");
    for (k, Contact { position, separation, features }) in manifold.points().iter().enumerate() {
        if k > 0 {
            line.push(b',');
        }
        line.extend_from_slice(b"{\"position\":");
        push_position(line, *position);
        line.extend_from_slice(b",\"separation\":");
        push_number(line, *separation);
        line.extend_from_slice(b",\"features\":{\"a\":");
        push_feature(line, features.a);
        line.extend_from_slice(b",\"b\":");
        push_feature(line, features.b);
        line.extend_from_slice(b"}}");
    }
    line.extend_from_slice(b"]}");
}

fn push_feature(line: &mut Vec<u8>, feature: PairFeature) {
    let (name, index): (&[u8], u32) = match feature {
        PairFeature::Vertex(index) => (b"{\"vertex\":", index),
        PairFeature::Edge(index) => (b"{\"edge\":", index),
    };
    line.extend_from_slice(name);
    push_integer(line, index);
    line.push(b'}');
}
