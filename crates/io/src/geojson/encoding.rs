//! Explains errors in text that is not UTF-8. The parser says only that a code point is invalid. This module finds the
//! byte and the reason.

use super::position::{Origin, Place};

/// Returns whether a message of the JSON parser is about invalid UTF-8.
pub(super) fn is_meant(message: &str) -> bool {
    message.contains("unicode code point")
}

/// Returns the place of the first byte at which `text` is not UTF-8, and the error message. Returns `None` if `text` is UTF-8.
/// `origin` is the origin of `text` in the input.
pub(super) fn problem(text: &[u8], origin: &Origin) -> Option<(Place, String)> {
    let offset = std::str::from_utf8(text).err()?.valid_up_to();
    let problem = format!(
        "byte 0x{:02X} is not UTF-8; if the text is Latin-1, convert the file first (`iconv -f LATIN1 -t UTF-8`)",
        text[offset]
    );
    Some((origin.of(text, offset), problem))
}
