//! Checks the footer of a Parquet file before the decoder reads it. Without the check, a damaged footer could exhaust
//! the stack or the memory: the decoder recurses once for each level of the schema, and allocates as many items as a
//! list claims to have.
//!
//! The footer is in the compact protocol of Thrift. The decoder does not check the type of a known field. A field of
//! another type is therefore an error here. Otherwise, the check and the decoder would read different fields from the
//! same bytes.

/// The largest depth of nested groups in a schema. A MultiPolygon in GeoArrow has seven.
const MAX_DEPTH: usize = 100;
/// The largest depth of nested values of unknown fields. The decoder has the same limit.
const MAX_UNKNOWN_DEPTH: usize = 64;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// Checks a footer.
///
/// # Errors
/// Returns the reason if the schema is too deep, or if the footer has another form than Parquet's.
pub(super) fn check(footer: &[u8]) -> Result<(), String> {
    let mut reader = Reader { bytes: footer };
    let mut last = 0;
    while let Some((id, kind)) = reader.field(last)? {
        if id <= last {
            return Err(format!("field {id} of its footer comes after field {last}"));
        }
        last = id;
        let known = [I32, LIST, I64, LIST, LIST, BINARY, LIST];
        if usize::try_from(id - 1).ok().and_then(|id| known.get(id)).is_some_and(|&known| known != kind) {
            return Err(format!("field {id} of its footer has the type {kind}"));
        }
        match id {
            2 => check_schema(&mut reader)?,
            _ => reader.skip(kind, MAX_UNKNOWN_DEPTH)?,
        }
    }
    Ok(())
}

/// Checks the elements of the schema, which are in depth-first order. Returns an error text for the first problem.
fn check_schema(reader: &mut Reader<'_>) -> Result<(), String> {
    let (kind, count) = reader.list()?;
    if count > 0 && kind != STRUCT {
        return Err("its schema is not a list of elements".into());
    }
    // The number of remaining children at each level.
    let mut left: Vec<usize> = Vec::new();
    for index in 0..count {
        let children = element(reader)?;
        let children = usize::try_from(children).ok().filter(|&children| children < count - index);
        let children = children.ok_or_else(|| "its schema says that it has more columns".to_owned())?;
        while left.last() == Some(&0) {
            left.pop();
        }
        if let Some(siblings) = left.last_mut() {
            *siblings -= 1;
        }
        if children > 0 {
            left.push(children);
        }
        if left.len() > MAX_DEPTH {
            return Err(format!("its schema has more than {MAX_DEPTH} groups inside of each other"));
        }
    }
    Ok(())
}

/// Checks an element of the schema. Returns the number of its children, or a description of the problem.
fn element(reader: &mut Reader<'_>) -> Result<i64, String> {
    const KNOWN: [u8; 10] = [I32, I32, I32, BINARY, I32, I32, I32, I32, I32, STRUCT];
    let (mut last, mut children) = (0, 0);
    while let Some((id, kind)) = reader.field(last)? {
        last = id;
        let known = usize::try_from(id).ok().and_then(|id| KNOWN.get(id.checked_sub(1)?));
        if known.is_some_and(|&known| known != kind) {
            return Err(format!("field {id} of its schema has the type {kind}"));
        }
        match id {
            5 => children = reader.zigzag()?,
            10 => logical(reader)?,
            _ => reader.skip(kind, MAX_UNKNOWN_DEPTH)?,
        }
    }
    Ok(children)
}

