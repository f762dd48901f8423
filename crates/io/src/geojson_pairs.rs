use std::io::{self, Write as _};

use super::columns::{Column, Field, PairRow};
use super::text::push_position;
use super::{Output, blocks};
use crate::{Error, Result};

/// Writes pairs as a GeoJSON FeatureCollection (RFC 7946) for map viewers. Each line has one feature, and each feature
/// is one pair.
///
/// The properties of a feature are `a`, `b`, `relation`, and the fields of the selected columns. [`Column::names`]
/// returns the names of the fields. A property without a value is `null`. The geometry of a feature is the first item
/// of this list for which the [`PairRow`] has data:
///
/// - a Point, if A or B is a point;
/// - a LineString from the closest point of A to the closest point of B, if the two are apart;
/// - the contact points: a LineString for two points, or a Point for one point;
/// - `null`.
///
/// A LineString between equal points becomes a Point. The coordinates are in the coordinate system of the input. A
/// reader gets the same f64 from each number, but -0 is written as 0.
///
/// Call [`GeoJsonPairWriter::finish`] after the last pair. The output file appears only when `finish` succeeds. Before
/// that, some pairs may still be in a buffer.
///
/// ```
/// use sat2d::Relation;
/// use sat2d_io::{GeoJsonPairWriter, Id, Output, PairRow};
/// let path = std::env::temp_dir().join(format!("sat2d-pairs-{}.geojson", std::process::id()));
/// let mut pairs = GeoJsonPairWriter::new(Output::create(Some(&path))?, &[])?;
/// pairs.write(&PairRow::new(&Id::Index(0), &Id::Index(1), Relation::Touching))?;
/// pairs.finish()?;
/// let text = std::fs::read_to_string(&path)?;
/// let feature = r#"{"type":"Feature","properties":{"a":0,"b":1,"relation":"touching"},"geometry":null}"#;
/// assert_eq!(text, format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{feature}\n]}}\n"));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GeoJsonPairWriter {
    output: Output,
    format: Format,
    /// The text of the feature that is being written. Each feature reuses the memory of the feature before it.
    line: Vec<u8>,
    /// Whether the collection has no feature yet.
    is_empty: bool,
}

#[derive(Debug)]
struct Format {
    columns: Vec<Column>,
    is_terminal: bool,
}

impl GeoJsonPairWriter {
    /// Creates a writer that writes to `output`, and writes the beginning of the collection.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn new(output: Output, columns: &[Column]) -> Result<Self> {
        let format = Format { columns: columns.to_vec(), is_terminal: output.is_terminal() };
        let mut writer = Self { output, format, line: Vec::new(), is_empty: true };
        let begun = writer.output.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[");
        begun.map_err(|source| writer.failed(source))?;
        Ok(writer)
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write(&mut self, row: &PairRow<'_>) -> Result<()> {
        self.line.clear();
        self.format.push(&mut self.line, row, std::mem::take(&mut self.is_empty));
        self.output.write_all(&self.line).map_err(|source| self.failed(source))
    }

    /// Writes the pairs `row(0)` to `row(count - 1)`, in this order. All threads call `row` and format the text. The text is
    /// the same as the text of [`GeoJsonPairWriter::write`] for each row.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write_rows<'r>(&mut self, count: usize, row: impl Fn(usize) -> PairRow<'r> + Sync) -> Result<()> {
        let (format, is_empty) = (&self.format, self.is_empty);
        let push = |text: &mut Vec<u8>, row: &PairRow<'r>, k| format.push(text, row, is_empty && k == 0);
        let written = blocks::write(&mut self.output, count, row, push);
        self.is_empty &= count == 0;
        written.map_err(|source| self.failed(source))
    }

    /// Writes the end of the collection and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(self) -> Result<()> {
        self.into_output()?.commit()
    }

    /// Writes the end of the collection. Returns the output, which the caller must commit, or [`Error::Write`] if the end
    /// cannot be written.
    #[doc(hidden)]
    pub fn into_output(mut self) -> Result<Output> {
        self.output.write_all(b"\n]}\n").map_err(|source| self.failed(source))?;
        Ok(self.output)
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.output.name().into(), source }
    }
}

impl Format {
    /// Appends the feature of a row. Unless `is_first` is set, appends the end of the previous feature's line before it.
    fn push(&self, text: &mut Vec<u8>, row: &PairRow<'_>, is_first: bool) {
        if !is_first {
            text.push(b',');
        }
        text.extend_from_slice(b"\n{\"type\":\"Feature\",\"properties\":{\"a\":");
        row.a.push_json(text, self.is_terminal);
        text.extend_from_slice(b",\"b\":");
        row.b.push_json(text, self.is_terminal);
        push_property(text, "relation", Field::Word(row.relation));
        for column in &self.columns {
            for (name, field) in column.names().iter().zip(column.fields(row)) {
                push_property(text, name, field);
            }
        }
        text.extend_from_slice(b"},\"geometry\":");
        push_geometry(text, row);
        text.push(b'}');
    }
}

/// Appends a comma, the name and the value of a property.
fn push_property(text: &mut Vec<u8>, name: &str, field: Field) {
    text.extend_from_slice(b",\"");
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(b"\":");
    match field {
        Field::Empty => text.extend_from_slice(b"null"),
        Field::Word(_) => {
            text.push(b'"');
            field.push(text);
            text.push(b'"');
        }
        Field::Count(_) | Field::Number(_) => field.push(text),
    }
}

fn push_geometry(text: &mut Vec<u8>, row: &PairRow<'_>) {
    let contacts = row.manifold.as_ref().map_or(&[][..], |manifold| manifold.points());
    let places = match (row.point, &row.closest, contacts) {
        (Some(point), ..) => Some((point, point)),
        (None, Some(closest), _) => Some((closest.point_a, closest.point_b)),
        (None, None, [one]) => Some((one.position, one.position)),
        (None, None, [one, other]) => Some((one.position, other.position)),
        (None, None, _) => None,
    };
    match places {
        None => text.extend_from_slice(b"null"),
        // If both ends are equal, writes a Point, because a LineString of length 0 is not useful on a map.
        Some((place, end)) if place == end => {
            text.extend_from_slice(b"{\"type\":\"Point\",\"coordinates\":");
            push_position(text, place);
            text.push(b'}');
        }
        Some((start, end)) => {
            text.extend_from_slice(b"{\"type\":\"LineString\",\"coordinates\":[");
            push_position(text, start);
            text.push(b',');
            push_position(text, end);
            text.extend_from_slice(b"]}");
        }
    }
}
