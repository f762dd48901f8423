//! Finds the end of a JSON value by looking only at quotes and brackets.

/// Between top-level values, the record separator of RFC 8142 counts as space.
pub(super) const RECORD_SEPARATOR: u8 = 0x1E;

/// The state of a scan in a string, object or array. The scan began at its first byte.
#[derive(Default)]
pub(super) struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Goes through the next bytes; the index of the one that closes the value, if it is among them.
    pub(super) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
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
pub(super) fn scalar_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| {
        matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b']' | b'}' | &RECORD_SEPARATOR)
    })
}
