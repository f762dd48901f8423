use std::io::{self, Write};
use std::path::Path;

use flate2::{Compression, write::GzEncoder};

use super::Output;
use crate::error::{Error, Result};

/// Writes polygons as a GeoJSON FeatureCollection, a feature a line, ids counting from 0; gzipped where the name of
/// the output ends in `.gz`.
///
/// Coordinates are written in the shortest decimal that reads back as the same f64.
#[derive(Debug)]
pub struct GeoJsonWriter {
    sink: Sink,
    next_id: usize,
}

#[derive(Debug)]
enum Sink {
    Plain(Output),
    Gzip(GzEncoder<Output>),
}

impl GeoJsonWriter {
    /// A writer of no polygons yet.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn new(output: Output) -> Result<Self> {
        let gzip = output.name().extension().is_some_and(|e| e == "gz");
        let sink = if gzip {
            Sink::Gzip(GzEncoder::new(output, Compression::default()))
        } else {
            Sink::Plain(output)
        };
        let mut writer = Self { sink, next_id: 0 };
        writer.put(|sink| sink.write_all(b"{\"type\":\"FeatureCollection\",\"features\":["))?;
        Ok(writer)
    }

    /// Writes one polygon without holes; the ring is closed in the file.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&mut self, ring: &[[f64; 2]]) -> Result<()> {
        let id = self.next_id;
        self.next_id += 1;
        self.put(|sink| {
            let comma = if id == 0 { "" } else { "," };
            write!(
                sink,
                "{comma}\n{{\"type\":\"Feature\",\"id\":{id},\"properties\":null,\
                 \"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[["
            )?;
            for (i, [x, y]) in ring.iter().chain(ring.first()).enumerate() {
                let comma = if i == 0 { "" } else { "," };
                write!(sink, "{comma}[{x:?},{y:?}]")?;
            }
            sink.write_all(b"]]}}")
        })
    }

    /// Ends the collection and commits the output.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn finish(mut self) -> Result<()> {
        self.put(|sink| sink.write_all(b"\n]}\n"))?;
        match self.sink {
            Sink::Plain(output) => output.commit(),
            Sink::Gzip(encoder) => {
                let path = encoder.get_ref().name().to_path_buf();
                encoder.finish().map_err(|source| Error::Write { path, source })?.commit()
            }
        }
    }

    fn put(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let result = match &mut self.sink {
            Sink::Plain(output) => write(output),
            Sink::Gzip(encoder) => write(encoder),
        };
        result.map_err(|source| Error::Write { path: self.name().into(), source })
    }

    fn name(&self) -> &Path {
        match &self.sink {
            Sink::Plain(output) => output.name(),
            Sink::Gzip(encoder) => encoder.get_ref().name(),
        }
    }
}
