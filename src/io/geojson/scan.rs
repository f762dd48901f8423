//! Cuts a stream of GeoJSON into the values that hold one feature each, without holding more than a few of them.
//!
//! The scanner follows strings and brackets only. What lies between them is checked when a value is parsed, which
//! happens in parallel, and in memory, where it is fastest.

use std::io::{self, BufRead};
use std::ops::Range;

use serde::de::IgnoredAny;

use super::position::{Place, SyntaxError, offset};

/// Between top-level values, the record separator of RFC 8142 counts as space.
const RECORD_SEPARATOR: u8 = 0x1E;

/// A JSON value that should be one feature: bytes of [`Batch::bytes`].
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) range: Range<usize>,
    pub(super) place: Place,
    /// Whether it is a member of a `features` array; otherwise it stands alone and may be a bare geometry.
    pub(super) in_collection: bool,
}

/// A few megabytes of elements, in the order of the input.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) elements: Vec<Element>,
    /// What ended the input after these elements; none where more may follow.
    pub(super) end: Option<Result<(), Stop>>,
}

/// Why the scanner could not go on.
#[derive(Debug)]
pub(super) enum Stop {
    Read(io::Error),
    Syntax(SyntaxError),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<SyntaxError> for Stop {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

/// A top-level object that has a `features` array, without the features.
#[derive(Debug)]
struct Collection {
    place: Place,
    bytes: Vec<u8>,
    /// Where the input goes on after the features: the offset in `bytes`, and the place in the input.
    cut: Option<(usize, Place)>,
}

impl Collection {
    fn locate(&self, error: &serde_json::Error) -> SyntaxError {
        let at = offset(error, &self.bytes);
        let (from, mut place) = match self.cut {
            Some((from, place)) if at >= from => (from, place),
            _ => (0, self.place),
        };
        place.advance(&self.bytes[from..at]);
        SyntaxError { place, ..SyntaxError::from_json(error, &self.bytes, place) }
    }

    /// `stop`, or what comes before it.
    fn first_error(&self, stop: Stop) -> Stop {
        match serde_json::from_slice::<IgnoredAny>(&self.bytes) {
            Err(e) if !e.is_eof() => self.locate(&e).into(),
            _ => stop,
        }
    }

    /// Once it is whole: it must be JSON, and a FeatureCollection.
    fn check(&self) -> Result<(), Stop> {
        #[derive(serde::Deserialize)]
        struct Envelope {
            r#type: Option<serde_json::Value>,
        }
        let envelope: Envelope = serde_json::from_slice(&self.bytes).map_err(|e| self.locate(&e))?;
        let problem = match envelope.r#type {
            Some(kind) if kind == "FeatureCollection" => return Ok(()),
            Some(kind) => {
                let kind = super::malformed::excerpt(&kind.to_string());
                format!("an object of type {kind} has `features`; only a FeatureCollection may")
            }
            None => "an object with `features` has no `type`; it should be \"FeatureCollection\"".to_owned(),
        };
        Err(SyntaxError::new(self.place, problem).into())
    }
}

enum State {
    TopLevel,
    /// Inside a `features` array; whether the next one is the first.
    Features(Collection, bool),
}

/// What may come next in an object.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    MemberOrClose,
    Member,
    CommaOrClose,
}

enum Member {
    Closed,
    /// The opening bracket of a `features` array has been read.
    Features,
}

pub(super) struct Scanner<R> {
    reader: R,
    /// Where the next byte stands.
    place: Place,
    state: State,
    is_empty: bool,
}

impl<R: BufRead> Scanner<R> {
    /// `reader` stands at the first byte after a byte order mark, if there is one.
    pub(super) fn new(reader: R) -> Self {
        Self { reader, place: Place::START, state: State::TopLevel, is_empty: true }
    }

    /// The next elements, until they take `target_bytes` or the input ends.
    pub(super) fn next_batch(&mut self, target_bytes: usize) -> Batch {
        let mut batch = Batch::default();
        while batch.end.is_none() && batch.bytes.len() < target_bytes {
            match self.step(&mut batch) {
                Ok(true) => {}
                Ok(false) => batch.end = Some(Ok(())),
                Err(stop) => batch.end = Some(Err(stop)),
            }
        }
        batch
    }

    /// One element further, or one bracket; whether there may be more.
    fn step(&mut self, batch: &mut Batch) -> Result<bool, Stop> {
        match std::mem::replace(&mut self.state, State::TopLevel) {
            State::TopLevel => self.top_level(batch),
            State::Features(collection, first) => self.feature(batch, collection, first).map(|()| true),
        }
    }

