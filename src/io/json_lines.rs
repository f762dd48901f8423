use std::io::{self, Write};

use super::{Id, Output};
use crate::{Containment, Error, PointRelation, Relation, Result};

/// Writes pairs as JSON lines: `{"a":"06001","b":7,"relation":"touching"}`, ids as strings or numbers as they came.
///
/// Nothing is certain to be written, and a file does not appear at its path, before [`JsonLinesWriter::finish`].
///
/// ```
/// use sat2d::{Relation, io::{Id, JsonLinesWriter, Output}};
/// let path = std::env::temp_dir().join(format!("sat2d-json-{}.jsonl", std::process::id()));
/// let mut pairs = JsonLinesWriter::new(Output::create(Some(&path))?);
/// pairs.write(&Id::Text("the \"park\"".into()), &Id::Number("1.50".into()), Relation::Overlapping)?;
/// pairs.finish()?;
/// let text = std::fs::read_to_string(&path)?;
/// assert_eq!(text, "{\"a\":\"the \\\"park\\\"\",\"b\":1.50,\"relation\":\"overlapping\"}\n");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonLinesWriter {
    output: Output,
}

impl JsonLinesWriter {
    /// A writer of no lines yet.
    #[must_use]
    pub fn new(output: Output) -> Self {
        Self { output }
    }

    /// Writes one pair.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&mut self, a: &Id, b: &Id, relation: Relation) -> Result<()> {
        self.line(a, b, relation.name(), None).map_err(|source| self.failed(source))
    }

    /// Writes one pair, of which A is to B as `containment` says: `"containment":"covers"` after the relation.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write_containment(
        &mut self,
        a: &Id,
        b: &Id,
        relation: Relation,
        containment: Containment,
    ) -> Result<()> {
        self.line(a, b, relation.name(), Some(containment)).map_err(|source| self.failed(source))
    }

    /// Writes one point and the polygon that it lies in.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write_point(&mut self, a: &Id, b: &Id, relation: PointRelation) -> Result<()> {
        self.line(a, b, relation.name(), None).map_err(|source| self.failed(source))
    }

    /// Writes what is buffered and commits the output.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn finish(self) -> Result<()> {
        self.into_output().commit()
    }

    /// The output, with every line in it.
    pub(crate) fn into_output(self) -> Output {
        self.output
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.output.name().into(), source }
    }

    fn line(&mut self, a: &Id, b: &Id, relation: &str, containment: Option<Containment>) -> io::Result<()> {
        self.output.write_all(b"{\"a\":")?;
        self.id(a)?;
        self.output.write_all(b",\"b\":")?;
        self.id(b)?;
        write!(self.output, ",\"relation\":\"{relation}\"")?;
        if let Some(containment) = containment {
            write!(self.output, ",\"containment\":\"{containment}\"")?;
        }
        self.output.write_all(b"}\n")
    }

    fn id(&mut self, id: &Id) -> io::Result<()> {
        match id {
            Id::Text(text) => serde_json::to_writer(&mut self.output, text).map_err(io::Error::from),
            Id::Number(text) => self.output.write_all(text.as_bytes()),
            Id::Index(index) => write!(self.output, "{index}"),
        }
    }
}
