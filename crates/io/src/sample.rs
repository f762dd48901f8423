//! Rows for tests, and a reader of CSV text.

use sat2d::glam::DVec2;
use sat2d::{
    Closest, Contact, Containment, Manifold, Overlap, PairEdge, PairFeature, PairFeatures, PairSide,
    Penetration, PointRelation, Relation,
};
use sat2d_io::{Column, Id, PairRow};

pub(crate) const ALL_COLUMNS: [Column; 10] = [
    Column::Containment,
    Column::Distance,
    Column::Closest,
    Column::Penetration,
    Column::Manifold,
    Column::Area,
    Column::Iou,
    Column::AreaA,
    Column::AreaB,
    Column::Count,
];

/// Returns a list with every kind of id except dates and timestamps.
pub(crate) fn mixed_ids() -> Vec<Id> {
    let texts = ["plain", "one, two", "say \"hi\"", "two\nlines", "", "\u{1}\u{85}é"];
    let mut ids: Vec<Id> = texts.into_iter().map(|text| Id::Text(text.into())).collect();
    ids.extend([Id::Index(7), Id::Integer(-3), Id::Integer(i64::MIN), Id::Number("1.50".into())]);
    ids
}

/// Returns the row with the index `k`, which has some of the measurements. The first million rows are all different.
pub(crate) fn row(ids: &[Id], k: usize) -> PairRow<'_> {
    let (a, b) = (&ids[k % ids.len()], &ids[k / 3 % ids.len()]);
    let number = |salt: usize| ((k * 7 + salt) % 1_000_003) as f64 * 0.1 - 1e4;
    let position = |salt: usize| DVec2::new(number(salt), -number(salt + 1));
    if k % 11 == 10 {
        return PairRow::of_point(a, b, PointRelation::Boundary, position(0));
    }
    let relations = [Relation::Disjoint, Relation::Touching, Relation::Overlapping];
    let mut row = PairRow::new(a, b, relations[k % 3]);
    let features = PairFeatures { a: PairFeature::Edge(k as u32), b: PairFeature::Vertex(3) };
    let edge = PairEdge { side: PairSide::B, index: 2 };
    row.containment = [None, Some(Containment::Covers), Some(Containment::Equal)][k % 3];
    row.distance = (!k.is_multiple_of(4)).then_some(number(2).abs());
    if k % 5 > 1 {
        row.closest = Some(Closest { point_a: position(3), point_b: position(5), features });
    }
    if k % 7 > 1 {
        row.penetration = Some(Penetration { normal: DVec2::X, separation: number(7), edge: Some(edge) });
    }
    if k.is_multiple_of(2) {
        let mut manifold = Manifold::without_points(DVec2::Y, number(8), edge);
        for salt in 0..k % 3 {
            let contact = Contact { position: position(9 + salt), separation: number(11), features };
            manifold.push_within(f64::INFINITY, contact);
        }
        row.manifold = Some(manifold);
    }
    if !k.is_multiple_of(3) {
        let (area, iou) = (number(13).abs(), number(14));
        row.overlap = Some(Overlap { area, iou, area_a: number(15), area_b: number(16) });
    }
    row.count = (!k.is_multiple_of(4)).then_some(k);
    row
}

/// Parses CSV text into rows of fields. The parser shares no code with the writer, so that a mistake in one of them does not
/// hide a mistake in the other.
pub(crate) fn csv_reader(text: &str) -> impl Iterator<Item = Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    rows.into_iter().skip(1)
}
