//! Divides a stream of GeoJSON into values that hold one feature each. Only a few values are in memory at a time.
//!
//! The scanner tracks only strings and brackets. The parser later checks the rest of each value, in parallel and in
//! memory.

use std::io::{self, BufRead};
use std::ops::Range;

use serde::de::IgnoredAny;

use super::collection::{Collection, Systems};
use super::kept::Kept;
use super::nesting::{Nesting, RECORD_SEPARATOR, scalar_end};
use super::parse;
use super::position::{Origin, Place, SyntaxError};
use super::replay::Replay;
use super::skip::{Flaw, Skipper};
use super::wording::{ended_inside, named, no_object, no_value};
use crate::ReadOptions;

/// The length in bytes above which unneeded parts of a value are left out. Copying a shorter value whole is faster.
const LONG: usize = 1 << 20;

/// The largest number of elements of a batch. A limit on the bytes of a batch is not enough, because the element of a
/// truncated record has no bytes.
const MOST_ELEMENTS: usize = 1 << 18;

/// A JSON value that should be one feature. `range` is its range in [`Batch::bytes`].
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) range: Range<usize>,
    pub(super) origin: Origin,
    /// Whether the value is an item of a `features` array. Otherwise, the value is at the top level, and may be a bare
    /// geometry.
    pub(super) in_collection: bool,
    /// The reason why the value cannot be read. `None` unless the value is a truncated record of a text sequence.
    pub(super) flaw: Option<Box<str>>,
}

/// Consecutive elements of the input, a few megabytes of them.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) elements: Vec<Element>,
    /// The result of the scan at the end of the input, or `None` if more elements may follow.
    pub(super) end: Option<Result<(), Stop>>,
}

/// The reason why the scanner could not continue.
#[derive(Debug)]
pub(super) enum Stop {
    Read(io::Error),
    Syntax(SyntaxError),
    /// The text of a value exceeds the size limit.
    TooLarge,
    /// The system did not provide memory for this number of additional bytes.
    OutOfMemory(usize),
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

enum State {
    TopLevel,
    /// Inside a `features` array. The flag is `true` if no item of the array has been read yet.
    Features(Collection, bool),
}

/// The tokens that may come next in the JSON object that is being scanned.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    MemberOrClose,
    Member,
    CommaOrClose,
}

/// The kind of the object whose members are being scanned.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A collection or a feature at the top level, of any length.
    TopLevel,
    /// A long feature in a collection.
    LongFeature,
}

/// The point that the scan of an object's members has reached.
enum Member {
    /// The closing bracket of the object has been read.
    Closed,
    /// The opening bracket of the object's `features` array has been read.
    Features,
}

pub(super) struct Scanner<R> {
    reader: Replay<R>,
    /// The position of the next byte in the input.
    place: Place,
    state: State,
    is_empty: bool,
    systems: Systems,
    /// The maximum number of bytes that the kept text of a value may have.
    limit: usize,
    /// The number of bytes above which a value is kept without its unneeded parts.
    long: usize,
    needs_properties: bool,
    /// The name of the option that names the format, or `None` if the caller has named the format.
    format_option: Option<&'static str>,
}

impl<R: BufRead> Scanner<R> {
    /// Creates a scanner. `reader` must be at the first byte after the byte order mark, if there is one.
    pub(super) fn new(reader: R, options: &ReadOptions) -> Self {
        Self {
            reader: Replay::new(reader),
            place: Place::START,
            state: State::TopLevel,
            is_empty: true,
            systems: Systems::default(),
            limit: options.max_feature_bytes,
            long: LONG,
            needs_properties: options.id_property.is_some(),
            format_option: options.format.is_none().then_some(options.format_option),
        }
    }

    /// Returns the reference systems that the collections state. The result is complete after the last batch.
    pub(super) fn into_systems(self) -> Systems {
        self.systems
    }

    /// Returns the next elements. The batch ends when it has `target_bytes` bytes or [`MOST_ELEMENTS`] elements, at the
    /// end of the input, or if the scanner cannot continue.
    pub(super) fn next_batch(&mut self, target_bytes: usize) -> Batch {
        let mut batch = Batch::default();
        while batch.end.is_none() && batch.bytes.len() < target_bytes && batch.elements.len() < MOST_ELEMENTS
        {
            match self.step(&mut batch).or_else(|stop| self.truncated(stop, &mut batch)) {
                Ok(true) => {}
                Ok(false) => batch.end = Some(Ok(())),
                Err(stop) => batch.end = Some(Err(stop)),
            }
        }
        batch
    }

    /// Reads the next part of the input: a value at the top level, the start of a collection, one feature of a collection, or the
    /// rest of a collection after its last feature. Adds a value or a feature to `batch` as an element. Returns `false` at the end
    /// of the input, and `true` otherwise. Returns [`Stop`] if the scanner cannot continue.
    fn step(&mut self, batch: &mut Batch) -> Result<bool, Stop> {
        match std::mem::replace(&mut self.state, State::TopLevel) {
            State::TopLevel => self.top_level(batch),
            State::Features(collection, first) => self.feature(batch, collection, first).map(|()| true),
        }
    }

