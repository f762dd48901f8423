//! Formats text from a file for messages: shortened, and without control characters that a terminal would execute.

use std::borrow::Cow;
use std::fmt;

/// The greatest number of characters of a text from a file that is shown whole.
const WHOLE: usize = 80;
/// The greatest number of characters of an option's value that is shown whole. The number is greater than [`WHOLE`],
/// because paths are longer than ids.
const WHOLE_VALUE: usize = 240;

/// Text from a file, for a message. Control characters are escaped. If the text is long, only its beginning and its length are
/// shown.
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_cut(f, self.0, WHOLE)
    }
}

/// A value from a user, for a message. Control characters are escaped. If the value is long, only its beginning and its length
/// are shown.
pub struct ShownValue<'a>(pub &'a str);

impl fmt::Display for ShownValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_cut(f, self.0, WHOLE_VALUE)
    }
}

fn write_cut(f: &mut fmt::Formatter<'_>, text: &str, whole: usize) -> fmt::Result {
    let Some(start) = beginning(text, whole) else { return write_escaped(f, text) };
    write_escaped(f, start)?;
    write!(f, "... ({} characters)", text.chars().count())
}

/// Returns the beginning of a text that has more than `whole` characters, or `None` if the text is short enough to be
/// shown whole.
fn beginning(text: &str, whole: usize) -> Option<&str> {
    text.char_indices().nth(whole)?;
    text.char_indices().nth(whole / 4 * 3).map(|(end, _)| &text[..end])
}

/// Shortens a text for a message. Returns a long text as its beginning and its number of characters, and any other text
/// unchanged.
pub fn shortened(text: &str) -> Cow<'_, str> {
    beginning(text, WHOLE)
        .map_or(text.into(), |start| format!("{start}... ({} characters)", text.chars().count()).into())
}

/// Returns whether a terminal may interpret `c` instead of showing it: control characters, and characters that reorder or break
/// a line.
pub fn drives_terminals(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes the characters of `text` that a terminal may interpret, including line breaks.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(drives_terminals) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    // Writing to a String cannot fail.
    let _ = write_escaped(&mut shown, text);
    Cow::Owned(shown)
}

fn write_escaped(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    for c in text.chars() {
        if drives_terminals(c) { write!(out, "{}", c.escape_default())? } else { out.write_char(c)? }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_say_how_long_they_were() {
        for c in ["x", "é", "漢"] {
            assert_eq!(Shown(&c.repeat(WHOLE)).to_string(), c.repeat(WHOLE));
            assert_eq!(Shown(&c.repeat(81)).to_string(), c.repeat(60) + "... (81 characters)");
        }
        assert_eq!(Shown("").to_string(), "");
    }

    #[test]
    fn what_drives_terminals_is_escaped() {
        let text = "a\r\n\t\u{1b}[31m\u{7f}\u{9b}\u{202e} é 漢";
        assert_eq!(escaped(text), "a\\r\\n\\t\\u{1b}[31m\\u{7f}\\u{9b}\\u{202e} é 漢");
        assert_eq!(Shown(text).to_string(), escaped(text));
    }
}