    fn top_level(&mut self, batch: &mut Batch) -> Result<bool, Stop> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t' | b'\r' | b'\n' | RECORD_SEPARATOR) => self.take(None)?,
                Some(b'{') => break,
                Some(byte) => {
                    let found = named(byte);
                    let problem = if self.is_empty {
                        format!("expected a GeoJSON object, found {found}")
                    } else {
                        format!(
                            "expected a GeoJSON object, found {found} after the last one; remove what follows it"
                        )
                    };
                    return Err(SyntaxError::new(self.place, problem).into());
                }
                None if self.is_empty => {
                    return Err(SyntaxError::new(self.place, "the input is empty; expected GeoJSON").into());
                }
                None => return Ok(false),
            }
        }
        self.is_empty = false;
        let place = self.place;
        let start = batch.bytes.len();
        self.take(Some(&mut batch.bytes))?;
        let found = self.members(&mut batch.bytes, Expect::MemberOrClose, place);
        if let Ok(Member::Closed) = found {
            let range = start..batch.bytes.len();
            batch.elements.push(Element { range, place, in_collection: false });
            return Ok(true);
        }
        let collection = Collection { place, bytes: batch.bytes.split_off(start), cut: None };
        found.map_err(|stop| collection.first_error(stop))?;
        // What is wrong before the features is reported before what is wrong in them.
        match serde_json::from_slice::<IgnoredAny>(&collection.bytes) {
            Err(e) if !e.is_eof() => Err(collection.locate(&e).into()),
            _ => {
                self.state = State::Features(collection, true);
                Ok(true)
            }
        }
    }

    /// The next feature of a collection, or the rest of the collection after its last feature.
    fn feature(&mut self, batch: &mut Batch, mut collection: Collection, first: bool) -> Result<(), Stop> {
        let ended = |place| SyntaxError::new(place, "the input ends inside `features`");
        self.space(None)?;
        match self.peek()?.ok_or_else(|| ended(self.place))? {
            b']' => {
                self.take(Some(&mut collection.bytes))?;
                collection.cut = Some((collection.bytes.len(), self.place));
                return match self.members(&mut collection.bytes, Expect::CommaOrClose, collection.place) {
                    Ok(Member::Closed) => collection.check(),
                    Ok(Member::Features) => {
                        let bracket = Place { column: self.place.column - 1, ..self.place };
                        Err(SyntaxError::new(bracket, "a second `features` in one object").into())
                    }
                    Err(stop) => Err(collection.first_error(stop)),
                };
            }
            b',' if !first => {
                self.take(None)?;
                self.space(None)?;
            }
            _ if first => {}
            byte => {
                let problem = format!("expected `,` or `]` after a feature, found {}", named(byte));
                return Err(SyntaxError::new(self.place, problem).into());
            }
        }
        let place = self.place;
        let start = batch.bytes.len();
        if let Err(stop) = self.value(&mut batch.bytes) {
            let bytes = batch.bytes.split_off(start);
            return Err(Collection { place, bytes, cut: None }.first_error(stop));
        }
        let range = start..batch.bytes.len();
        batch.elements.push(Element { range, place, in_collection: true });
        self.state = State::Features(collection, false);
        Ok(())
    }

    /// Copies the members of the object that began at `start`, up to its end or to its features.
    fn members(&mut self, out: &mut Vec<u8>, mut expect: Expect, start: Place) -> Result<Member, Stop> {
        let Place { line, column } = start;
        let ended = |place| {
            SyntaxError::new(
                place,
                format!("the input ends inside the object of line {line}, column {column}"),
            )
        };
        loop {
            self.space(Some(out))?;
            match (self.peek()?.ok_or_else(|| ended(self.place))?, expect) {
                (b'}', Expect::MemberOrClose | Expect::CommaOrClose) => {
                    self.take(Some(out))?;
                    return Ok(Member::Closed);
                }
                (b',', Expect::CommaOrClose) => {
                    self.take(Some(out))?;
                    expect = Expect::Member;
                }
                (b'"', Expect::MemberOrClose | Expect::Member) => {
                    let name_start = out.len();
                    self.value(out)?;
                    let is_features = is_features(&out[name_start..]);
                    self.space(Some(out))?;
                    match self.peek()?.ok_or_else(|| ended(self.place))? {
                        b':' => self.take(Some(out))?,
                        byte => {
                            let problem =
                                format!("expected `:` after a member's name, found {}", named(byte));
                            return Err(SyntaxError::new(self.place, problem).into());
                        }
                    }
                    self.space(Some(out))?;
                    if is_features && self.peek()? == Some(b'[') {
                        self.take(Some(out))?;
                        return Ok(Member::Features);
                    }
                    self.value(out)?;
                    expect = Expect::CommaOrClose;
                }
                (byte, expect) => {
                    let expected = if expect == Expect::CommaOrClose {
                        "`,` or `}`"
                    } else {
                        "a member's name in quotes"
                    };
                    let problem = format!("expected {expected}, found {}", named(byte));
                    return Err(SyntaxError::new(self.place, problem).into());
                }
            }
        }
    }

    /// Copies one value: to its closing bracket or quote, or to what ends a number or a name.
    fn value(&mut self, out: &mut Vec<u8>) -> Result<(), Stop> {
        let start = self.place;
        let is_scalar = match self.peek()? {
            Some(b'{' | b'[' | b'"') => false,
            Some(byte @ (b',' | b':' | b']' | b'}')) => {
                let problem = format!("expected a value, found {}", named(byte));
                return Err(SyntaxError::new(start, problem).into());
            }
            _ => true,
        };
        let mut nesting = Nesting::default();
        loop {
            let chunk = fill(&mut self.reader)?;
            if chunk.is_empty() {
                let Place { line, column } = start;
                let problem = format!("the input ends inside the value of line {line}, column {column}");
                return Err(SyntaxError::new(self.place, problem).into());
            }
            let end = if is_scalar { scalar_end(chunk) } else { nesting.end(chunk) };
            // The delimiter of a scalar is not part of it.
            let taken = end.map_or(chunk.len(), |end| if is_scalar { end } else { end + 1 });
            out.extend_from_slice(&chunk[..taken]);
            self.place.advance(&chunk[..taken]);
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// Skips white space, and copies it if `out` is given.
    fn space(&mut self, mut out: Option<&mut Vec<u8>>) -> Result<(), Stop> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek()? {
            self.take(out.as_deref_mut())?;
        }
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<u8>, Stop> {
        Ok(fill(&mut self.reader)?.first().copied())
    }

    /// Moves on by the byte that was peeked at, and copies it if `out` is given.
    fn take(&mut self, out: Option<&mut Vec<u8>>) -> Result<(), Stop> {
        if let Some(byte) = self.peek()? {
            out.into_iter().for_each(|out| out.push(byte));
            self.place.advance(&[byte]);
            self.reader.consume(1);
        }
        Ok(())
    }
}

/// Where in a string, object or array a scan stands that began at its first byte.
#[derive(Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Goes through the next bytes; the index of the one that closes the value, if it is among them.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut i = 0;
        while i < bytes.len() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    i += 1;
                    continue;
                }
                i += bytes[i..].iter().position(|b| matches!(b, b'"' | b'\\'))?;
                if bytes[i] == b'"' { self.in_string = false } else { self.escaped = true }
            } else {
                i += bytes[i..].iter().position(|&byte| IS_STRUCTURAL[usize::from(byte)])?;
                match bytes[i] {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    _ => self.depth -= 1,
                }
            }
            if self.depth == 0 && !self.in_string {
                return Some(i);
            }
            i += 1;
        }
        None
    }
}

/// The bytes that matter outside of strings.
const IS_STRUCTURAL: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\"{}[]";
    let mut i = 0;
    while i < bytes.len() {
        table[bytes[i] as usize] = true;
        i += 1;
    }
    table
};

/// The index of the first byte that cannot be part of a number, `true`, `false` or `null`.
fn scalar_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| {
        matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b']' | b'}' | &RECORD_SEPARATOR)
    })
}

/// [`BufRead::fill_buf`], also where a signal interrupts it.
pub(super) fn fill(reader: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
            // Asked again, which is free, since the borrow checker cannot see that the loop ends here.
            Ok(_) => return reader.fill_buf(),
        }
    }
}

fn is_features(name: &[u8]) -> bool {
    match name {
        b"\"features\"" => true,
        _ if name.contains(&b'\\') => serde_json::from_slice::<String>(name).is_ok_and(|n| n == "features"),
        _ => false,
    }
}

fn named(byte: u8) -> String {
    match byte {
        b'!'..=b'~' => format!("`{}`", byte as char),
        _ => format!("byte 0x{byte:02X}"),
    }
}