/// Checks the logical type of an element. Returns an error text for the first problem.
fn logical(reader: &mut Reader<'_>) -> Result<(), String> {
    let mut last = 0;
    while let Some((id, kind)) = reader.field(last)? {
        last = id;
        // The types of the fields in the logical types for decimals, times, integers, variants and geometries.
        let known: &[&[u8]] = match id {
            5 => &[&[I32], &[I32]],
            7 | 8 => &[&[TRUE, FALSE], &[STRUCT]],
            10 => &[&[BYTE], &[TRUE, FALSE]],
            16 => &[&[BYTE]],
            17 => &[&[BINARY]],
            18 => &[&[BINARY], &[I32]],
            _ => &[],
        };
        if kind != STRUCT {
            return Err(format!("a logical type of its schema has the type {kind}"));
        }
        let mut last = 0;
        while let Some((id, kind)) = reader.field(last)? {
            last = id;
            let known = usize::try_from(id).ok().and_then(|id| known.get(id.checked_sub(1)?));
            if known.is_some_and(|known| !known.contains(&kind)) {
                return Err(format!("a logical type of its schema has a field of the type {kind}"));
            }
            reader.skip(kind, MAX_UNKNOWN_DEPTH)?;
        }
    }
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let (&byte, rest) = self.bytes.split_first().ok_or("its footer ends inside of a value")?;
        self.bytes = rest;
        Ok(byte)
    }

    fn take(&mut self, count: u64) -> Result<(), String> {
        let rest = usize::try_from(count).ok().and_then(|count| self.bytes.get(count..));
        self.bytes = rest.ok_or_else(|| format!("a value of its footer has {count} bytes"))?;
        Ok(())
    }

    /// Reads a number in the variable-length format, with seven bits in each byte. Returns a description of the problem if the
    /// number is incomplete or too long.
    fn number(&mut self) -> Result<u64, String> {
        let (mut number, mut shift) = (0u64, 0u32);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
            if shift > 63 {
                return Err("a number of its footer has too many bytes".into());
            }
        }
    }

    fn zigzag(&mut self) -> Result<i64, String> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Returns the number and the type of the next field of a struct, or `None` at the end of the struct. Returns a description of
    /// the problem if the field is damaged. `last` is the number of the previous field, or 0 before the first.
    fn field(&mut self, last: i16) -> Result<Option<(i16, u8)>, String> {
        let head = self.byte()?;
        let (delta, kind) = (i16::from(head >> 4), head & 15);
        if kind == 0 {
            return Ok(None);
        }
        let id = match delta {
            0 => i16::try_from(self.zigzag()?).ok(),
            delta => last.checked_add(delta),
        };
        Ok(Some((id.ok_or("a field of its footer has no number")?, kind)))
    }

    /// Returns the type of the items of a list, and their count. Returns a description of the problem if the footer has fewer
    /// remaining bytes than items, because each item takes at least one byte.
    fn list(&mut self) -> Result<(u8, usize), String> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.number()?,
            count => u64::from(count),
        };
        match usize::try_from(count) {
            Ok(count) if count <= self.bytes.len() => Ok((head & 15, count)),
            _ => Err(format!("a list of its footer says that it has {count} items")),
        }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Result<(), String> {
        if depth == 0 {
            return Err("its footer is too deep".into());
        }
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.take(1),
            // Integers of 16, 32 and 64 bits.
            4..=I64 => self.number().map(drop),
            DOUBLE => self.take(8),
            BINARY => self.number().and_then(|count| self.take(count)),
            UUID => self.take(16),
            STRUCT => {
                while let Some((_, kind)) = self.field(0)? {
                    self.skip(kind, depth - 1)?;
                }
                Ok(())
            }
            LIST | SET => {
                let (kind, count) = self.list()?;
                if matches!(kind, TRUE | FALSE) {
                    return Err("a list of its footer has booleans, which no footer needs".into());
                }
                for _ in 0..count {
                    self.skip(kind, depth - 1)?;
                }
                Ok(())
            }
            MAP => {
                let count = self.number()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                for _ in 0..count {
                    let before = self.bytes.len();
                    self.skip(kinds >> 4, depth - 1)?;
                    self.skip(kinds & 15, depth - 1)?;
                    if self.bytes.len() == before {
                        return Err("a map of its footer has items without bytes".into());
                    }
                }
                Ok(())
            }
            kind => Err(format!("a field of its footer has the type {kind}, which does not exist")),
        }
    }
}

/// Returns a footer whose schema has `depth` nested groups and one column.
#[cfg(test)]
pub(crate) fn footer(depth: usize) -> Vec<u8> {
    let mut bytes = vec![0x15, 2, 0x19, 0xFC];
    let mut count = depth + 1;
    while count > 127 {
        bytes.push((count & 0x7F) as u8 | 0x80);
        count >>= 7;
    }
    bytes.push(count as u8);
    // The root has a name and a child. The other groups also have a repetition, which is "required".
    bytes.extend([0x48, 1, b'g', 0x15, 2, 0]);
    for _ in 1..depth {
        bytes.extend([0x35, 0, 0x18, 1, b'g', 0x15, 2, 0]);
    }
    // The column is an integer.
    bytes.extend([0x15, 2, 0x25, 0, 0x18, 1, b'c', 0]);
    // The number of rows is 0, and the list of row groups is empty.
    bytes.extend([0x16, 0, 0x19, 0x0C, 0]);
    bytes
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;

    #[test]
    fn a_schema_has_a_greatest_depth() {
        assert_eq!(check(&footer(1)), Ok(()));
        assert_eq!(check(&footer(MAX_DEPTH)), Ok(()));
        for depth in [MAX_DEPTH + 1, 1_000_000] {
            let problem = check(&footer(depth)).unwrap_err();
            assert!(problem.contains("more than 100 groups inside of each other"), "{problem}");
        }
    }

    #[test]
    fn siblings_do_not_count_as_levels() {
        // 200 groups of one column each.
        let mut bytes = vec![0x15, 2, 0x19, 0xFC, 0x91, 3, 0x48, 1, b'r', 0x15, 0x90, 3, 0];
        for _ in 0..200 {
            bytes.extend([0x35, 0, 0x18, 1, b'g', 0x15, 2, 0]);
            bytes.extend([0x15, 2, 0x25, 0, 0x18, 1, b'c', 0]);
        }
        bytes.extend([0x16, 0, 0x19, 0x0C, 0]);
        assert_eq!(check(&bytes), Ok(()));
    }

    #[test]
    fn lists_and_children_that_lie_are_refused() {
        let whole = footer(3);
        for length in 0..whole.len() {
            assert!(check(&whole[..length]).is_err(), "{length}");
        }
        for (at, new, says) in [
            (4, 100, "a list of its footer says that it has 100 items"),
            (9, 20, "more columns"),
            (9, 1, "more columns"),
            (0, 0x18, "field 1 of its footer has the type 8"),
            (5, 0x45, "field 4 of its schema has the type 5"),
        ] {
            let mut bytes = whole.clone();
            bytes[at] = new;
            let problem = check(&bytes).unwrap_err();
            assert!(problem.contains(says), "{at}: {problem}");
        }
        // A list that claims to have 2^31 - 1 row groups.
        let mut bytes = whole;
        bytes.truncate(bytes.len() - 2);
        bytes.extend([0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 7, 0]);
        let problem = check(&bytes).unwrap_err();
        assert!(problem.contains("says that it has 2147483647 items"), "{problem}");
    }
}
