//! Skips a JSON value that the reader does not need, without storing the value. The skipper checks the value as strictly
//! as the parser. Its error messages differ only for a comma before a closing bracket.

/// The state of a JSON value that is being skipped. The state starts at the first byte of the value.
#[derive(Debug)]
pub(super) struct Skipper {
    /// The arrays and objects that are open, from the outermost. An entry is true for an object.
    open: Vec<bool>,
    expect: Expect,
    token: Token,
    /// Whether the value has one of the words `NaN` and `Infinity`, which are not JSON.
    has_no_number: bool,
}

/// The reason why a value cannot be skipped.
#[derive(Debug, PartialEq)]
pub(super) enum Flaw {
    Syntax(usize, &'static str),
    TooDeep,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
}

/// The token of the skipped value that has begun and not ended yet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    None,
    /// A string. The flag is set if the string is the name of a member.
    Text(bool),
    Escape(bool),
    /// The hexadecimal digits of an escape in a string. The flag is set if the string is the name of a member. The
    /// number says how many digits must still follow.
    Hex(bool, u8),
    Number(Number),
    /// `true`, `false`, `null`, or a word that stands for a number. The bytes are the rest of the word, which must
    /// follow.
    Word(&'static [u8]),
}

/// The state of a number that is being read. Each variant is named after the last part of the number that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

impl Number {
    /// Returns the state after one more byte, or `None` if the byte is not part of the number.
    fn after(self, byte: u8) -> Option<Self> {
        use Number::{Exponent, ExponentDigits, ExponentSign, Fraction, Integer, Minus, Point, Zero};
        Some(match (self, byte) {
            (Minus, b'0') => Zero,
            (Minus, b'1'..=b'9') | (Integer, b'0'..=b'9') => Integer,
            (Zero | Integer, b'.') => Point,
            (Point | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Integer | Fraction, b'e' | b'E') => Exponent,
            (Exponent, b'+' | b'-') => ExponentSign,
            (Exponent | ExponentSign | ExponentDigits, b'0'..=b'9') => ExponentDigits,
            _ => return None,
        })
    }

    fn is_whole(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigits)
    }
}

impl Skipper {
    pub(super) fn new() -> Self {
        Self { open: Vec::new(), expect: Expect::Value, token: Token::None, has_no_number: false }
    }

