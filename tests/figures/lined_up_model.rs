//! Shows that the checks of contacts are not too strict: contacts that are computed with integers alone pass them.

use num_bigint::{BigInt, Sign};
use sat2d::glam::DVec2;
use sat2d::{Contact, PairEdge, PairFeature, PairFeatures, PairSide, Relation};

use super::lined_up::{Tally, count_of_pairs, for_each_block, margins};
use super::lined_up_checks::{self as checks, Contacts, Truth};
use super::rational::{
    BITS, Exact, Point, between, cross, dot, edges, gaps, minus, nearest_on_segment, outward, over_root,
    scaled,
};

/// Converts a fixed-point unit vector to f64.
fn to_vector(fixed: &Point) -> DVec2 {
    let number = |x: &BigInt| {
        // 62 bits are more than an f64 holds.
        let drop = x.bits().saturating_sub(62);
        i64::try_from(x >> drop).unwrap() as f64 * 2f64.powi(drop as i32 - BITS as i32)
    };
    DVec2::new(number(&fixed[0]), number(&fixed[1]))
}

fn to_world(exact: &Exact, place: &Point) -> DVec2 {
    DVec2::new(exact.to_f64(&place[0]), exact.to_f64(&place[1]))
}

/// Returns the indices of the nearest vertices of two separate polygons. Returns `None` if one of the nearest points is
/// not a vertex, or if the vector between them is along the normal.
fn nearest_vertices(exact: &Exact, normal: &Point) -> Option<(usize, usize)> {
    let middles = exact.middles();
    let (first, square) = (middles.first()?, exact.square());
    for (i, v) in exact.a.iter().enumerate() {
        for (j, w) in exact.b.iter().enumerate() {
            let middle = [0, 1].map(|axis| (&v[axis] + &w[axis]) << (BITS - 1));
            let d = minus(w, v);
            let is_nearest =
                square.above == dot(&d, &d) * &square.below && between(&middle, first) <= BigInt::from(2);
            let aside = BigInt::from(cross(normal, &d).magnitude().clone());
            // An offset of 0 may be slightly positive because of rounding.
            if is_nearest && aside > exact.size() >> 100 {
                return Some((i, j));
            }
        }
    }
    None
}

fn contacts(truth: &Truth, margin: f64) -> Contacts {
    let exact = &truth.exact;
    let (of_a, of_b) = (gaps(&exact.a, &exact.b), gaps(&exact.b, &exact.a));
    let greatest = of_a.iter().chain(&of_b).max().unwrap();
    let k = of_a.iter().chain(&of_b).position(|gap| gap == greatest).unwrap();
    let (side, index) = if k < of_a.len() { (PairSide::A, k) } else { (PairSide::B, k - of_a.len()) };
    let edge = PairEdge { side, index: index as u32 };
    let (reference, incident) = if side == PairSide::A { (&exact.a, &exact.b) } else { (&exact.b, &exact.a) };
    let out = outward(reference, index);
    let normal = if side == PairSide::A { out.clone() } else { out.clone().map(|x| -x) };
    let separation = match exact.relation {
        Relation::Touching => 0.0,
        _ => exact.to_f64(greatest),
    };
    let mut found = Contacts { normal: to_vector(&normal), separation, edge, points: vec![] };
    if !exact.is_within(&truth.square, &[margin]) {
        return found;
    }
    let vertices = (exact.relation == Relation::Disjoint).then(|| nearest_vertices(exact, &normal)).flatten();
    if let Some((i, j)) = vertices {
        let (v, w) = (&exact.a[i], &exact.b[j]);
        let d = minus(w, v);
        let middle = [0, 1].map(|axis| (&v[axis] + &w[axis]) << (BITS - 1));
        let square = dot(&d, &d);
        found.normal = to_vector(&[over_root(&d[0], &square), over_root(&d[1], &square)]);
        found.separation = exact.to_f64(&truth.distance);
        let [a, b] = [i, j].map(|k| PairFeature::Vertex(k as u32));
        let separation = found.separation.min(margin);
        found.points.push(Contact {
            position: to_world(exact, &middle),
            separation,
            features: PairFeatures { a, b },
        });
        return found;
    }
    for (on_incident, of_reference, of_incident) in clipped(exact, reference, index, incident, &out) {
        let from = minus(&on_incident, &scaled(&reference[index]));
        let gap: BigInt = dot(&out, &from) >> BITS;
        // A bound on the rounding error of the margin.
        let slack: BigInt = exact.size() >> 100;
        let touch = exact.relation == Relation::Touching;
        let is_closed = touch && is_on_line(reference, of_reference, incident, of_incident);
        let gap = if is_closed { BigInt::ZERO } else { gap };
        if !is_closed && gap > exact.fixed(margin) + if touch { BigInt::ZERO } else { slack } {
            continue;
        }
        let position = [0, 1].map(|axis| &on_incident[axis] - ((&out[axis] * &gap) >> (BITS + 1)));
        let features = match side {
            PairSide::A => PairFeatures { a: of_reference, b: of_incident },
            PairSide::B => PairFeatures { a: of_incident, b: of_reference },
        };
        let separation = exact.to_f64(&gap).min(margin);
        let position = to_world(exact, &position);
        let contact = Contact { position, separation, features };
        // If two contacts are at one point, keep the deeper one.
        match found.points.iter_mut().find(|other| truth.is_near(position, other.position)) {
            Some(other) if separation < other.separation => *other = contact,
            Some(_) => {}
            None => found.points.push(contact),
        }
    }
    found
}

