//! Compares the decoder of the simple form with the general parser.

use proptest::prelude::*;

use super::*;
use crate::Id;
use crate::geojson::position::Place;

/// Decisions of the generator of texts. Each decision takes a random byte. After the last byte, every decision is 0,
/// which is the simplest choice.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % count
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn space(&mut self) -> &'static str {
        if self.one_in(12) { self.of(&[" ", "\n", "\r\n\t "]) } else { "" }
    }

    fn number(&mut self) -> String {
        match self.below(128) {
            0..8 => self.below(10).to_string(),
            8..16 => self.of(ODD_NUMBERS).to_owned(),
            16 => self.of(WRONG_NUMBERS).to_owned(),
            _ => {
                let whole = self.of(&["0", "1", "-7", "-122", "180", "1000000"]);
                let digits: String =
                    (0..self.below(21)).map(|_| char::from(b'0' + self.below(10) as u8)).collect();
                if digits.is_empty() { whole.to_owned() } else { format!("{whole}.{digits}") }
            }
        }
    }

    /// Returns a JSON array of `count` values, each of which `value` returns.
    fn array(&mut self, count: usize, mut value: impl FnMut(&mut Self) -> String) -> String {
        let mut text = format!("[{}", self.space());
        for i in 0..count {
            text += if i > 0 { "," } else { "" };
            text += self.space();
            text += &value(self);
            text += self.space();
        }
        text + "]"
    }

    fn position(&mut self) -> String {
        let count = if self.one_in(12) { self.below(6) } else { 2 };
        let mut index = 0;
        self.array(count, |choices| {
            index += 1;
            if index > 2 && choices.one_in(2) { choices.junk(1) } else { choices.number() }
        })
    }

    fn ring(&mut self) -> String {
        let first = self.position();
        let count = if self.one_in(12) { self.below(2) } else { 3 + self.below(4) };
        let is_closed = !self.one_in(6);
        let mut index = 0;
        self.array(count, |choices| {
            index += 1;
            if index == 1 || (index == count && is_closed) { first.clone() } else { choices.position() }
        })
    }

    fn polygon(&mut self) -> String {
        let count = if self.one_in(8) { self.below(3) } else { 1 };
        self.array(count, Self::ring)
    }

    fn coordinates(&mut self, kind: &str) -> String {
        match kind {
            "\"MultiPolygon\"" => {
                let count = self.below(4);
                self.array(count, Self::polygon)
            }
            "\"Point\"" => self.position(),
            "\"MultiPoint\"" | "\"LineString\"" => {
                let count = self.below(4);
                self.array(count, Self::position)
            }
            _ => self.polygon(),
        }
    }

    fn string(&mut self) -> &'static str {
        if self.one_in(20) {
            self.of(&[r#""\q""#, r#""\u00g9""#, "\"\n\"", r#""\ud800""#])
        } else {
            self.of(&[
                r#""""#,
                r#""name""#,
                r#""a]}""#,
                r#""é\u00e9\n\"""#,
                r#""123456789012\\""#,
                "\"\u{10ffff}12345678\u{7f}\"",
            ])
        }
    }

    /// Returns a JSON value of any kind.
    fn junk(&mut self, depth: usize) -> String {
        let count = self.below(4);
        match self.below(if depth > 3 { 4 } else { 7 }) {
            0 => self.of(&["null", "true", "false", "-0.0e5", "12", "1e999", "nul", "1e-999"]).to_owned(),
            1 => self.number(),
            2 | 3 => self.string().to_owned(),
            4 => self.array(count, |choices| choices.junk(depth + 1)),
            _ => {
                let member = |choices: &mut Self| (choices.string().to_owned(), choices.junk(depth + 1));
                let members = (0..count).map(|_| member(self)).collect();
                self.object(members)
            }
        }
    }

    /// Returns an object with the given members, in any order.
    fn object(&mut self, mut members: Vec<(String, String)>) -> String {
        let mut text = "{".to_owned();
        while !members.is_empty() {
            let next = if self.one_in(3) { self.below(members.len()) } else { 0 };
            let (name, value) = members.remove(next);
            text += self.space();
            text += &name;
            text += self.space();
            text += ":";
            text += self.space();
            text += &value;
            text += self.space();
            text += if members.is_empty() { "" } else { "," };
        }
        text + "}"
    }

    /// Adds a member that is unknown, repeated, or known but written with an escape.
    fn odd_member(&mut self, members: &mut Vec<(String, String)>) {
        let name = self.of(&[
            "\"bbox\"",
            "\"x\"",
            "\"rings\"",
            "\"id\"",
            "\"properties\"",
            "\"type\"",
            "\"geometry\"",
            "\"coordinates\"",
            "\"geometries\"",
            r#""t\u0079pe""#,
        ]);
        members.push((name.to_owned(), self.junk(1)));
    }

    fn geometry(&mut self) -> String {
        if self.one_in(16) {
            return self.of(&["null", "nul", "[]", "{}", "\"Polygon\""]).to_owned();
        }
        let kinds = ["\"Polygon\"", "\"MultiPolygon\"", "\"Point\"", "\"MultiPoint\"", "\"LineString\"", "7"];
        let count = if self.one_in(3) { kinds.len() } else { 2 };
        let kind = kinds[self.below(count)];
        let of = if self.one_in(20) { "\"Polygon\"" } else { kind };
        let mut members =
            vec![("\"type\"".into(), kind.into()), ("\"coordinates\"".into(), self.coordinates(of))];
        if self.one_in(8) {
            self.odd_member(&mut members);
        }
        self.object(members)
    }

    fn feature(&mut self) -> String {
        let mut members = vec![("\"type\"".to_owned(), "\"Feature\"".to_owned())];
        if self.one_in(20) {
            members[0].1 = self.of(&["\"Polygon\"", "null", r#""\u0046eature""#]).to_owned();
        }
        if self.one_in(2) {
            let id = if self.one_in(10) { self.junk(1) } else { self.number() };
            members.push(("\"id\"".to_owned(), if self.one_in(2) { id } else { self.string().to_owned() }));
        }
        if !self.one_in(4) {
            let mut properties = vec![("\"a\"".to_owned(), self.junk(2))];
            if self.one_in(2) {
                properties.push(("\"name\"".to_owned(), self.string().to_owned()));
            }
            let value = if self.one_in(8) { self.junk(1) } else { self.object(properties) };
            members.push(("\"properties\"".to_owned(), value));
        }
        members.push(("\"geometry\"".to_owned(), self.geometry()));
        if self.one_in(8) {
            self.odd_member(&mut members);
        }
        let after = self.space();
        self.object(members) + after
    }

    /// Changes a few bytes of a text, or leaves it unchanged.
    fn damage(&mut self, text: &mut Vec<u8>) {
        let changes = self.below(6).saturating_sub(3);
        for _ in 0..changes {
            let at = (self.below(256) * 256 + self.below(256)) % (text.len() + 1);
            let letters = b"{}[]:,\"\\ 019-+.eEnt\n\x01\x0b\x1e\xff\xe9";
            let letter = letters[self.below(letters.len())];
            match self.below(4) {
                0 => text.truncate(at),
                1 => text.insert(at, letter),
                2 if at < text.len() => text[at] = letter,
                _ if at < text.len() => drop(text.remove(at)),
                _ => {}
            }
        }
    }
}

/// Unusual numbers that are valid in JSON and in the range of f64.
const ODD_NUMBERS: &[&str] = &[
    "-0",
    "-0.0",
    "0e400",
    "-0.000e-999",
    "1e3",
    "1E-2",
    "-1.5e+10",
    "5e-324",
    "1.7976931348623157e308",
    "9007199254740993",
    "9007199254740993.0",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890.5",
    "0.00000000000000000000000000001",
    "8.5714285714285712",
];

/// Texts that are not JSON numbers, or that are outside the range of f64.
const WRONG_NUMBERS: &[&str] = &[
    "1e400",
    "-1e400",
    "1e-400",
    "-2e-324",
    "01",
    "-01",
    "+1",
    ".5",
    "-.5",
    "1.",
    "1.e3",
    "1e",
    "1e+",
    "-",
    "--1",
    "NaN",
    "-Infinity",
    "null",
    "\"1\"",
    "0x10",
    "1_0",
    "[1]",
];

/// The result of decoding a feature: the two names, the counts, the number of points, and the text of the chunk with
/// the bits of all numbers.
type Outcome = (Option<Id>, Option<Id>, ReadCounts, Option<usize>, String);

fn outcome(decoded: Decoded, chunk: &Chunk, points: &[DVec2]) -> Outcome {
    let Decoded { name: Name { id, own }, counts, points: count, .. } = decoded;
    let bits: Vec<[u64; 2]> = chunk.coordinates.iter().map(|v| v.map(f64::to_bits)).collect();
    let of_points: Vec<[u64; 2]> = points.iter().map(|v| v.to_array().map(f64::to_bits)).collect();
    (id, own, counts, count.ok(), format!("{chunk:?} {bits:?} {of_points:?}"))
}

const NAMINGS: [Naming<'_>; 3] = [
    Naming { property: None, keeps_ids: false },
    Naming { property: Some("name"), keeps_ids: false },
    Naming { property: Some("name"), keeps_ids: true },
];

/// Decodes a text with the decoder of the simple form and with the general parser, and asserts that the results are
/// equal. Returns the result of the decoder of the simple form, or `None` if it left the text to the general parser.
#[track_caller]
fn decoded(text: &[u8], naming: Naming<'_>, accepts_points: bool) -> Option<Outcome> {
    let element =
        Element { range: 0..text.len(), origin: Place::START.into(), in_collection: true, flaw: None };
    let start = || {
        let mut chunk = Chunk::default();
        chunk.coordinates.extend([[1.0, 2.0], [3.0, 4.0]]);
        chunk.end_ring();
        chunk.end_polygon();
        chunk.end_feature();
        (chunk, vec![DVec2::X])
    };
    let shown = text.escape_ascii();

    let (mut chunk, mut points) = start();
    let slow = general(text, &element, naming, accepts_points, &mut chunk, &mut points);
    assert_eq!(chunk.feature_count(), 1 + usize::from(slow.is_ok()), "{shown}");
    let slow = slow.ok().map(|slow| (slow.points.is_ok(), outcome(slow, &chunk, &points)));

    let (mut chunk, mut points) = start();
    let quick = feature(text, naming, accepts_points, &mut chunk, &mut points);
    let quick = quick.map(|quick| outcome(quick, &chunk, &points));
    if let Some(quick) = &quick {
        let (is_right, slow) = slow.as_ref().unwrap_or_else(|| panic!("accepted: {shown}"));
        assert!(is_right, "accepted: {shown}");
        assert_eq!(quick, slow, "{shown}");
    }

    let (mut chunk, mut points) = start();
    let either = decode(text, &element, naming, accepts_points, &mut chunk, &mut points);
    let either = either.ok().map(|either| outcome(either, &chunk, &points));
    assert_eq!(either, slow.map(|(_, slow)| slow), "{shown}");
    quick
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_simple_form_is_what_the_parser_reads(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let mut choices = Choices(bytes.iter());
        let accepts_points = choices.one_in(2);
        let naming = NAMINGS[choices.below(3)];
        let mut text = choices.feature().into_bytes();
        decoded(&text, naming, accepts_points);
        choices.damage(&mut text);
        decoded(&text, naming, accepts_points);
    }
}

/// Tests that the generator makes features of both forms, and invalid features.
#[test]
fn generated_features_are_of_all_forms() {
    let mut state = 3u64;
    let (mut quick, mut right) = (0, 0);
    const CASES: usize = 500;
    for case in 0..CASES {
        let bytes: Vec<u8> = (0..500)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        let text = Choices(bytes.iter()).feature();
        quick += usize::from(decoded(text.as_bytes(), NAMINGS[case % 3], true).is_some());
        right += usize::from(parse::parse(text.as_bytes(), true, NAMINGS[case % 3]).is_ok());
    }
    assert!(quick > CASES / 4, "{quick}");
    assert!(right > quick + CASES / 20 && right < CASES * 9 / 10, "{quick} {right}");
}

/// Returns a feature whose geometry is the JSON text `geometry`.
fn with_geometry(geometry: &str) -> String {
    format!(r#"{{"type":"Feature","geometry":{geometry}}}"#)
}

#[test]
fn common_features_have_the_simple_form() {
    let shell = "[[0,0],[1.5,0],[1,-1e0],[0,0]]";
    let of = |kind: &str, coordinates: &str| {
        with_geometry(&format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#))
    };
    let reversed =
        |kind: &str, coordinates: &str| format!(r#"{{"coordinates":{coordinates},"type":"{kind}"}}"#);
    let polygon = format!("[{shell}]");
    for text in [
        of("Polygon", &polygon),
        of("Polygon", "[[[12.345678,45.678901234567],[12.5,45.67890123456789],[13,46]]]"),
        of("Polygon", "[]"),
        of("Polygon", "[[]]"),
        of("MultiPolygon", &format!("[{polygon},[],[{shell},{shell}]]")),
        of("MultiPolygon", "[]"),
        of("Point", "[1,2]"),
        of("MultiPoint", "[[1,2],[-0.0,3,null]]"),
        with_geometry("null"),
        with_geometry(&reversed("Polygon", &polygon)),
        with_geometry(&reversed("MultiPolygon", &format!("[{polygon}]"))),
        with_geometry(&reversed("Point", "[1,2]")),
        with_geometry(&reversed("MultiPoint", "[[1,2]]")),
        format!(
            "{{ \"geometry\" : {} ,\r\n\"properties\":{{\"name\":\"\u{e9}\\n\",\"b\":[1e999,{{}},[],true]}},\"bbox\":[0,0,1,1],\"id\":\"a\u{e9}\",\"type\":\"Feature\"}} ",
            reversed("Polygon", &polygon)
        ),
        r#"{"type":"Feature","id":-1.5e3,"properties":null,"x":"\ud800","geometry":null}"#.to_owned(),
        r#"{"type":"Feature","id":"\ud83d\ude00","properties":{"name":7},"geometry":null}"#.to_owned(),
    ] {
        for naming in NAMINGS {
            assert!(decoded(text.as_bytes(), naming, true).is_some(), "{text}");
        }
    }
    assert!(decoded(of("Point", "[1,2]").as_bytes(), NAMINGS[0], false).is_none());
}

#[test]
fn irregularities_are_counted() {
    let counts = |geometry: &str| {
        let text = with_geometry(geometry);
        let (.., counts, points, _) = decoded(text.as_bytes(), NAMINGS[1], true).expect("the simple form");
        assert_eq!((counts.features, counts.ids_missing), (1, 1));
        let ReadCounts { null_geometries, empty_geometries, empty_polygons, third_ordinates_ignored, .. } =
            counts;
        let of_geometry = [null_geometries, empty_geometries, empty_polygons];
        (of_geometry, third_ordinates_ignored, counts.rings_closed, points)
    };
    let polygon = |rings: &str| counts(&format!(r#"{{"type":"Polygon","coordinates":{rings}}}"#));
    let multi = |polygons: &str| counts(&format!(r#"{{"type":"MultiPolygon","coordinates":{polygons}}}"#));
    let points = |points: &str| counts(&format!(r#"{{"type":"MultiPoint","coordinates":{points}}}"#));
    assert_eq!(counts("null"), ([1, 0, 0], 0, 0, Some(0)));
    assert_eq!(polygon("[]"), ([0, 1, 0], 0, 0, Some(0)));
    assert_eq!(polygon("[[],[]]"), ([0, 1, 0], 0, 0, Some(0)));
    assert_eq!(polygon("[[[0,0],[1,0],[0,1],[0,0]],[]]"), ([0, 0, 0], 0, 0, Some(0)));
    assert_eq!(polygon("[[[0,0,1],[1,0],[0,1,2,3]],[[5,5]],[[0,0],[1,1]]]"), ([0, 0, 0], 2, 2, Some(0)));
    assert_eq!(polygon("[[[0,-0.0],[1,0],[0,1],[-0.0,0]]]"), ([0, 0, 0], 0, 0, Some(0)));
    assert_eq!(multi("[]"), ([0, 1, 0], 0, 0, Some(0)));
    assert_eq!(multi("[[],[[]]]"), ([0, 1, 0], 0, 0, Some(0)));
    assert_eq!(multi("[[],[[[0,0],[1,0],[0,1]]],[[],[]],[[],[[1,1]]]]"), ([0, 0, 2], 0, 1, Some(0)));
    assert_eq!(points("[[1,2],[3,4,5]]"), ([0, 0, 0], 1, 0, Some(2)));
}

/// Tests that unusual features go to the general parser, whether they are valid or not.
#[test]
fn odd_features_do_not_have_the_simple_form() {
    let polygon = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1]]]}"#;
    let texts = [
        "{}".to_owned(),
        polygon.to_owned(),
        with_geometry("[]"),
        with_geometry(r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#),
        with_geometry(r#"{"type":"Point","coordinates":[]}"#),
        with_geometry(r#"{"type":"MultiPoint","coordinates":[]}"#),
        with_geometry(r#"{"type":"Point","coordinates":[1e300,0]}"#),
        with_geometry(r#"{"type":"Polygon","type":"Polygon","coordinates":[]}"#),
        with_geometry(r#"{"coordinates":[[[0,0]]],"type":"MultiPolygon"}"#),
        with_geometry(r#"{"t\u0079pe":"Polygon","coordinates":[[[0,0]]]}"#),
        format!(r#"{{"type":"Feature","geometry":{polygon},"geometry":null}}"#),
        format!(r#"{{"type":"Feature","geometry":{polygon},}}"#),
        format!(r#"{{"type":"Feature","geometry":{polygon}}}x"#),
        format!(r#"{{"type":"Feature","properties":{{"a":01}},"geometry":{polygon}}}"#),
        format!(
            r#"{{"type":"Feature","properties":{},"geometry":{polygon}}}"#,
            "[".repeat(70) + &"]".repeat(70)
        ),
        format!(r#"{{"type":"Feature","coordinates":[],"coordinates":[],"geometry":{polygon}}}"#),
        r#"{"geometry":null,"type":"Feature\}"#.to_owned(),
        format!(r#"{{"type":"Feature","id":[1],"geometry":{polygon}}}"#),
        format!(r#"{{"type":"Feature","id":"\ud800","geometry":{polygon}}}"#),
    ];
    for text in texts {
        assert!(decoded(text.as_bytes(), NAMINGS[0], true).is_none(), "{text}");
    }
    let latin = b"{\"type\":\"Feature\",\"properties\":{\"a\":\"\xe9\"},\"geometry\":null}";
    assert!(decoded(latin, NAMINGS[0], true).is_none());
    for control in 0..0x20_u8 {
        let text = format!(r#"{{"type":"Feature","a":"{}","geometry":null}}"#, char::from(control));
        assert!(decoded(text.as_bytes(), NAMINGS[0], true).is_none(), "{control}");
    }
    for number in WRONG_NUMBERS {
        let text = with_geometry(&format!(r#"{{"type":"Polygon","coordinates":[[[0,0],[{number},1]]]}}"#));
        assert!(decoded(text.as_bytes(), NAMINGS[0], true).is_none(), "{text}");
    }
}
