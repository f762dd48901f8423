//! Tests with features that are built byte by byte.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::Path;

use super::*;
use crate::Features;

/// A field of a table that a test writes to a buffer.
#[derive(Clone)]
enum Field {
    Missing,
    Byte(u8),
    /// A vector, given by the size of an item in bytes, and the bytes of all items.
    Vector(usize, Vec<u8>),
    /// A table that is already in the buffer, at this position.
    At(usize),
    /// A vector of tables that are already in the buffer, at these positions.
    Tables(Vec<usize>),
}

/// A buffer that is written from its end to its start, as FlatBuffers writers do. A position is the distance from the
/// end of the buffer.
#[derive(Default)]
struct Buffer(Vec<u8>);

impl Buffer {
    fn push(&mut self, bytes: &[u8]) -> usize {
        self.0.splice(0..0, bytes.iter().copied());
        self.0.len()
    }

    /// Writes an offset that refers to the position `to`.
    fn offset(&mut self, to: usize) -> usize {
        let at = self.0.len() + 4;
        self.push(&((at - to) as u32).to_le_bytes())
    }

    fn table(&mut self, fields: Vec<Field>) -> usize {
        let places: Vec<Option<usize>> = fields
            .into_iter()
            .map(|field| match field {
                Field::Missing => None,
                Field::Byte(byte) => Some(self.push(&[byte])),
                Field::At(place) => Some(self.offset(place)),
                Field::Vector(size, bytes) => {
                    self.push(&bytes);
                    let place = self.push(&((bytes.len() / size) as u32).to_le_bytes());
                    Some(self.offset(place))
                }
                Field::Tables(places) => {
                    for place in places.iter().rev() {
                        self.offset(*place);
                    }
                    let place = self.push(&(places.len() as u32).to_le_bytes());
                    Some(self.offset(place))
                }
            })
            .collect();
        let at = self.push(&[0; 4]);
        let offsets: Vec<u8> = places
            .iter()
            .flat_map(|place| (place.map_or(0, |place| at - place) as u16).to_le_bytes())
            .collect();
        let size = 4 + offsets.len();
        self.0[..4].copy_from_slice(&(size as i32).to_le_bytes());
        self.push(&offsets);
        self.push(&[size as u8, 0, 4, 0]);
        at
    }

    /// Returns a file of `count` equal features. The header has no columns.
    fn features(self, kind: u8, geometry: usize, count: usize) -> Vec<u8> {
        self.features_with(kind, geometry, count, &[], Vec::new())
    }

    /// Returns a file of `count` equal features with the same `properties`. The header has columns with these names and types.
    fn features_with(
        mut self,
        kind: u8,
        geometry: usize,
        count: usize,
        columns: &[(&str, u8)],
        properties: Vec<u8>,
    ) -> Vec<u8> {
        let feature = self.table(vec![Field::At(geometry), Field::Vector(1, properties)]);
        self.offset(feature);
        let mut header = Self::default();
        let of_column = |&(name, kind): &(&str, u8)| {
            header.table(vec![Field::Vector(1, name.as_bytes().to_vec()), Field::Byte(kind)])
        };
        let columns = Field::Tables(columns.iter().map(of_column).collect());
        let index = Field::Vector(1, Vec::new());
        let missing = vec![Field::Missing; 4];
        let fields = [vec![index, Field::Missing, Field::Byte(kind)], missing, vec![columns]].concat();
        let root = header.table(fields);
        header.offset(root);
        let mut file = [MAGIC.as_slice(), &[0], &(header.0.len() as u32).to_le_bytes(), &header.0].concat();
        for _ in 0..count {
            file.extend((self.0.len() as u32).to_le_bytes());
            file.extend(&self.0);
        }
        file
    }
}