/// Returns whether a vertex of one polygon lies on the line of an edge of the other.
fn is_on_line(
    reference: &[Point],
    of_reference: PairFeature,
    incident: &[Point],
    of_incident: PairFeature,
) -> bool {
    let (ring, edge, vertex) = match (of_reference, of_incident) {
        (PairFeature::Edge(edge), PairFeature::Vertex(vertex)) => {
            (reference, edge, &incident[vertex as usize])
        }
        (PairFeature::Vertex(vertex), PairFeature::Edge(edge)) => {
            (incident, edge, &reference[vertex as usize])
        }
        _ => panic!("a contact is of a vertex and an edge"),
    };
    let (p, q) = edges(ring).nth(edge as usize).unwrap();
    cross(&minus(q, p), &minus(vertex, p)) == BigInt::ZERO
}

/// Returns the ends of the incident edge, clipped at the ends of the reference edge.
fn clipped(
    exact: &Exact,
    reference: &[Point],
    index: usize,
    incident: &[Point],
    out: &Point,
) -> Vec<(Point, PairFeature, PairFeature)> {
    let (p, q) = edges(reference).nth(index).unwrap();
    let along_edge = minus(q, p);
    let m = (0..incident.len()).min_by_key(|&m| dot(&outward(incident, m), out)).unwrap();
    let m_next = (m + 1) % incident.len();
    let (v, w) = (&incident[m], &incident[m_next]);
    let [along_v, along_w] = [v, w].map(|point| dot(&along_edge, &minus(point, p)));
    let length = dot(&along_edge, &along_edge);
    let (over, vertex) = (PairFeature::Edge(index as u32), |k: usize| PairFeature::Vertex(k as u32));
    if along_v.sign() == Sign::Minus || along_w > length {
        // If the pair does not overlap, the incident edge may lie beside the reference edge. The contact is then the
        // nearer end of the incident edge.
        let near = |k: usize| {
            let end = scaled(&incident[k]);
            (between(&end, &nearest_on_segment(&end, p, q)), end, over, vertex(k))
        };
        let (_, end, over, vertex) =
            [near(m), near(m_next)].into_iter().min_by_key(|near| near.0.clone()).unwrap();
        return vec![(end, over, vertex)];
    }
    let cut = |along: &BigInt, number: usize| {
        let (part, whole) = (along - &along_w, &along_v - &along_w);
        let point =
            [0, 1].map(|axis| (&w[axis] << BITS) + (((&v[axis] - &w[axis]) * &part) << BITS) / &whole);
        (point, vertex(number), PairFeature::Edge(m as u32))
    };
    // Keeps an end that is only slightly beyond the reference edge. In slivers, the clipped point may be far away.
    let hardly: BigInt = (length.sqrt() * exact.size()) >> (BITS + 46);
    let first =
        if along_w < -&hardly { cut(&BigInt::ZERO, index) } else { (scaled(w), over, vertex(m_next)) };
    let last = if along_v > &length + hardly {
        cut(&length, (index + 1) % reference.len())
    } else {
        (scaled(v), over, vertex(m))
    };
    vec![first, last]
}

#[test]
fn contacts_from_integers_are_where_they_are_to_be() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(2), |(kind, _), block, pairs| {
        let truths: Vec<Truth> = pairs.iter().map(Truth::of).collect();
        for margin in margins(&truths, block % 7) {
            for (k, truth) in truths.iter().enumerate() {
                if margin > 0.0 && !k.is_multiple_of(8) {
                    continue;
                }
                let found = contacts(truth, margin);
                tally.add(kind, checks::contacts(&found, margin, truth), || {
                    format!(
                        "{:?} {margin:e} {:?} {:?} {:?} {:?}",
                        truth.exact.relation, found.edge, found.separation, found.points, pairs[k]
                    )
                });
            }
        }
    });
    tally.assert_none();
}
