//! Tests of the decoder of well-known binary.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use super::*;
use crate::ReadCounts;
use crate::chunk::Chunk;

/// A variant of well-known binary to write.
#[derive(Clone, Copy)]
struct Form {
    is_little: bool,
    /// The number that this variant adds to the code of a geometry type.
    code: u32,
    srid: bool,
    dimensions: usize,
}

impl Form {
    const PLAIN: Self = Self { is_little: true, code: 0, srid: false, dimensions: 2 };

    fn all() -> Vec<Self> {
        let mut forms = Vec::new();
        for is_little in [true, false] {
            for (code, dimensions) in
                [(0, 2), (1000, 3), (2000, 3), (3000, 4), (1 << 31, 3), (1 << 30, 3), (3 << 30, 4)]
            {
                forms.push(Self { is_little, code, srid: false, dimensions });
                if !(1000..4000).contains(&code) {
                    forms.push(Self { is_little, code: code | 1 << 29, srid: true, dimensions });
                }
            }
        }
        forms
    }

    fn number(self, number: u32) -> Vec<u8> {
        if self.is_little { number.to_le_bytes() } else { number.to_be_bytes() }.to_vec()
    }

    fn header(self, kind: u32) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.is_little)];
        bytes.extend(self.number(kind + self.code));
        if self.srid {
            bytes.extend(self.number(2056));
        }
        bytes
    }

    fn position(self, [x, y]: [f64; 2]) -> Vec<u8> {
        let numbers = [x, y, 7.5, -1.0];
        let bytes = |n: &f64| if self.is_little { n.to_le_bytes() } else { n.to_be_bytes() };
        numbers[..self.dimensions].iter().flat_map(bytes).collect()
    }

    fn point(self, point: [f64; 2]) -> Vec<u8> {
        [self.header(1), self.position(point)].concat()
    }

    fn polygon(self, rings: &[&[[f64; 2]]]) -> Vec<u8> {
        let ring = |ring: &&[[f64; 2]]| {
            let positions = ring.iter().flat_map(|&p| self.position(p));
            self.number(ring.len() as u32).into_iter().chain(positions).collect::<Vec<u8>>()
        };
        let rings_bytes = rings.iter().flat_map(ring).collect();
        [self.header(3), self.number(rings.len() as u32), rings_bytes].concat()
    }

    fn several(self, kind: u32, members: &[Vec<u8>]) -> Vec<u8> {
        [self.header(kind), self.number(members.len() as u32), members.concat()].concat()
    }
}

const SQUARE: &[[f64; 2]] = &[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0]];
const HOLE: &[[f64; 2]] = &[[1.0, 1.0], [1.0, 2.0], [2.0, 2.0]];

type Decoded = (Vec<Vec<Vec<[f64; 2]>>>, Vec<DVec2>, ReadCounts);

fn decoded(bytes: &[u8], accepts_points: bool) -> Result<Decoded> {
    let (mut chunk, mut points, mut counts) = (Chunk::default(), Vec::new(), ReadCounts::default());
    let region =
        Region { chunk: &mut chunk, points: &mut points, first_point: 0, counts: &mut counts, srid: &mut 0 };
    decode(bytes, accepts_points, region)?;
    chunk.end_feature();
    Ok((chunk.rings_of(0), points, counts))
}

fn problem(bytes: &[u8]) -> String {
    decoded(bytes, false).unwrap_err().to_string()
}

#[test]
fn every_form_gives_the_same_polygons() {
    for form in Form::all() {
        let third = if form.dimensions > 2 { 8 } else { 0 };
        let polygon = form.polygon(&[SQUARE, HOLE]);
        let (polygons, _, counts) = decoded(&polygon, true).unwrap();
        assert_eq!(polygons, [[SQUARE, HOLE]]);
        assert_eq!((counts.rings_closed, counts.third_ordinates_ignored), (1, third));
        let members = [form.polygon(&[]), polygon.clone(), form.polygon(&[&[]])];
        let (polygons, _, counts) = decoded(&form.several(6, &members), false).unwrap();
        assert_eq!(polygons, [vec![], vec![SQUARE, HOLE], vec![&[]]]);
        assert_eq!((counts.empty_polygons, counts.empty_geometries), (2, 0));
        let points = [form.point([1.0, 2.0]), form.point([f64::NAN; 2]), form.point([3.0, 4.0])];
        let (_, found, counts) = decoded(&form.several(4, &points), true).unwrap();
        assert_eq!(found, [DVec2::new(1.0, 2.0), DVec2::new(3.0, 4.0)]);
        assert_eq!((counts.empty_geometries, counts.third_ordinates_ignored), (0, third / 4));
    }
}