fn numbers(numbers: &[f64]) -> Field {
    Field::Vector(8, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

fn ends(ends: &[u32]) -> Field {
    Field::Vector(4, ends.iter().flat_map(|end| end.to_le_bytes()).collect())
}

/// A triangle of four positions, and a second triangle inside it.
const RINGS: [f64; 16] = [0.0, 0.0, 9.0, 0.0, 0.0, 9.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 1.0];

fn read_all(file: &[u8]) -> Result<Features> {
    let path = Path::new("in.fgb");
    let options = |skip_invalid| ReadOptions { points: true, skip_invalid, ..ReadOptions::default() };
    let strict = read(file, path, &options(false)).and_then(Collector::finish);
    let lenient = read(file, path, &options(true)).and_then(Collector::finish);
    assert_eq!(strict.is_err(), lenient.map_or(true, |features| !features.left_out.is_empty()));
    strict
}

fn polygon(fields: Vec<Field>) -> Result<Features> {
    let mut buffer = Buffer::default();
    let geometry = buffer.table(fields);
    read_all(&buffer.features(3, geometry, 2))
}

#[test]
fn a_polygon_has_the_rings_that_end_where_it_says() {
    let features = polygon(vec![ends(&[4, 8]), numbers(&RINGS)]).unwrap();
    assert_eq!((features.contents.rings, features.counts.features), (4, 2));
    let features = polygon(vec![Field::Missing, numbers(&RINGS[..8])]).unwrap();
    assert_eq!((features.contents.rings, features.set.piece_count()), (2, 2));
    assert_eq!(polygon(vec![]).unwrap().counts.empty_geometries, 2);
    for (given, says) in [
        (vec![ends(&[5, 4]), numbers(&RINGS)], "a ring ends at 4, outside of 5 to 8"),
        (vec![ends(&[4, 9]), numbers(&RINGS)], "a ring ends at 9, outside of 4 to 8"),
        (vec![ends(&[4]), numbers(&RINGS)], "its rings end at 4, but it has 8 positions"),
        (vec![ends(&[4]), numbers(&RINGS[..9])], "the last of its positions has no y"),
    ] {
        let error = polygon(given).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("feature 0"), "{error}");
    }
}

#[test]
fn parts_that_share_bytes_are_refused_before_they_are_copied() {
    let mut buffer = Buffer::default();
    let many: Vec<f64> = RINGS.iter().copied().cycle().take(1 << 16).collect();
    let part = buffer.table(vec![Field::Missing, numbers(&many)]);
    let mut fields = vec![Field::Missing; 7];
    fields.push(Field::Tables(vec![part; 10_000]));
    let geometry = buffer.table(fields);
    let error = read_all(&buffer.features(6, geometry, 1)).unwrap_err().to_string();
    assert!(error.contains("several of its parts have the same bytes"), "{error}");
    // Nested collections. Each collection contains its child several times.
    let mut buffer = Buffer::default();
    let mut fields = vec![Field::Missing; 6];
    fields.push(Field::Byte(3));
    let mut place = buffer.table(fields);
    for _ in 0..8 {
        let mut fields = vec![Field::Missing; 6];
        fields.extend([Field::Byte(7), Field::Tables(vec![place; 60])]);
        place = buffer.table(fields);
    }
    let error = read_all(&buffer.features(7, place, 1)).unwrap_err().to_string();
    assert!(error.contains("several of its parts have the same bytes"), "{error}");
}

#[test]
fn a_collection_of_one_polygon_is_this_polygon() {
    let mut buffer = Buffer::default();
    let mut fields = vec![Field::Missing, numbers(&RINGS[..8])];
    fields.extend(vec![Field::Missing; 4]);
    fields.push(Field::Byte(3));
    let part = buffer.table(fields);
    let mut fields = vec![Field::Missing; 6];
    fields.extend([Field::Byte(7), Field::Tables(vec![part])]);
    let collection = buffer.table(fields);
    let features = read_all(&buffer.features(0, collection, 1)).unwrap();
    assert_eq!(features.set.piece_count(), 1);
}

#[test]
fn every_type_of_column_is_skipped_or_is_a_name() {
    let columns = [("is_new", 2), ("data", 12), ("day", 13), ("bytes", 14), ("next", 99), ("name", 11)];
    let text = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let values =
        [vec![1], text("{\"a\": [1]}"), text("2026-01-31T12:30:00Z"), text("\0\u{ff}"), vec![], text("last")];
    let file = |values: &[Vec<u8>]| {
        let mut buffer = Buffer::default();
        let geometry = buffer.table(vec![Field::Missing, numbers(&RINGS[..8])]);
        let with_value = |(_, value): &(usize, &Vec<u8>)| !value.is_empty();
        let properties = values.iter().enumerate().filter(with_value);
        let properties =
            properties.flat_map(|(index, value)| [&(index as u16).to_le_bytes(), &value[..]].concat());
        let properties = properties.collect();
        buffer.features_with(3, geometry, 1, &columns, properties)
    };
    let named = |file: &[u8], column: &str| {
        let options = ReadOptions::default().id_property(column.to_owned());
        let features = read(file, Path::new("in.fgb"), &options).and_then(Collector::finish);
        features.map(|features| features.ids.of(0).to_id())
    };
    let whole = file(&values);
    assert_eq!(read_all(&whole).unwrap().ids, [Id::Index(0)]);
    for (column, name) in
        [("is_new", "true"), ("data", "{\"a\": [1]}"), ("day", "2026-01-31T12:30:00Z"), ("name", "last")]
    {
        assert_eq!(named(&whole, column).unwrap(), Id::Text(name.into()), "{column}");
    }
    assert_eq!(named(&file(&[vec![0]]), "is_new").unwrap(), Id::Text("false".into()));
    for (column, kind) in [("bytes", "Binary"), ("next", "99, which does not exist")] {
        let error = named(&whole, column).unwrap_err().to_string();
        let says = format!(
            "in.fgb: column {column}: its type is {kind}; a name is text, a number, a boolean or a date"
        );
        assert!(error.starts_with(&says) && error.ends_with("name another column"), "{error}");
    }
    // The size of a value of an unknown type is unknown, so the values after it cannot be found.
    let unknown = file(&[vec![1], vec![], vec![], vec![], vec![7], text("last")]);
    let error = named(&unknown, "name").unwrap_err().to_string();
    assert!(error.contains("a property of the feature is damaged"), "{error}");
}

#[test]
fn a_file_without_features_and_one_without_an_end() {
    let mut buffer = Buffer::default();
    let geometry = buffer.table(vec![Field::Missing, numbers(&RINGS[..8])]);
    let file = buffer.features(3, geometry, 1);
    assert_eq!(read_all(&file).unwrap().counts.features, 1);
    let size = u32::from_le_bytes(*file[8..].first_chunk().unwrap()) as usize;
    assert_eq!(read_all(&file[..12 + size]).unwrap().counts.features, 0);
    for length in (0..12 + size).chain(13 + size..file.len()) {
        let error = read_all(&file[..length]).unwrap_err().to_string();
        assert!(error.starts_with("in.fgb: not valid FlatGeobuf: "), "{length}: {error}");
    }
}