    /// Handles an error inside a text sequence. If the error is the end of a truncated record, adds the record as an
    /// element with a flaw, and returns `true`, because other records may follow. Otherwise, returns `stop` as the
    /// error.
    fn truncated(&mut self, stop: Stop, batch: &mut Batch) -> Result<bool, Stop> {
        let Stop::Syntax(error) = stop else { return Err(stop) };
        if !self.reader.is_sequence() || self.peek()?.is_some() {
            return Err(error.into());
        }
        let Place { line, column } = error.place;
        let problem = error.problem.replace("the input ends", "it ends");
        let flaw =
            format!("line {line}, column {column}: the record is truncated: {problem}; write it again");
        let (end, origin) = (batch.bytes.len(), error.place.into());
        let element = Element { range: end..end, origin, in_collection: false, flaw: Some(flaw.into()) };
        batch.elements.push(element);
        self.is_empty = false;
        Ok(true)
    }

    fn top_level(&mut self, batch: &mut Batch) -> Result<bool, Stop> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.take(None)?,
                Some(RECORD_SEPARATOR) => {
                    self.take(None)?;
                    self.reader.begin_sequence();
                }
                None if self.reader.take_separator()? => self.place.advance(&[RECORD_SEPARATOR]),
                Some(b'{') => break,
                Some(byte) => {
                    return Err(SyntaxError::new(
                        self.place,
                        no_object(byte, self.is_empty, self.format_option),
                    )
                    .into());
                }
                None if self.is_empty => {
                    return Err(SyntaxError::new(self.place, "the input is empty; expected GeoJSON").into());
                }
                None => return Ok(false),
            }
        }
        self.is_empty = false;
        let start = batch.bytes.len();
        let mut out = Kept::new(&mut batch.bytes, start, self.place.into(), self.limit);
        let found = self.object(&mut out, Kind::TopLevel);
        let origin = out.into_origin();
        if let Ok(Member::Closed) = found {
            let range = start..batch.bytes.len();
            batch.elements.push(Element { range, origin, in_collection: false, flaw: None });
            return Ok(true);
        }
        let collection = Collection { origin, bytes: batch.bytes.split_off(start) };
        found.map_err(|stop| collection.first_error(stop))?;
        // Errors before the features are reported before errors in the features.
        match serde_json::from_slice::<IgnoredAny>(&collection.bytes) {
            Err(e) if !e.is_eof() => Err(collection.locate(&e).into()),
            _ => {
                self.state = State::Features(collection, true);
                Ok(true)
            }
        }
    }

    /// Reads the next feature of a collection. After the last feature, reads the rest of the collection. `first` is
    /// `true` if no feature of the collection has been read yet. Returns [`Stop`] if the scanner cannot continue.
    fn feature(&mut self, batch: &mut Batch, collection: Collection, first: bool) -> Result<(), Stop> {
        let ended = |place| SyntaxError::new(place, "the input ends inside `features`");
        self.space(None)?;
        match self.peek()?.ok_or_else(|| ended(self.place))? {
            b']' => return self.rest(collection),
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
        let start = batch.bytes.len();
        let mut out = Kept::new(&mut batch.bytes, start, self.place.into(), self.limit);
        let kept = self.element(&mut out);
        let origin = out.into_origin();
        if let Err(stop) = kept {
            let bytes = batch.bytes.split_off(start);
            return Err(Collection { origin, bytes }.first_error(stop));
        }
        let range = start..batch.bytes.len();
        batch.elements.push(Element { range, origin, in_collection: true, flaw: None });
        self.state = State::Features(collection, false);
        Ok(())
    }

    /// Copies a value. If the value is a long object, its unneeded parts are left out. Returns [`Stop`] if the scanner
    /// cannot continue.
    fn element(&mut self, out: &mut Kept<'_>) -> Result<(), Stop> {
        let place = self.place;
        let is_object = self.peek()? == Some(b'{');
        if self.value(out, if is_object { self.long } else { usize::MAX })? {
            return Ok(());
        }
        self.reader.give_back(out.take_since(0));
        self.place = place;
        self.object(out, Kind::LongFeature).map(drop)
    }

    /// Reads the rest of a collection, from the bracket that ends its features. Returns [`Stop`] if the scanner cannot continue.
    fn rest(&mut self, mut collection: Collection) -> Result<(), Stop> {
        let Collection { origin, bytes } = &mut collection;
        let place = origin.place;
        let mut out = Kept::new(bytes, 0, origin.clone(), self.limit);
        self.take(None)?;
        let found = out.push_stand_in(b"]", self.place);
        let found = found.and_then(|()| self.members(&mut out, Expect::CommaOrClose, place, Kind::TopLevel));
        *origin = out.into_origin();
        match found {
            Ok(Member::Closed) => {
                self.systems.add(collection.check()?);
                Ok(())
            }
            Ok(Member::Features) => {
                let bracket = Place { column: self.place.column - 1, ..self.place };
                Err(SyntaxError::new(bracket, "a second `features` in one object").into())
            }
            Err(Stop::TooLarge) => {
                let limit = self.limit;
                let problem =
                    format!("the members beside `features` take more than {limit} bytes; leave them out");
                Err(SyntaxError::new(place, problem).into())
            }
            Err(stop) => Err(collection.first_error(stop)),
        }
    }

    /// Copies the next object, up to its closing bracket or up to the opening bracket of its features. Returns which of the two
    /// brackets was reached. Returns [`Stop`] if the scanner cannot continue.
    fn object(&mut self, out: &mut Kept<'_>, kind: Kind) -> Result<Member, Stop> {
        let place = self.place;
        self.take(Some(out))?;
        self.members(out, Expect::MemberOrClose, place, kind)
    }

    /// Copies the members of the object that began at `start`, up to the object's closing bracket or up to the opening bracket
    /// of its features. Returns which bracket was reached. `expect` says what may come next in the object. Returns [`Stop`] if
    /// the scanner cannot continue.
    fn members(
        &mut self,
        out: &mut Kept<'_>,
        mut expect: Expect,
        start: Place,
        kind: Kind,
    ) -> Result<Member, Stop> {
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
                    self.value(out, usize::MAX)?;
                    let name = out.since(name_start);
                    let is_features = kind == Kind::TopLevel && is_features(name);
                    let is_needed = parse::is_needed(name, self.needs_properties);
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
                    if is_needed {
                        self.value(out, usize::MAX)?;
                    } else {
                        self.unneeded(out, kind)?;
                    }
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

    /// Copies one value. A value with a closing bracket or quote is copied up to and including it. A number or a word
    /// is copied up to its last byte. Returns `true` at the end of the value. Returns `false` if the value has not
    /// ended after about `most` bytes. Returns [`Stop`] if the scanner cannot continue.
    fn value(&mut self, out: &mut Kept<'_>, most: usize) -> Result<bool, Stop> {
        let start = self.place;
        let from = out.len();
        let is_scalar = match self.peek()? {
            Some(b'{' | b'[' | b'"') => false,
            Some(byte @ (b',' | b':' | b']' | b'}')) => return Err(no_value(byte, start)),
            _ => true,
        };
        let mut nesting = Nesting::default();
        loop {
            let chunk = self.reader.fill()?;
            if chunk.is_empty() {
                return Err(ended_inside(start, self.place));
            }
            let end = if is_scalar { scalar_end(chunk) } else { nesting.end(chunk) };
            // The delimiter after a number or a word does not belong to the value.
            let taken = end.map_or(chunk.len(), |end| if is_scalar { end } else { end + 1 });
            out.push(&chunk[..taken])?;
            self.place.advance(&chunk[..taken]);
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
            if out.len() - from > most {
                return Ok(false);
            }
        }
    }

    /// Copies one unneeded value of an object at the top level, or a placeholder if the value is long. In a long feature, copies a
    /// placeholder for every value. Returns [`Stop`] if the scanner cannot continue.
    fn unneeded(&mut self, out: &mut Kept<'_>, kind: Kind) -> Result<(), Stop> {
        let start = self.place;
        if let Some(byte @ (b',' | b':' | b']' | b'}')) = self.peek()? {
            return Err(no_value(byte, start));
        }
        if kind == Kind::TopLevel {
            let from = out.len();
            if self.value(out, self.long)? {
                return Ok(());
            }
            self.reader.give_back(out.take_since(from));
            self.place = start;
        }
        let mut skipper = Skipper::new();
        loop {
            let chunk = self.reader.fill()?;
            if chunk.is_empty() {
                return Err(ended_inside(start, self.place));
            }
            let end = skipper.push(chunk, out.room()).map_err(|flaw| match flaw {
                Flaw::TooDeep => Stop::TooLarge,
                Flaw::Syntax(at, problem) => {
                    self.place.advance(&chunk[..at]);
                    SyntaxError::new(self.place, problem).into()
                }
            })?;
            let taken = end.unwrap_or(chunk.len());
            self.place.advance(&chunk[..taken]);
            self.reader.consume(taken);
            if end.is_some() {
                return out.push_stand_in(skipper.stand_in(), self.place);
            }
        }
    }

    /// Skips white space, and copies it if `out` is given. Returns [`Stop`] if the scanner cannot continue.
    fn space(&mut self, mut out: Option<&mut Kept<'_>>) -> Result<(), Stop> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek()? {
            self.take(out.as_deref_mut())?;
        }
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<u8>, Stop> {
        Ok(self.reader.fill()?.first().copied())
    }

    /// Moves over the byte that `peek` returned, and copies it if `out` is given. Returns [`Stop`] if the scanner cannot continue.
    fn take(&mut self, out: Option<&mut Kept<'_>>) -> Result<(), Stop> {
        if let Some(byte) = self.peek()? {
            out.map_or(Ok(()), |out| out.push(&[byte]))?;
            self.place.advance(&[byte]);
            self.reader.consume(1);
        }
        Ok(())
    }
}

fn is_features(name: &[u8]) -> bool {
    match name {
        b"\"features\"" => true,
        _ if name.contains(&b'\\') => serde_json::from_slice::<String>(name).is_ok_and(|n| n == "features"),
        _ => false,
    }
}
