//! Finds the end of a JSON value by looking only at quotes and brackets.
//!
//! The scan processes blocks of 64 bytes. In a block without quotes and backslashes, the scan only counts the brackets.
//! In a block with quotes, it computes three bits for each byte: whether the byte is a quote, whether it is a bracket,
//! and whether it is in a string. The scan reads a block with a backslash byte by byte.

/// The record separator of RFC 8142. Between top-level values, it counts as white space.
pub(super) const RECORD_SEPARATOR: u8 = 0x1E;

/// The number of bytes of a block. A mask has one bit for each byte.
const BLOCK: usize = 64;

/// The state of a scan of a string, an object or an array. The scan begins at the first byte of the value.
#[derive(Default)]
pub(super) struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Scans the next bytes. Returns the index of the byte that closes the value, or `None` if the value does not end
    /// in these bytes.
    pub(super) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut start = 0;
        if self.depth == 0 {
            match bytes.first() {
                Some(b'{' | b'[') if !self.in_string => (self.depth, start) = (1, 1),
                _ => return self.end_by_bytes(bytes),
            }
        }
        let (blocks, rest) = bytes[start..].as_chunks();
        for block in blocks {
            if let Some(i) = self.end_in_block(block, BLOCK) {
                return Some(start + i);
            }
            start += BLOCK;
        }
        // The zeros after the last bytes change neither the depth of nesting nor whether the scan is in a string.
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        self.end_in_block(&last, rest.len()).map(|i| start + i)
    }

    /// Scans the first `length` bytes of a block. The bytes after them must be zeros. Returns the index of the byte
    /// that closes the value, or `None` if the value does not end in the block.
    fn end_in_block(&mut self, block: &[u8; BLOCK], length: usize) -> Option<usize> {
        let found = Found::in_block(block);
        if found.has_backslash | self.escaped {
            return self.end_by_bytes(&block[..length]);
        }
        if !found.has_quote && (self.in_string || found.closing < self.depth) {
            if !self.in_string {
                self.depth = self.depth + found.opening - found.closing;
            }
            return None;
        }
        let mut in_string = prefix_xor(mask(block, 0, b'"'));
        if self.in_string {
            in_string = !in_string;
        }
        self.in_string = in_string >> (BLOCK - 1) == 1;
        let opening = mask(block, TO_BRACE, b'{') & !in_string;
        let closing = mask(block, TO_BRACE, b'}') & !in_string;
        let closing_count = closing.count_ones() as usize;
        if closing_count < self.depth {
            self.depth = self.depth + opening.count_ones() as usize - closing_count;
            return None;
        }
        let mut brackets = opening | closing;
        while brackets != 0 {
            let i = brackets.trailing_zeros();
            if opening >> i & 1 == 1 {
                self.depth += 1;
            } else {
                self.depth -= 1;
                if self.depth == 0 {
                    return Some(i as usize);
                }
            }
            brackets &= brackets - 1;
        }
        None
    }

    /// Scans the next bytes one at a time. Returns the index of the byte that closes the value, or `None` if the value does not end
    /// in these bytes.
    fn end_by_bytes(&mut self, bytes: &[u8]) -> Option<usize> {
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
                i += bytes[i..].iter().position(|b| matches!(b, b'"' | b'{' | b'}' | b'[' | b']'))?;
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

/// The bit by which a square bracket and a brace differ. Setting this bit turns a square bracket into a brace, and no
/// other byte into a brace.
const TO_BRACE: u8 = b'[' ^ b'{';

/// The numbers of opening and closing brackets in a block of bytes, and whether the block has quotes or backslashes. Brackets
/// in strings count, too.
struct Found {
    has_quote: bool,
    has_backslash: bool,
    opening: usize,
    closing: usize,
}

impl Found {
    /// Counts the brackets of a block, and looks for quotes and backslashes. The loop is simple, so that the compiler
    /// vectorises it.
    fn in_block(block: &[u8; BLOCK]) -> Self {
        let (mut quotes, mut backslashes, mut opening, mut closing) = (0u8, 0u8, 0u8, 0u8);
        for &byte in block {
            let brace = byte | TO_BRACE;
            quotes |= u8::from(byte == b'"');
            backslashes |= u8::from(byte == b'\\');
            opening += u8::from(brace == b'{');
            closing += u8::from(brace == b'}');
        }
        Self {
            has_quote: quotes != 0,
            has_backslash: backslashes != 0,
            opening: opening.into(),
            closing: closing.into(),
        }
    }
}

/// Returns one bit for each byte `x` of a block. The bit is set if `x | set` equals `byte`.
#[inline]
fn mask(block: &[u8; BLOCK], set: u8, byte: u8) -> u64 {
    // The loop is simple, so that the compiler vectorises it.
    let mut bits = [0; BLOCK];
    for (i, bit) in bits.iter_mut().enumerate() {
        let is_equal = u8::from(block[i] | set == byte);
        *bit = is_equal << (i % 8);
    }
    // Byte k of the word is 0 or 1 << k. The highest byte of the product is therefore the union of all bytes.
    const ONES: u64 = u64::MAX / 0xFF;
    let (words, _) = bits.as_chunks();
    words.iter().rev().fold(0, |mask, &word| mask << 8 | u64::from_le_bytes(word).wrapping_mul(ONES) >> 56)
}

/// Returns an integer whose bit `i` is the parity of the bits 0 to `i`.
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// Returns the index of the first byte after the number, `true`, `false` or `null` at the start of `bytes`. Returns `None` if
/// the value may continue after `bytes`.
pub(super) fn scalar_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| {
        matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b']' | b'}' | &RECORD_SEPARATOR)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the index of the last byte of the value that begins at the start of `text`, or `None` if the value does not end.
    /// Checks `text` byte by byte, as a reference for the scan in blocks.
    fn end(text: &[u8]) -> Option<usize> {
        let (mut depth, mut in_string, mut is_escaped) = (0, false, false);
        for (i, byte) in text.iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if in_string => is_escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth -= 1,
                _ => {}
            }
            if depth == 0 && !in_string {
                return Some(i);
            }
        }
        None
    }

    /// Tests that the scan finds the end of random values. Each text is passed to the scan as a whole, and in parts of
    /// up to 100 bytes.
    #[test]
    fn blocks_and_bytes_find_the_same_end() {
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let letters = b"{[}]\"\\{[[:;z|\xdb\xfd\x02\xa2";
        let mut found = 0;
        for case in 0..20_000 {
            let mut text = vec![b"{[\""[case % 3]];
            // On average, one byte in `rare` is a letter of the list. Only the first `kinds` letters of the list occur.
            let rare = [1, 8, 40][random(3)];
            let kinds = [4, 5, letters.len()][random(3)];
            for _ in 0..random(400) {
                text.push(if random(rare) == 0 { letters[random(kinds)] } else { b'7' });
            }
            text.extend(b"]]]]]]\"]]]]]]]");
            let expected = end(&text);
            found += usize::from(expected.is_some_and(|i| i > 64));
            for step in [text.len(), 1 + random(100)] {
                let mut nesting = Nesting::default();
                let mut at = 0;
                let mut actual = None;
                for part in text.chunks(step) {
                    actual = nesting.end(part).map(|i| at + i);
                    if actual.is_some() {
                        break;
                    }
                    at += part.len();
                }
                assert_eq!(actual, expected, "{} by {step}", text.escape_ascii());
            }
        }
        assert!(found > 2000, "{found}");
    }
}
