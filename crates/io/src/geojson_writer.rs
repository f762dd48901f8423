use std::io::{self, Write};

use super::Output;
use crate::{Error, Result};

/// Writes polygons as a GeoJSON FeatureCollection, with one feature on each line. The id of a feature is its index, from 0.
///
/// A coordinate is written as the shortest decimal from which a reader gets the same f64.
#[derive(Debug)]
pub struct GeoJsonWriter {
    output: Output,
    next_id: usize,
}

impl GeoJsonWriter {
    /// Creates a writer that writes to `output`, and writes the beginning of the collection.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn new(output: Output) -> Result<Self> {
        let mut writer = Self { output, next_id: 0 };
        writer.put(|output| output.write_all(b"{\"type\":\"FeatureCollection\",\"features\":["))?;
        Ok(writer)
    }

    /// Writes one polygon without holes. The writer closes the ring in the file.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn write(&mut self, ring: &[[f64; 2]]) -> Result<()> {
        let id = self.next_id;
        self.next_id += 1;
        self.put(|output| {
            let comma = if id == 0 { "" } else { "," };
            write!(
                output,
                "{comma}\n{{\"type\":\"Feature\",\"id\":{id},\"properties\":null,\
                 \"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[["
            )?;
            for (i, [x, y]) in ring.iter().chain(ring.first()).enumerate() {
                let comma = if i == 0 { "" } else { "," };
                write!(output, "{comma}[{x:?},{y:?}]")?;
            }
            output.write_all(b"]]}}")
        })
    }

    /// Writes the end of the collection and calls [`Output::commit`].
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the output cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.put(|output| output.write_all(b"\n]}\n"))?;
        self.output.commit()
    }

    fn put(&mut self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<()> {
        write(&mut self.output).map_err(|source| Error::Write { path: self.output.name().into(), source })
    }
}
