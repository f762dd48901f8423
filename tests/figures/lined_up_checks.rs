//! Compares the measurements of a pair of convex polygons with the oracle in rational numbers.
//!
//! Each check returns the name of each broken promise, and the value that was found. The bound for lengths is 2^-44 of
//! the pair's size. The bound for points in world coordinates also includes the rounding of coordinates to f64.

use num_bigint::{BigInt, Sign};
use sat2d::glam::DVec2;
use sat2d::{Contact, Distance, Manifold, PairEdge, PairFeature, PairSide, Penetration, Relation};

use super::lined_up_scenes::Drawn;
use super::rational::{
    BITS, Exact, Fraction, Point, between, dot, fixed_in_unit, gap_along, gaps, nearest_on_segment, outward,
    scaled, to_line, to_region,
};

/// The name of a broken promise, and the value that was found.
pub(crate) type Broken = (&'static str, String);

/// The true values of a pair.
pub(crate) struct Truth {
    pub(crate) exact: Exact,
    pub(crate) square: Fraction,
    pub(crate) distance: BigInt,
    size: BigInt,
    /// The largest accepted error of a length.
    bound: BigInt,
    /// The largest accepted error of a point.
    bound_of_points: BigInt,
    gaps_of_a: Vec<BigInt>,
    gaps_of_b: Vec<BigInt>,
    greatest_gap: BigInt,
}

impl Truth {
    pub(crate) fn of(Drawn { a, b, poses }: &Drawn) -> Self {
        let exact = Exact::new((a, poses.map(|poses| poses[0])), (b, poses.map(|poses| poses[1])));
        let square = exact.square();
        let (gaps_of_a, gaps_of_b) = (gaps(&exact.a, &exact.b), gaps(&exact.b, &exact.a));
        let greatest_gap = gaps_of_a.iter().chain(&gaps_of_b).max().unwrap().clone();
        let size = exact.size();
        let bound: BigInt = &size >> 44;
        // A point may also be off by half an ulp in either coordinate.
        let bound_of_points = &bound + (exact.reach() >> 52);
        let distance = Exact::root(&square);
        Self { exact, square, distance, size, bound, bound_of_points, gaps_of_a, gaps_of_b, greatest_gap }
    }

    /// Returns whether the distance between two points is within the bound for lengths.
    pub(crate) fn is_near(&self, p: DVec2, q: DVec2) -> bool {
        between(&self.exact.fixed_point(p), &self.exact.fixed_point(q)) <= self.bound
    }

    /// Returns the sign that the separation of the pair must have.
    fn sign(&self) -> Sign {
        match self.exact.relation {
            Relation::Overlapping => Sign::Minus,
            Relation::Touching => Sign::NoSign,
            Relation::Disjoint => Sign::Plus,
        }
    }

    /// Formats an error as a fraction of the pair's size.
    fn part(&self, off: &BigInt) -> String {
        let of_size: BigInt = (off << 64) / &self.size;
        let number = of_size.to_string().parse().unwrap_or(f64::NAN) / 2f64.powi(64);
        format!("off by {number:e} of the size")
    }

    fn expect(&self, broken: &mut Vec<Broken>, name: &'static str, off: &BigInt, bound: &BigInt) {
        if off > bound {
            broken.push((name, self.part(off)));
        }
    }

    /// Checks that a length is near the true length.
    fn expect_near(&self, broken: &mut Vec<Broken>, name: &'static str, found: f64, truth: &BigInt) {
        let off = absolute(self.exact.fixed(found) - truth);
        self.expect(broken, name, &off, &self.bound);
    }

    fn expect_sign(&self, broken: &mut Vec<Broken>, name: &'static str, separation: f64) {
        let sign = if separation > 0.0 {
            Sign::Plus
        } else if separation < 0.0 {
            Sign::Minus
        } else {
            Sign::NoSign
        };
        if sign != self.sign() {
            broken.push((name, format!("{separation:e} of {:?}", self.exact.relation)));
        }
    }
}

fn absolute(x: BigInt) -> BigInt {
    BigInt::from(x.magnitude().clone())
}

fn unit_fixed(direction: DVec2) -> Point {
    [fixed_in_unit(direction.x, 0), fixed_in_unit(direction.y, 0)]
}

/// Returns the point at the distance `by` from the point `from` in a direction.
fn moved(from: &Point, direction: &Point, by: &BigInt) -> Point {
    [0, 1].map(|axis| &from[axis] + ((&direction[axis] * by) >> BITS))
}

fn vertex(ring: &[Point], k: u32) -> &Point {
    &ring[k as usize % ring.len()]
}

/// Returns the distance of a point from a feature, which is a vertex or the segment of an edge.
fn to_feature(point: &Point, feature: PairFeature, ring: &[Point]) -> BigInt {
    match feature {
        PairFeature::Vertex(k) => between(point, &scaled(vertex(ring, k))),
        PairFeature::Edge(k) => {
            between(point, &nearest_on_segment(point, vertex(ring, k), vertex(ring, k + 1)))
        }
    }
}

/// Returns the distance of a point from a vertex or from the line of an edge.
fn to_line_of(point: &Point, feature: PairFeature, ring: &[Point]) -> BigInt {
    match feature {
        PairFeature::Vertex(_) => to_feature(point, feature, ring),
        PairFeature::Edge(k) => to_line(point, vertex(ring, k), vertex(ring, k + 1)),
    }
}

pub(crate) fn distance(found: &Distance, truth: &Truth) -> Vec<Broken> {
    let mut broken = Vec::new();
    let exact = &truth.exact;
    if !(found.distance.is_finite() && found.separation.is_finite()) {
        return vec![("finite", String::new())];
    }
    let meet = exact.relation != Relation::Disjoint;
    if (found.distance == 0.0) != meet || found.distance < 0.0 || found.closest.is_none() != meet {
        broken.push(("0 and no closest points iff they meet", format!("{:?}", exact.relation)));
    }
    truth.expect_near(&mut broken, "distance", found.distance, &truth.distance);
    truth.expect_near(&mut broken, "separation", found.separation, &truth.greatest_gap);
    truth.expect_sign(&mut broken, "sign of separation", found.separation);
    let Some(closest) = found.closest else { return broken };
    let [on_a, on_b] = [closest.point_a, closest.point_b].map(|point| exact.fixed_point(point));
    let off = to_feature(&on_a, closest.features.a, &exact.a);
    truth.expect(&mut broken, "closest point on A's feature", &off, &truth.bound_of_points);
    let off = to_feature(&on_b, closest.features.b, &exact.b);
    truth.expect(&mut broken, "closest point on B's feature", &off, &truth.bound_of_points);
    let off = absolute(between(&on_a, &on_b) - exact.fixed(found.distance));
    let twice: BigInt = &truth.bound_of_points * 2 - &truth.bound;
    truth.expect(&mut broken, "distance of the closest points", &off, &twice);
    broken
}

/// Checks that a normal has length 1, is normal to the given edge, and points from A to B.
fn normal_of_edge(normal: DVec2, edge: PairEdge, truth: &Truth) -> Result<(), String> {
    let outward = match edge.side {
        PairSide::A => outward(&truth.exact.a, edge.index as usize),
        PairSide::B => outward(&truth.exact.b, edge.index as usize).map(|x| -x),
    };
    let off = between(&unit_fixed(normal), &outward);
    if off <= BigInt::from(1) << (BITS - 48) { Ok(()) } else { Err(format!("{normal:?}")) }
}

fn is_unit(direction: DVec2) -> bool {
    let fixed = unit_fixed(direction);
    absolute(dot(&fixed, &fixed).sqrt() - (BigInt::from(1) << BITS)) <= BigInt::from(1) << (BITS - 50)
}

fn expect_edge(broken: &mut Vec<Broken>, truth: &Truth, edge: PairEdge) {
    let gaps = if edge.side == PairSide::A { &truth.gaps_of_a } else { &truth.gaps_of_b };
    match gaps.get(edge.index as usize) {
        Some(gap) => {
            truth.expect(
                broken,
                "the edge is of the greatest gap",
                &(&truth.greatest_gap - gap),
                &truth.bound,
            );
        }
        None => broken.push(("the edge is one", format!("{edge:?}"))),
    }
}

pub(crate) fn penetration(found: &Penetration, truth: &Truth) -> Vec<Broken> {
    let mut broken = Vec::new();
    if !(found.normal.is_finite() && found.separation.is_finite()) {
        return vec![("finite", String::new())];
    }
    if !is_unit(found.normal) {
        broken.push(("normal of length 1", format!("{:?}", found.normal)));
    }
    truth.expect_near(&mut broken, "separation", found.separation, &truth.greatest_gap);
    truth.expect_sign(&mut broken, "sign of separation", found.separation);
    if (found.depth() > 0.0) != (truth.exact.relation == Relation::Overlapping) {
        broken.push(("depth above 0 iff overlapping", format!("{:e}", found.depth())));
    }
    let Some(edge) = found.edge else {
        broken.push(("has an edge", String::new()));
        return broken;
    };
    expect_edge(&mut broken, truth, edge);
    if broken.iter().all(|(name, _)| *name != "the edge is one") {
        broken.extend(normal_of_edge(found.normal, edge, truth).err().map(|why| ("normal of the edge", why)));
    }
    broken
}

/// The values of a manifold that the checks compare with the true values.
pub(crate) struct Contacts {
    pub(crate) normal: DVec2,
    pub(crate) separation: f64,
    pub(crate) edge: PairEdge,
    pub(crate) points: Vec<Contact>,
}

impl From<&Manifold> for Contacts {
    fn from(found: &Manifold) -> Self {
        let Manifold { normal, separation, edge, .. } = *found;
        Self { normal, separation, edge, points: found.points().to_vec() }
    }
}

pub(crate) fn manifold(found: &Manifold, margin: f64, truth: &Truth) -> Vec<Broken> {
    let mut broken = contacts(&found.into(), margin, truth);
    let least = found.points().iter().map(|contact| contact.separation).min_by(f64::total_cmp);
    if found.deepest().map(|contact| contact.separation) != least {
        broken.push(("the deepest contact", format!("{least:?}")));
    }
    broken
}

/// Checks the manifold of any pair. If the manifold of overlapping polygons has contacts, also checks two promises:
///
/// - One contact is as deep as the manifold, because the deepest vertex lies over the edge of the least depth.
/// - A contact lies halfway between a point on the border of A and a point on the border of B. Its depth is the
///   distance between these points.
///
/// For separate polygons, the promises hold with the gap in place of the depth, unless the nearest points are two
/// vertices.
pub(crate) fn contacts(found: &Contacts, margin: f64, truth: &Truth) -> Vec<Broken> {
    let mut broken = Vec::new();
    let exact = &truth.exact;
    let finite = |contact: &Contact| contact.position.is_finite() && contact.separation.is_finite();
    if !(found.normal.is_finite() && found.separation.is_finite() && found.points.iter().all(finite)) {
        return vec![("finite", String::new())];
    }
    if !is_unit(found.normal) {
        broken.push(("normal of length 1", format!("{:?}", found.normal)));
        return broken;
    }
    expect_edge(&mut broken, truth, found.edge);
    truth.expect_sign(&mut broken, "sign of separation", found.separation);
    let normal = unit_fixed(found.normal);
    if normal_of_edge(found.normal, found.edge, truth).is_ok() {
        truth.expect_near(&mut broken, "separation", found.separation, &truth.greatest_gap);
    } else if exact.relation == Relation::Disjoint {
        // The contact is between two vertices.
        truth.expect_near(&mut broken, "separation of vertices", found.separation, &truth.distance);
        let along = gap_along(&normal, &exact.a, &exact.b);
        truth.expect_near(&mut broken, "gap along the normal between vertices", found.separation, &along);
    } else {
        broken.push(("normal of the edge", format!("{:?}", found.normal)));
    }
    let is_near = exact.is_within(&truth.square, &[margin]);
    if found.points.is_empty() == is_near {
        let name = match (is_near, exact.relation) {
            (false, _) => "no contact beyond the margin",
            (true, Relation::Disjoint) => "a contact of those within the margin",
            (true, _) => "a contact of those that meet",
        };
        broken.push((name, format!("margin {margin:e}, {:?}", exact.relation)));
    }
    for contact in &found.points {
        expect_contact(&mut broken, found, contact, margin, truth);
    }
    let deepest = found.points.iter().map(|contact| contact.separation).min_by(f64::total_cmp);
    if let Some(deepest) = deepest {
        let off = absolute(exact.fixed(deepest) - exact.fixed(found.separation));
        truth.expect(&mut broken, "the deepest contact is as deep as the manifold", &off, &truth.bound);
    }
    if is_near {
        expect_places(&mut broken, found, margin, truth);
    }
    broken
}

fn expect_contact(broken: &mut Vec<Broken>, found: &Contacts, contact: &Contact, margin: f64, truth: &Truth) {
    let exact = &truth.exact;
    if contact.separation > margin {
        broken.push(("a contact's separation is within the margin", format!("{:e}", contact.separation)));
    }
    let normal = unit_fixed(found.normal);
    let half: BigInt = exact.fixed(contact.separation) >> 1u8;
    let middle = exact.fixed_point(contact.position);
    let (on_a, on_b) = (moved(&middle, &normal, &-&half), moved(&middle, &normal, &half));
    let bound = &truth.bound_of_points;
    let off = to_line_of(&on_a, contact.features.a, &exact.a);
    truth.expect(broken, "a contact's end on A's feature", &off, bound);
    let off = to_line_of(&on_b, contact.features.b, &exact.b);
    truth.expect(broken, "a contact's end on B's feature", &off, bound);
    truth.expect(broken, "a contact's end on A", &to_region(&on_a, &exact.a), bound);
    truth.expect(broken, "a contact's end on B", &to_region(&on_b, &exact.b), bound);
}

/// Checks that contacts are where the polygons touch, or between their nearest points. If there is a margin, polygons
/// that touch may have further contacts within it. These contacts are not checked.
fn expect_places(broken: &mut Vec<Broken>, found: &Contacts, margin: f64, truth: &Truth) {
    let exact = &truth.exact;
    let (ends, name) = match exact.relation {
        Relation::Overlapping => return,
        Relation::Touching => (exact.common_ends(), "contacts at the ends of what they have in common"),
        Relation::Disjoint => (exact.middles(), "contacts between the nearest points"),
    };
    let places: Vec<Point> = found.points.iter().map(|c| exact.fixed_point(c.position)).collect();
    let Some(farthest) =
        ends.iter().map(|end| places.iter().map(|place| between(place, end)).min()).max().flatten()
    else {
        // Without a contact, there is nothing to compare. Another check reports the missing contact.
        return;
    };
    truth.expect(broken, name, &farthest, &truth.bound_of_points);
    if exact.relation != Relation::Touching || margin > 0.0 {
        return;
    }
    let (p, q) = (&ends[0], &ends[ends.len() - 1]);
    let whole = |end: &Point| [0, 1].map(|axis| &end[axis] >> BITS);
    let (p, q) = (whole(p), whole(q));
    for place in &places {
        let off = between(place, &nearest_on_segment(place, &p, &q));
        truth.expect(broken, "contacts in what they have in common", &off, &truth.bound_of_points);
    }
    let least: BigInt = &truth.bound_of_points * 2;
    if places.len() > 1 && between(&scaled(&p), &scaled(&q)) + least < between(&places[0], &places[1]) {
        broken.push(("two contacts where they have a stretch in common", String::new()));
    }
    if places.len() > 1 && p == q {
        broken.push(("one contact where they have a point in common", String::new()));
    }
    let rounding: BigInt = (&truth.bound_of_points - &truth.bound) * 2;
    if places.len() > 1 && places[0] == places[1] && between(&scaled(&p), &scaled(&q)) > rounding {
        broken.push(("two contacts at two places", String::new()));
    }
}