    /// Returns a placeholder for the skipped value: `NaN` if the value has a word such as `NaN`, and `null` otherwise.
    /// Python writes `NaN`, which is not JSON. The placeholder is therefore valid JSON if and only if the value is.
    pub(super) fn stand_in(&self) -> &'static [u8] {
        if self.has_no_number { b"NaN" } else { b"null" }
    }

    /// Skips the next bytes of the value, with at most `depth` open arrays and objects. If the value ends, returns the
    /// number of `bytes` that belong to it. The number is 0 if the first byte shows that a number ended before it.
    /// Returns `None` if the value may continue after `bytes`. Returns a [`Flaw`] if the bytes are not JSON, or are
    /// nested too deeply.
    pub(super) fn push(&mut self, bytes: &[u8], depth: usize) -> Result<Option<usize>, Flaw> {
        let mut i = 0;
        while i < bytes.len() {
            if let Token::Text(_) = self.token {
                let is_special = |&byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
                let Some(plain) = bytes[i..].iter().position(is_special) else { return Ok(None) };
                i += plain;
            }
            let wrong = |problem| Flaw::Syntax(i, problem);
            let is_taken = match self.token {
                Token::None => self.between(bytes[i]).map(|()| true),
                _ => self.within(bytes[i]),
            };
            i += usize::from(is_taken.map_err(wrong)?);
            if self.open.len() > depth {
                return Err(Flaw::TooDeep);
            }
            if self.open.is_empty() && self.token == Token::None && self.expect == Expect::CommaOrClose {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    /// Processes a byte that is not part of a token. Returns a description of the problem if JSON does not allow the byte here.
    fn between(&mut self, byte: u8) -> Result<(), &'static str> {
        let in_object = self.open.last() == Some(&true);
        match (byte, self.expect) {
            (b' ' | b'\t' | b'\r' | b'\n', _) => {}
            (b'}', Expect::KeyOrClose) | (b']', Expect::ValueOrClose) => self.close(),
            (b'}', Expect::CommaOrClose) if in_object => self.close(),
            (b']', Expect::CommaOrClose) if !in_object => self.close(),
            (b',', Expect::CommaOrClose) => self.expect = if in_object { Expect::Key } else { Expect::Value },
            (_, Expect::CommaOrClose) if in_object => return Err("expected `,` or `}`"),
            (_, Expect::CommaOrClose) => return Err("expected `,` or `]`"),
            (b'"', Expect::Key | Expect::KeyOrClose) => self.token = Token::Text(true),
            (b'}', Expect::Key) => return Err("trailing comma"),
            (_, Expect::Key | Expect::KeyOrClose) => return Err("key must be a string"),
            (b':', Expect::Colon) => self.expect = Expect::Value,
            (_, Expect::Colon) => return Err("expected `:`"),
            (_, Expect::Value | Expect::ValueOrClose) => return self.value(byte),
        }
        Ok(())
    }

    /// Processes the first byte of a value. Returns a description of the problem if no value begins with the byte.
    fn value(&mut self, byte: u8) -> Result<(), &'static str> {
        // After the value, a comma or a closing bracket must follow.
        self.expect = Expect::CommaOrClose;
        self.token = match byte {
            b'"' => Token::Text(false),
            b'-' => Token::Number(Number::Minus),
            b'0' => Token::Number(Number::Zero),
            b'1'..=b'9' => Token::Number(Number::Integer),
            b't' => Token::Word(b"rue"),
            b'f' => Token::Word(b"alse"),
            b'n' => Token::Word(b"ull"),
            b'N' => Token::Word(b"aN"),
            b'I' => Token::Word(b"nfinity"),
            b'{' | b'[' => {
                self.open.push(byte == b'{');
                self.expect = if byte == b'{' { Expect::KeyOrClose } else { Expect::ValueOrClose };
                Token::None
            }
            _ => return Err("expected value"),
        };
        self.has_no_number |= matches!(byte, b'N' | b'I');
        Ok(())
    }

    fn close(&mut self) {
        self.open.pop();
        self.expect = Expect::CommaOrClose;
    }

    /// Processes a byte of a token. Returns `true` if the byte belongs to the token. Returns `false` if a number ended
    /// before the byte, which then remains to be processed. Returns a description of the problem if the token cannot
    /// have the byte.
    fn within(&mut self, byte: u8) -> Result<bool, &'static str> {
        self.token = match (self.token, byte) {
            (Token::Text(is_key), b'"') => {
                self.expect = if is_key { Expect::Colon } else { Expect::CommaOrClose };
                Token::None
            }
            (Token::Text(is_key), b'\\') => Token::Escape(is_key),
            (Token::Text(_), ..0x20) => {
                return Err("control character (\\u0000-\\u001F) found while parsing a string");
            }
            (Token::Escape(is_key), b'u') => Token::Hex(is_key, 4),
            (Token::Escape(is_key), b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                Token::Text(is_key)
            }
            (Token::Hex(is_key, 1), _) if byte.is_ascii_hexdigit() => Token::Text(is_key),
            (Token::Hex(is_key, more), _) if byte.is_ascii_hexdigit() => Token::Hex(is_key, more - 1),
            (Token::Escape(_) | Token::Hex(..), _) => return Err("invalid escape"),
            (Token::Number(Number::Minus), b'I') => {
                self.has_no_number = true;
                Token::Word(b"nfinity")
            }
            (Token::Number(number), _) => match number.after(byte) {
                Some(number) => Token::Number(number),
                None if number.is_whole() && !(number == Number::Zero && byte.is_ascii_digit()) => {
                    self.token = Token::None;
                    return Ok(false);
                }
                None => return Err("invalid number"),
            },
            (Token::Word([next]), _) if byte == *next => Token::None,
            (Token::Word([next, rest @ ..]), _) if byte == *next => Token::Word(rest),
            (Token::Word(_), _) => return Err("expected ident"),
            (token @ (Token::None | Token::Text(_)), _) => token,
        };
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::*;

    /// Skips the value at the start of `text`, and returns the result of the skipper. The text is passed in pieces of `step`
    /// bytes.
    fn skipped(text: &[u8], step: usize) -> Result<Option<usize>, Flaw> {
        let mut skipper = Skipper::new();
        let mut at = 0;
        for chunk in text.chunks(step) {
            match skipper.push(chunk, 1000) {
                Ok(None) => at += chunk.len(),
                Ok(Some(end)) => return Ok(Some(at + end)),
                Err(Flaw::Syntax(wrong, problem)) => return Err(Flaw::Syntax(at + wrong, problem)),
                Err(flaw) => return Err(flaw),
            }
        }
        Ok(None)
    }

    /// Tests that the skipper and the parser accept the same randomly changed JSON texts.
    #[test]
    fn what_is_skipped_is_what_is_parsed() {
        let texts: [&str; 4] = [
            r#"{"a": [1, -2.5e+3, 0, 0.25E-7, true, false, null, "x\u00e9\n\"", {}, []], "b": {"c": "d"}},"#,
            r#"[[], [[1]], {"": ""}, "\\", -0, 10]}"#,
            "  -12.5e3 ,",
            r#""a\/b" ]"#,
        ];
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let letters = b"{}[]:,\"\\ 019-+.eEuntrflase\x01";
        let mut refused = 0;
        for case in 0..200_000 {
            let mut text = texts[case % texts.len()].as_bytes().to_vec();
            for _ in 0..case % 3 {
                let (at, letter) = (random(text.len()), letters[random(letters.len())]);
                match random(3) {
                    0 => text[at] = letter,
                    1 => text.insert(at, letter),
                    _ => drop(text.remove(at)),
                }
            }
            let mut parser = serde_json::Deserializer::from_slice(&text).into_iter::<IgnoredAny>();
            let parsed = parser.next().expect("a text is not empty");
            let shown = String::from_utf8_lossy(&text);
            let found = skipped(&text, text.len());
            assert_eq!(found, skipped(&text, 1), "{shown}");
            match (parsed, found) {
                (Ok(_), Ok(Some(end))) => assert_eq!(end, parser.byte_offset(), "{shown}"),
                // The number may continue after the text.
                (Ok(_), Ok(None)) => assert!(text.last().is_some_and(u8::is_ascii_digit), "{shown}"),
                (Err(error), Ok(None)) => {
                    let may_go_on = error.to_string().starts_with("invalid number");
                    assert!(error.is_eof() || may_go_on, "{shown}: {error}");
                }
                // Both reject the text. The messages differ for a comma before a closing bracket.
                (Err(_), Err(Flaw::Syntax(..))) => {
                    refused += 1;
                }
                // The skipper ends the value at the same byte.
                (Err(error), Ok(Some(end))) => {
                    let is_number = text[..end].last().is_some_and(u8::is_ascii_digit);
                    assert!(
                        is_number && error.to_string().starts_with("trailing characters"),
                        "{shown}: {error}"
                    );
                }
                (parsed, found) => panic!("{shown}: {parsed:?}, {found:?}"),
            }
        }
        assert!(refused > 20_000, "{refused}");
    }

    #[test]
    fn words_that_are_no_numbers_are_as_they_were() {
        for (text, stand_in) in
            [("[NaN]", "NaN"), ("{\"a\":-Infinity}", "NaN"), ("Infinity", "NaN"), ("null", "null")]
        {
            let mut skipper = Skipper::new();
            assert_eq!(skipper.push(text.as_bytes(), 9), Ok(Some(text.len())), "{text}");
            assert_eq!(skipper.stand_in(), stand_in.as_bytes());
        }
        assert_eq!(Skipper::new().push(b"[[[[", 3), Err(Flaw::TooDeep));
    }
}
