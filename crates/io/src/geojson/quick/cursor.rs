//! A position in a JSON text, and methods that read the value at the position.
//!
//! A method that reads a value returns `None` if the value does not come next in the text. The cursor must not be used
//! after that.

use super::number;

/// The greatest depth of nested arrays and objects in a value that the cursor skips.
const MOST_DEPTH: usize = 64;

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Skips white space, and returns the next byte without moving over it. Returns `None` at the end of the text.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Returns whether only white space follows in the text.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Moves over `byte` and the white space before it. Returns `None` if another byte comes next.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        if self.peek()? != byte {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// Moves over `word` if it comes next. Returns whether it did.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.peek().is_some()
            && self.bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Moves over a comma or over `close`. Returns `true` for a comma, after which another value must follow, and `false` for
    /// `close`. Returns `None` if another byte comes next.
    #[inline]
    pub(super) fn has_next(&mut self, close: u8) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Some(true),
            _ => (byte == close).then_some(false),
        }
    }

    /// Moves over an array. `value` moves over one value of the array. Returns `None` if the text has no array here, or if
    /// `value` returns `None`.
    #[inline]
    pub(super) fn array(&mut self, mut value: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            value(self)?;
            if !self.has_next(b']')? {
                return Some(());
            }
        }
    }

    /// Moves over a position. Returns its first two ordinates, and whether it has more ordinates. Returns `None` if the text
    /// has no position here, or if one of the first two ordinates is out of the range of f64.
    #[inline]
    pub(super) fn position(&mut self) -> Option<([f64; 2], bool)> {
        self.take(b'[')?;
        let x = self.ordinate()?;
        self.take(b',')?;
        let y = self.ordinate()?;
        let has_third = self.has_next(b']')?;
        if has_third {
            self.further_ordinates()?;
        }
        Some(([x, y], has_third))
    }

    #[inline]
    fn ordinate(&mut self) -> Option<f64> {
        self.peek()?;
        let number = number::parse(&self.bytes()[self.at..])?;
        self.at += number.length;
        Some(number.value)
    }

    fn further_ordinates(&mut self) -> Option<()> {
        loop {
            self.skip(0)?;
            if !self.has_next(b']')? {
                return Some(());
            }
        }
    }

    /// Returns the number of opening brackets before the next number. The cursor does not move. Returns `None` if there
    /// are no brackets or more than 4, or if no number follows the brackets.
    pub(super) fn depth(&self) -> Option<usize> {
        let mut ahead = Cursor { text: self.text, at: self.at };
        let mut depth = 0;
        while depth < 5 && ahead.take(b'[').is_some() {
            depth += 1;
        }
        let is_number = matches!(ahead.peek()?, b'-' | b'0'..=b'9');
        (is_number && (1..=4).contains(&depth)).then_some(depth)
    }

    /// Moves over the name of a member and its colon. Returns the name, or `None` if the name has escapes.
    pub(super) fn name(&mut self) -> Option<&'a [u8]> {
        let name = self.plain_string()?;
        self.take(b':')?;
        Some(name)
    }

    /// Moves over a string. Returns its content, or `None` if the string has escapes.
    pub(super) fn plain_string(&mut self) -> Option<&'a [u8]> {
        self.take(b'"')?;
        let start = self.at;
        (self.string_end()? == b'"').then(|| &self.bytes()[start..self.at - 1])
    }

    /// Moves over any value. Returns its text, or `None` if it is not valid or nested too deeply.
    pub(super) fn value(&mut self) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        self.skip(0)?;
        self.text.get(start..self.at)
    }

    /// Moves over any value. `depth` is the number of arrays and objects around it. Returns `None` if the value is not valid,
    /// or if it is nested more deeply than [`MOST_DEPTH`].
    fn skip(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.rest_of_string()
            }
            b'{' if depth < MOST_DEPTH => {
                self.at += 1;
                if self.peek()? == b'}' {
                    self.at += 1;
                    return Some(());
                }
                loop {
                    self.take(b'"')?;
                    self.rest_of_string()?;
                    self.take(b':')?;
                    self.skip(depth + 1)?;
                    if !self.has_next(b'}')? {
                        return Some(());
                    }
                }
            }
            b'[' if depth < MOST_DEPTH => self.array(|text| text.skip(depth + 1)),
            b'-' | b'0'..=b'9' => self.skip_number(),
            b't' => self.take_word("true").then_some(()),
            b'f' => self.take_word("false").then_some(()),
            b'n' => self.take_word("null").then_some(()),
            _ => None,
        }
    }

    /// Moves over the rest of a string, up to and including its closing quote. Returns `None` if the string is not valid.
    fn rest_of_string(&mut self) -> Option<()> {
        while self.string_end()? == b'\\' {
            let escape = *self.bytes().get(self.at)?;
            self.at += 1;
            match escape {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => {
                    let digits = self.bytes().get(self.at..self.at + 4)?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                    self.at += 4;
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Moves over the bytes of a string up to and including the next quote or backslash. Returns this byte, or `None` if a
    /// control character or the end of the text comes before it.
    #[inline]
    fn string_end(&mut self) -> Option<u8> {
        while let Some(word) = self.bytes().get(self.at..).and_then(<[u8]>::first_chunk) {
            let special = special_bytes(u64::from_le_bytes(*word));
            if special != 0 {
                self.at += (special.trailing_zeros() / 8) as usize;
                break;
            }
            self.at += 8;
        }
        loop {
            let byte = *self.bytes().get(self.at)?;
            self.at += 1;
            match byte {
                b'"' | b'\\' => return Some(byte),
                ..0x20 => return None,
                _ => {}
            }
        }
    }

    /// Moves over a number of any magnitude. Returns `None` if the text has no valid number here.
    fn skip_number(&mut self) -> Option<()> {
        self.at += usize::from(self.bytes().get(self.at) == Some(&b'-'));
        let starts_with_0 = self.bytes().get(self.at) == Some(&b'0');
        if self.skip_digits()? > 1 && starts_with_0 {
            return None;
        }
        if self.bytes().get(self.at) == Some(&b'.') {
            self.at += 1;
            self.skip_digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes().get(self.at) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes().get(self.at), Some(b'+' | b'-')));
            self.skip_digits()?;
        }
        Some(())
    }

    /// Moves over digits. Returns their number, or `None` if there is no digit.
    fn skip_digits(&mut self) -> Option<usize> {
        let start = self.at;
        while self.bytes().get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(self.at - start)
    }
}

/// Marks the first byte of a little-endian word that is a quote, a backslash or a control character. The lowest set bit
/// of the result is in this byte. The bits above it have no meaning.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGHEST: u64 = 0x80 * ONES;
    // The subtraction carries a borrow only into bytes after a match.
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let quotes = has_zero(word ^ (u64::from(b'"') * ONES));
    let backslashes = has_zero(word ^ (u64::from(b'\\') * ONES));
    let controls = word.wrapping_sub(0x20 * ONES) & !word;
    (quotes | backslashes | controls) & HIGHEST
}
