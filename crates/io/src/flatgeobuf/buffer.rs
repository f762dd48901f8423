//! Reads tables of FlatBuffers. Every offset and every length is checked against the size of the buffer.

use std::ops::Range;

/// A table of FlatBuffers in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The offsets of the table's fields from the position `at`, two bytes for each field. An offset of 0 means that the table
    /// lacks the field.
    fields: &'a [u8],
}

/// The error for a table that is not completely in its buffer or has invalid contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage;

pub(super) type Checked<T> = Result<T, Damage>;

/// Returns the `N` bytes from the position `at` on as an array, or [`Damage`] if the buffer ends before them.
fn array<const N: usize>(bytes: &[u8], at: usize) -> Checked<[u8; N]> {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(Damage)
}

/// Returns the position that an offset refers to, or [`Damage`] if the position is outside the buffer. The offset itself is
/// stored at the position `at`.
fn target(bytes: &[u8], at: usize) -> Checked<usize> {
    let offset = u32::from_le_bytes(array(bytes, at)?) as usize;
    at.checked_add(offset).filter(|&target| target < bytes.len()).ok_or(Damage)
}

impl<'a> Table<'a> {
    /// Returns the table at the root of a buffer, or [`Damage`] if the table is not completely in the buffer.
    pub(super) fn root(bytes: &'a [u8]) -> Checked<Self> {
        Self::new(bytes, target(bytes, 0)?)
    }

    fn new(bytes: &'a [u8], at: usize) -> Checked<Self> {
        // A table begins with the distance back to the list of the offsets of its fields.
        let back = i64::from(i32::from_le_bytes(array(bytes, at)?));
        let list = i64::try_from(at).ok().and_then(|at| usize::try_from(at - back).ok()).ok_or(Damage)?;
        let size = usize::from(u16::from_le_bytes(array(bytes, list)?));
        let fields = bytes.get(list..).and_then(|rest| rest.get(4..size)).ok_or(Damage)?;
        Ok(Self { bytes, at, fields })
    }

    /// Returns the position in the buffer of the field with the given index, or `None` if the table lacks the field.
    fn field(&self, index: usize) -> Option<usize> {
        let offset = u16::from_le_bytes(array(self.fields, 2 * index).ok()?);
        (offset != 0).then(|| self.at + usize::from(offset))
    }

    /// Returns the field as an integer of one byte, or 0 if the table lacks the field. Returns [`Damage`] if the field is
    /// outside the buffer.
    pub(super) fn byte(&self, field: usize) -> Checked<u8> {
        self.field(field).map_or(Ok(0), |at| Ok(array::<1>(self.bytes, at)?[0]))
    }

    /// Returns the field as an integer of two bytes, or `otherwise` if the table lacks the field. Returns [`Damage`] if the
    /// field is outside the buffer.
    pub(super) fn short(&self, field: usize, otherwise: u16) -> Checked<u16> {
        self.field(field).map_or(Ok(otherwise), |at| Ok(u16::from_le_bytes(array(self.bytes, at)?)))
    }

    /// Returns the field as an integer of four bytes, or 0 if the table lacks the field. Returns [`Damage`] if the field is
    /// outside the buffer.
    pub(super) fn int(&self, field: usize) -> Checked<i32> {
        self.field(field).map_or(Ok(0), |at| Ok(i32::from_le_bytes(array(self.bytes, at)?)))
    }

    /// Returns the field as an integer of eight bytes, or 0 if the table lacks the field. Returns [`Damage`] if the field is
    /// outside the buffer.
    pub(super) fn long(&self, field: usize) -> Checked<u64> {
        self.field(field).map_or(Ok(0), |at| Ok(u64::from_le_bytes(array(self.bytes, at)?)))
    }

    /// Returns the table in the field `field`, or `None` if this table lacks the field. Returns [`Damage`] if the table in the
    /// field is not completely in the buffer.
    pub(super) fn table(&self, field: usize) -> Checked<Option<Self>> {
        self.field(field).map(|at| Self::new(self.bytes, target(self.bytes, at)?)).transpose()
    }

    /// Returns the range in the buffer of the items of a vector. The vector is in the field `field`, and each item takes `size`
    /// bytes. The range is empty if the table lacks the field. Returns [`Damage`] if the vector is not completely in the
    /// buffer.
    fn items(&self, field: usize, size: usize) -> Checked<Range<usize>> {
        let Some(at) = self.field(field) else { return Ok(0..0) };
        let at = target(self.bytes, at)?;
        let count = u32::from_le_bytes(array(self.bytes, at)?) as usize;
        let (start, length) = (at + 4, count.checked_mul(size).ok_or(Damage)?);
        let end = start.checked_add(length).filter(|&end| end <= self.bytes.len()).ok_or(Damage)?;
        Ok(start..end)
    }

    /// Returns the bytes of the vector in the field `field`, whose items take `size` bytes each. The slice is empty if the
    /// table lacks the field. Returns [`Damage`] if the vector is not completely in the buffer.
    pub(super) fn vector(&self, field: usize, size: usize) -> Checked<&'a [u8]> {
        Ok(&self.bytes[self.items(field, size)?])
    }

    /// Returns an iterator of the tables in the vector in the field `field`. The iterator returns [`Damage`] for a table that
    /// is not completely in the buffer. The method itself returns [`Damage`] if the vector is not completely in the buffer.
    pub(super) fn tables(
        &self,
        field: usize,
    ) -> Checked<impl ExactSizeIterator<Item = Checked<Self>> + use<'a>> {
        let (items, bytes) = (self.items(field, 4)?, self.bytes);
        let (start, count) = (items.start, items.len() / 4);
        Ok((0..count).map(move |index| Self::new(bytes, target(bytes, start + 4 * index)?)))
    }

    /// Returns the text in the field `field`, or an empty text if the table lacks the field. Returns [`Damage`] if the text is
    /// not UTF-8 or not completely in the buffer.
    pub(super) fn text(&self, field: usize) -> Checked<&'a str> {
        std::str::from_utf8(self.vector(field, 1)?).map_err(|_| Damage)
    }
}
