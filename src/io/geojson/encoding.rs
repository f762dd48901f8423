//! Text that is not UTF-8: the parser says that a code point is invalid, and not which or why.

use super::position::{Origin, Place};

/// Whether the parser's words are about that.
pub(super) fn is_meant(message: &str) -> bool {
    message.contains("unicode code point")
}

/// Where `text`, which comes from `origin`, is not UTF-8, and what to say of it; none where it is.
pub(super) fn problem(text: &[u8], origin: &Origin) -> Option<(Place, String)> {
    let offset = std::str::from_utf8(text).err()?.valid_up_to();
    let problem = format!(
        "byte 0x{:02X} is not UTF-8; if the text is Latin-1, convert the file first (`iconv -f LATIN1 -t UTF-8`)",
        text[offset]
    );
    Some((origin.of(text, offset), problem))
}
