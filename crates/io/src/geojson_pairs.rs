use std::io::{self, Write};

use super::Output;
use super::columns::{Column, Field, PairRow, Position};
use crate::{Error, Result};

/// Writes pairs as a GeoJSON FeatureCollection (RFC 7946) for map viewers. Each line has one feature, and each feature
/// is one pair.
///
/// The properties of a feature are `a`, `b`, `relation`, and the fields of the selected columns. [`Column::names`]
/// returns the names of the fields. A property without a value is `null`. The geometry of a feature is the first item
/// of this list for which the [`PairRow`] has data:
///
/// - a Point, if A is a point;
/// - a LineString from the closest point of A to the closest point of B, if the two are apart;
/// - the contact points: a LineString for two points, or a Point for one point;
/// - `null`.
///
/// The coordinates are in the coordinate system of the input. Each number is written so that a reader gets exactly the
/// same f64.
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
    columns: Vec<Column>,
    is_empty: bool,
}

impl GeoJsonPairWriter {
    /// Creates a writer that writes to `output`, and writes the beginning of the collection.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn new(output: Output, columns: &[Column]) -> Result<Self> {
        let mut writer = Self { output, columns: columns.to_vec(), is_empty: true };
        let begun = writer.output.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[");
        begun.map_err(|source| writer.failed(source))?;
        Ok(writer)
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write(&mut self, row: &PairRow<'_>) -> Result<()> {
        self.feature(row).map_err(|source| self.failed(source))
    }

    /// Writes the end of the collection and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(self) -> Result<()> {
        self.into_output()?.commit()
    }

    /// The output, with the whole collection in it.
    #[doc(hidden)]
    pub fn into_output(mut self) -> Result<Output> {
        self.output.write_all(b"\n]}\n").map_err(|source| self.failed(source))?;
        Ok(self.output)
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.output.name().into(), source }
    }

    fn feature(&mut self, row: &PairRow<'_>) -> io::Result<()> {
        let output = &mut self.output;
        let comma = if std::mem::take(&mut self.is_empty) { "" } else { "," };
        write!(output, "{comma}\n{{\"type\":\"Feature\",\"properties\":{{\"a\":")?;
        row.a.write_json(output)?;
        output.write_all(b",\"b\":")?;
        row.b.write_json(output)?;
        write!(output, ",\"relation\":\"{}\"", row.relation)?;
        for column in &self.columns {
            for (name, field) in column.names().iter().zip(column.fields(row)) {
                match field {
                    Field::Empty => write!(output, ",\"{name}\":null")?,
                    Field::Word(word) => write!(output, ",\"{name}\":\"{word}\"")?,
                    Field::Count(_) | Field::Number(_) => write!(output, ",\"{name}\":{field}")?,
                }
            }
        }
        output.write_all(b"},\"geometry\":")?;
        geometry(output, row)?;
        output.write_all(b"}")
    }
}

fn geometry(output: &mut Output, row: &PairRow<'_>) -> io::Result<()> {
    let contacts = row.manifold.as_ref().map_or(&[][..], |manifold| manifold.points());
    let places = match (row.point, &row.closest, contacts) {
        (Some(point), ..) => Some((point, point)),
        (None, Some(closest), _) => Some((closest.point_a, closest.point_b)),
        (None, None, [one]) => Some((one.position, one.position)),
        (None, None, [one, other]) => Some((one.position, other.position)),
        (None, None, _) => None,
    };
    match places {
        None => output.write_all(b"null"),
        // A line has a length.
        Some((place, end)) if place == end => {
            write!(output, "{{\"type\":\"Point\",\"coordinates\":{}}}", Position(place))
        }
        Some((start, end)) => {
            let (start, end) = (Position(start), Position(end));
            write!(output, "{{\"type\":\"LineString\",\"coordinates\":[{start},{end}]}}")
        }
    }
}
