//! Explains errors in surrogate pairs. The parser says only that an escape ends too early. This module finds the escape
//! and its position.

use super::ordinates::string_end;
use super::position::{Origin, Place};

/// Returns true if a message of the parser is about a half of a surrogate pair.
pub(super) fn is_meant(message: &str) -> bool {
    message.contains("surrogate") || message.contains("end of hex escape")
}

/// Returns the place of the first lone half of a surrogate pair in `text`, and the error message, or `None` if there is
/// no lone half. `text` comes from `origin`.
pub(super) fn problem(text: &[u8], origin: &Origin) -> Option<(Place, String)> {
    let (place, escape) = find(text, origin)?;
    Some((place, words(&escape)))
}

fn words(escape: &str) -> String {
    format!(
        "the string has {escape}, half of a surrogate pair, which is not a character; write both halves, or the character itself"
    )
}

fn find(text: &[u8], origin: &Origin) -> Option<(Place, String)> {
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'"' {
            at += 1;
            continue;
        }
        let end = string_end(text, at);
        if let Some(offset) = lone_half(&text[at..end]) {
            let start = at + offset;
            return Some((
                origin.of(text, start),
                String::from_utf8_lossy(&text[start..start + 6]).into_owned(),
            ));
        }
        at = end;
    }
    None
}

/// Returns the index of the escape of a lone half in a string with its quotes, or `None` if there is none.
fn lone_half(string: &[u8]) -> Option<usize> {
    let unit = |at: usize| {
        let digits = string.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while at < string.len() {
        at += match (string[at], unit(at)) {
            (_, Some(0xD800..=0xDBFF)) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            (_, Some(0xD800..=0xDFFF)) => return Some(at),
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_found_where_they_stand_alone() {
        for (text, column) in [
            (r#"["\ud800"]"#, Some(3)),
            (r#"["\udc00\ud800"]"#, Some(3)),
            (r#"["\ud83d\ude00", "a\uDFFFb"]"#, Some(20)),
            (r#"["\ud83d\ud83d\ude00"]"#, Some(3)),
            (r#"["\\ud800", "\"\\\\ud800"]"#, None),
            (r#"["\ud83d\ude00\u00e9"]"#, None),
            (r#"["\ud8"#, None),
        ] {
            let found = problem(text.as_bytes(), &Place::START.into());
            assert_eq!(found.map(|(place, _)| place.column), column, "{text}");
        }
    }
}