#[test]
fn every_form_gives_the_same_point_and_the_usual_form_is_decoded_alone() {
    for form in Form::all() {
        let point = form.point([1.0, -2.5]);
        let is_usual = form.is_little && !form.srid && form.dimensions == 2;
        assert_eq!(usual_point(&point).is_some(), is_usual, "{point:?}");
        let (_, points, counts) = decoded(&point, true).unwrap();
        assert_eq!(points, [DVec2::new(1.0, -2.5)]);
        let third_ordinates_ignored = usize::from(form.dimensions > 2);
        assert_eq!(counts, ReadCounts { third_ordinates_ignored, ..ReadCounts::default() });
        let (_, points, counts) = decoded(&form.point([f64::NAN; 2]), true).unwrap();
        assert_eq!((points.len(), counts.empty_geometries), (0, 1));
        for position in [[f64::NAN, 1.0], [1.0, f64::INFINITY]] {
            let error = decoded(&form.point(position), true).unwrap_err();
            assert!(matches!(error, Error::Library(_)), "{error}");
        }
        for (end, problem) in [(point.len() - 1, "it ends after"), (point.len() + 1, "1 bytes follow")] {
            let mut bytes = point.clone();
            bytes.resize(end, 0);
            let error = decoded(&bytes, true).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}

#[test]
fn a_collection_of_one_geometry_is_this_geometry() {
    let form = Form::PLAIN;
    let (square, none) = (form.polygon(&[SQUARE]), form.polygon(&[]));
    let line = form.several(2, &[]);
    let collection = form.several(7, &[line.clone(), none, form.several(7, std::slice::from_ref(&square))]);
    let (polygons, _, counts) = decoded(&collection, false).unwrap();
    assert_eq!(polygons.concat(), [SQUARE]);
    assert_eq!((counts.empty_geometries, counts.empty_polygons), (0, 1));
    for members in [vec![square.clone(), square.clone()], vec![form.several(7, &[square.clone(), square])]] {
        let error = problem(&form.several(7, &members));
        assert!(error.contains("GeometryCollection"), "{error}");
    }
    assert_eq!(decoded(&form.several(7, &[line]), false).unwrap().2.empty_geometries, 1);
    let deep = (0..MAX_DEPTH + 2).fold(form.several(7, &[]), |inner, _| form.several(7, &[inner]));
    assert!(problem(&deep).contains("GeometryCollection"));
}

#[test]
fn empty_geometries_are_counted_and_others_are_refused_by_name() {
    let form = Form::PLAIN;
    let empty = [
        form.polygon(&[]),
        form.polygon(&[&[]]),
        form.several(6, &[]),
        form.several(4, &[]),
        form.several(5, &[]),
        form.point([f64::NAN; 2]),
    ];
    for bytes in &empty {
        for accepts_points in [false, true] {
            let (_, points, counts) = decoded(bytes, accepts_points).unwrap();
            assert_eq!((points.len(), counts.empty_geometries), (0, 1), "{bytes:?}");
        }
    }
    let point = form.point([1.0, 2.0]);
    for (bytes, name) in [
        (point.clone(), "Point"),
        (form.several(4, &[point]), "MultiPoint"),
        ([form.header(2), form.number(1), form.position([0.0; 2])].concat(), "LineString"),
        ([form.header(8), form.number(9)].concat(), "CircularString"),
        (form.several(16, &[form.polygon(&[SQUARE])]), "TIN"),
        ([form.header(17), form.number(0)].concat(), "Triangle"),
        (form.header(99), "WKB type 99"),
    ] {
        let error = decoded(&bytes, false).unwrap_err();
        let Error::UnsupportedGeometry { kind } = &error else { panic!("{error}") };
        assert_eq!(kind, name);
    }
}

#[test]
fn bytes_that_lie_are_refused_and_take_no_memory() {
    let form = Form::PLAIN;
    let square = form.polygon(&[SQUARE]);
    for end in 0..square.len() {
        let error = problem(&square[..end]);
        assert!(error.starts_with("WKB: "), "{end}: {error}");
    }
    let with = |bytes: &[u8]| [bytes, &[0]].concat();
    assert!(problem(&with(&square)).contains("1 bytes follow the geometry"));
    let rings = [form.header(3), form.number(u32::MAX), form.number(0)].concat();
    assert!(problem(&rings).contains("says 4294967295 rings, but the rest has room for 1"));
    let positions = [form.header(3), form.number(1), form.number(1 << 31), vec![0; 32]].concat();
    assert!(problem(&positions).contains("says 2147483648 positions, but the rest has room for 2"));
    for kind in [4, 6, 7] {
        let several = [form.header(kind), form.number(u32::MAX), vec![0; 100]].concat();
        assert!(decoded(&several, true).unwrap_err().to_string().contains("says 4294967295"));
    }
    assert!(problem(&[2, 3, 0, 0, 0]).contains("the byte order at byte 0 is 2"));
    assert!(problem(&[form.header(4003), form.number(0)].concat()).contains("the type at byte 1 is 4003"));
    assert!(problem(&form.several(6, &[form.point([0.0; 2])])).contains("of a MultiPolygon is a Point"));
    let infinite = form.point([f64::INFINITY, 0.0]);
    assert!(matches!(decoded(&infinite, true), Err(Error::Library(_))));
}

#[test]
fn hexadecimal_digits_of_either_case_are_bytes() {
    assert_eq!(from_hex("01fFa0").unwrap(), [1, 255, 160]);
    assert_eq!(from_hex("\\x01").unwrap(), [1]);
    assert!(from_hex("012").unwrap_err().to_string().contains("an odd number"));
    assert!(from_hex("01é1").unwrap_err().to_string().contains("character 2"));
}

/// Tests cases that other tools wrote. The file also has the expected positions.
#[test]
fn cases_of_the_corpus_have_their_positions_or_are_errors() {
    let cases = include_str!("../../tests/data/wkb-cases.txt");
    let mut counts = [0, 0];
    for line in cases.lines().filter(|line| !line.starts_with('#')) {
        let [digits, expected, what] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let found = from_hex(digits).and_then(|bytes| {
            let (mut chunk, mut points, mut counts) = (Chunk::default(), Vec::new(), ReadCounts::default());
            let region = Region {
                chunk: &mut chunk,
                points: &mut points,
                first_point: 0,
                counts: &mut counts,
                srid: &mut 0,
            };
            decode(&bytes, true, region)?;
            Ok(chunk
                .coordinates
                .iter()
                .flatten()
                .copied()
                .chain(points.iter().flat_map(|p| p.to_array()))
                .collect())
        });
        let found: Result<Vec<f64>> = found;
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e');
        let numbers = expected.split(|c| !is_number(c)).filter_map(|text| text.parse::<f64>().ok());
        match (found, expected) {
            (Err(_), "error") => counts[0] += 1,
            // The set rejects such numbers later.
            (Ok(_), "error") if what.contains("readable, but no polygon") => {}
            (Ok(_), "error") => panic!("{what}: was accepted"),
            // The library rejects numbers of this size: for polygons when it builds a set, and for points immediately.
            (Err(Error::Library(_)), expected) if expected.contains("1e+300") => {}
            (Err(error), _) => panic!("{what}: {error}"),
            (Ok(found), _) => {
                counts[1] += 1;
                let bits = |numbers: Vec<f64>| numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                assert_eq!(bits(found), bits(numbers.collect()), "{what}");
            }
        }
    }
    assert!(counts[0] > 60 && counts[1] > 60, "{counts:?}");
}
