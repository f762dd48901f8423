//! Groups the rings of a record into polygons.
//!
//! The format stores the rings of a record in a flat list. Shells should run clockwise and holes counter-clockwise, but
//! many files have rings that run in the wrong direction. This module therefore ignores the direction, and does not
//! change it. A ring inside an even number of other rings is a shell, and a ring inside an odd number of other rings is
//! a hole.

use sat2d::glam::DVec2;
use sat2d::internal::orientation;

use super::slabs::Slabs;

/// The vertices of a ring. The last vertex may or may not repeat the first one.
pub(super) type Ring<'a> = &'a [[f64; 2]];

/// The number of comparisons that a record may take for each of its vertices, in addition to [`FREE_WORK`].
const WORK_OF_A_VERTEX: u64 = 4096;
/// The number of comparisons that any record may take, whatever its number of vertices.
const FREE_WORK: u64 = 1 << 24;

/// A ring, with its depth and its parent in the nesting. The search fills in both.
struct Placed<'a> {
    ring: Ring<'a>,
    min: [f64; 2],
    max: [f64; 2],
    /// The number of rings around this ring.
    depth: u32,
    /// The index of the innermost ring around this ring, or `None` if this ring is in no other ring.
    parent: Option<usize>,
    /// The edges of the ring in horizontal slabs. `None` for a short ring, and for a long ring until it is first tested
    /// as an outer ring.
    slabs: Option<Slabs>,
}

/// The position of a point relative to a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Inside,
    Outside,
    Boundary,
}

/// Returns the polygons of a list of rings. A polygon is given by the index of its shell, then the indices of its
/// holes. Shells and holes keep their order. Returns `None` if the rings overlap so much that the search exceeds its
/// limit.
pub(super) fn polygons(rings: &[Ring<'_>]) -> Option<Vec<Vec<usize>>> {
    let mut placed: Vec<Placed<'_>> = rings.iter().map(|ring| Placed::new(ring)).collect();
    let areas: Vec<f64> = rings.iter().map(|ring| area(ring).abs()).collect();
    let mut order: Vec<usize> = (0..rings.len()).collect();
    // This order puts a ring after all rings around it.
    order.sort_by(|&a, &b| {
        let (p, q) = (&placed[a], &placed[b]);
        (p.min[0].total_cmp(&q.min[0]))
            .then(q.max[0].total_cmp(&p.max[0]))
            .then(p.min[1].total_cmp(&q.min[1]))
            .then(q.max[1].total_cmp(&p.max[1]))
            .then(areas[b].total_cmp(&areas[a]))
            .then(a.cmp(&b))
    });
    let vertices: u64 = rings.iter().map(|ring| ring.len() as u64).sum();
    let mut work = FREE_WORK.saturating_add(WORK_OF_A_VERTEX.saturating_mul(vertices));
    // The earlier rings that may still contain the current ring: their boxes do not end on the left of the current
    // ring's box.
    let mut active: Vec<usize> = Vec::new();
    for &ring in &order {
        let min_x = placed[ring].min[0];
        active.retain(|&other| placed[other].max[0] >= min_x);
        work = work.checked_sub(active.len() as u64)?;
        for &other in &active {
            if !placed[other].may_contain(&placed[ring]) || !contains(&mut placed, other, ring, &mut work)? {
                continue;
            }
            let depth = placed[other].depth;
            let found = &mut placed[ring];
            found.depth += 1;
            let of_parent = found.parent;
            if of_parent.is_none_or(|parent| placed[parent].depth <= depth) {
                placed[ring].parent = Some(other);
            }
        }
        active.push(ring);
    }
    Some(grouped(&placed))
}

fn grouped(placed: &[Placed<'_>]) -> Vec<Vec<usize>> {
    let is_shell = |ring: usize| placed[ring].depth.is_multiple_of(2);
    // If rings cross, a hole can have a hole as its parent.
    let shell_of = |ring: usize| placed[ring].parent.filter(|&parent| !is_shell(ring) && is_shell(parent));
    let shells = (0..placed.len()).filter(|&ring| shell_of(ring).is_none());
    let mut polygons: Vec<Vec<usize>> = shells.map(|ring| vec![ring]).collect();
    let mut polygon_of = vec![0; placed.len()];
    polygons.iter().enumerate().for_each(|(polygon, rings)| polygon_of[rings[0]] = polygon);
    for ring in 0..placed.len() {
        if let Some(shell) = shell_of(ring) {
            polygons[polygon_of[shell]].push(ring);
        }
    }
    polygons
}

impl<'a> Placed<'a> {
    fn new(ring: Ring<'a>) -> Self {
        let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for vertex in ring {
            for axis in 0..2 {
                min[axis] = min[axis].min(vertex[axis]);
                max[axis] = max[axis].max(vertex[axis]);
            }
        }
        Self { ring, min, max, depth: 0, parent: None, slabs: None }
    }

    fn may_contain(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.min[axis] && self.max[axis] >= other.max[axis])
    }

    /// Returns the position of a point relative to this ring, or `None` if the limit on the work is exceeded.
    fn place(&self, at: DVec2, work: &mut u64) -> Option<Place> {
        let edge = |index: usize| {
            let next = if index + 1 == self.ring.len() { 0 } else { index + 1 };
            [self.ring[index], self.ring[next]].map(DVec2::from)
        };
        match &self.slabs {
            Some(slabs) => place(slabs.at(at.y).iter().map(|&index| edge(index as usize)), at, work),
            None => place((0..self.ring.len()).map(edge), at, work),
        }
    }
}

/// Returns whether the ring `inner` is inside the ring `outer`, whose box contains it. Returns `None` if the limit on
/// the work is exceeded.
fn contains(placed: &mut [Placed<'_>], outer: usize, inner: usize, work: &mut u64) -> Option<bool> {
    /// A ring gets slabs only if it has at least this number of vertices.
    const LEAST: usize = 32;
    let shell = &mut placed[outer];
    if shell.slabs.is_none() && shell.ring.len() >= LEAST {
        shell.slabs = Some(Slabs::new(shell.ring, shell.min[1], shell.max[1]));
        *work = work.checked_sub(8 * shell.ring.len() as u64)?;
    }
    let (shell, ring) = (&placed[outer], placed[inner].ring);
    // All vertices of the inner ring may be on the outer ring, so points between vertices are tested, too.
    let middles = ring.windows(2).map(|ends| {
        let [from, to] = [ends[0], ends[1]].map(DVec2::from);
        from / 2.0 + to / 2.0
    });
    for at in ring.iter().copied().map(DVec2::from).chain(middles) {
        match shell.place(at, work)? {
            Place::Inside => return Some(true),
            Place::Outside => return Some(false),
            Place::Boundary => {}
        }
    }
    Some(false)
}

/// Returns the exact position of a point relative to the even-odd interior of edges. Returns `None` if the limit on the
/// work is exceeded.
fn place(edges: impl Iterator<Item = [DVec2; 2]>, at: DVec2, work: &mut u64) -> Option<Place> {
    let (mut is_inside, mut count) = (false, 1);
    for [from, to] in edges {
        count += 1;
        if (from.y > at.y) != (to.y > at.y) {
            if at.x > from.x.max(to.x) {
                continue;
            }
            if at.x < from.x.min(to.x) {
                is_inside = !is_inside;
                continue;
            }
            let side = orientation(from, to, at);
            if side == 0.0 {
                return Some(Place::Boundary);
            }
            // The edge is to the right of the point.
            is_inside ^= (to.y > from.y) == (side > 0.0);
        } else if from == at || (from.y == at.y && to.y == at.y && (from.x <= at.x) != (to.x <= at.x)) {
            return Some(Place::Boundary);
        }
    }
    *work = work.checked_sub(count)?;
    Some(if is_inside { Place::Inside } else { Place::Outside })
}

/// Returns the approximate area of a ring, in units of half the area of its box. The area is positive if the ring runs
/// counter-clockwise.
fn area(ring: Ring<'_>) -> f64 {
    let Some(&origin) = ring.first() else { return 0.0 };
    // Without the scale, products of large numbers could be infinite, and products of small numbers could be 0.
    let scale = [0, 1].map(|axis| {
        let numbers = || ring.iter().map(|vertex| vertex[axis]);
        numbers().fold(f64::NEG_INFINITY, f64::max) / 2.0 - numbers().fold(f64::INFINITY, f64::min) / 2.0
    });
    let scaled =
        |vertex: &[f64; 2]| [0, 1].map(|axis| (vertex[axis] / 2.0 - origin[axis] / 2.0) / scale[axis]);
    let products = ring.windows(2).map(|ends| {
        let [from, to] = [scaled(&ends[0]), scaled(&ends[1])];
        from[0] * to[1] - from[1] * to[0]
    });
    products.sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test panics")]
    use super::*;

    fn square(x: f64, y: f64, side: f64) -> Vec<[f64; 2]> {
        vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    }

    fn polygons_of(rings: &[Vec<[f64; 2]>]) -> Vec<Vec<usize>> {
        let rings: Vec<Ring<'_>> = rings.iter().map(Vec::as_slice).collect();
        polygons(&rings).unwrap()
    }

    #[test]
    fn holes_find_their_shells_in_any_order_and_direction() {
        // Two shells, each with a hole, and an island in the first hole.
        let mut rings = vec![
            square(1.0, 1.0, 8.0),
            square(20.0, 0.0, 10.0),
            square(0.0, 0.0, 10.0),
            square(3.0, 3.0, 2.0),
            square(22.0, 2.0, 2.0),
        ];
        let expected = vec![vec![1, 4], vec![2, 0], vec![3]];
        assert_eq!(polygons_of(&rings), expected);
        for ring in 0..rings.len() {
            rings[ring].reverse();
            assert_eq!(polygons_of(&rings), expected);
        }
    }

    #[test]
    fn rings_that_touch_are_told_apart() {
        let diamond = vec![[5.0, 0.0], [10.0, 5.0], [5.0, 10.0], [0.0, 5.0], [5.0, 0.0]];
        // All vertices of the hole are on the shell. Both rings have the same box.
        assert_eq!(polygons_of(&[diamond.clone(), square(0.0, 0.0, 10.0)]), [[1, 0]]);
        // A neighbour inside the box of the shell.
        let corner = vec![[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [0.0, 0.0]];
        let other = vec![[10.0, 0.0], [10.0, 10.0], [0.0, 10.0], [10.0, 0.0]];
        assert_eq!(polygons_of(&[corner, other]), [[0], [1]]);
        // The same ring twice.
        assert_eq!(polygons_of(&[diamond.clone(), diamond]), [[0], [1]]);
    }

    #[test]
    fn a_long_shell_has_the_same_holes_as_a_short_one() {
        // A comb. Some squares are in its teeth, and others are between the teeth.
        let mut comb = vec![[0.0, -1.0], [400.0, -1.0]];
        for tooth in (0..200).rev() {
            let x = 2.0 * f64::from(tooth);
            comb.extend([[x + 1.0, 0.0], [x + 1.0, 10.0], [x, 10.0], [x, 0.0]]);
        }
        comb.push([0.0, -1.0]);
        let mut rings = vec![comb];
        for tooth in 0..200 {
            let x = 2.0 * f64::from(tooth);
            rings.extend([square(x + 0.25, 3.0, 0.5), square(x + 1.25, 3.0, 0.5)]);
        }
        let found = polygons_of(&rings);
        assert_eq!(found[0], std::iter::once(0).chain((1..400).step_by(2)).collect::<Vec<_>>());
        assert_eq!(found.len(), 201);
    }

    #[test]
    fn the_search_has_a_limit() {
        // Each ring is inside all rings before it.
        let rings: Vec<_> =
            (0..12_000).map(|k| square(f64::from(k), f64::from(k), 48_000.0 - 2.0 * f64::from(k))).collect();
        let rings: Vec<Ring<'_>> = rings.iter().map(Vec::as_slice).collect();
        assert_eq!(polygons(&rings), None);
        assert_eq!(polygons(&rings[..500]).unwrap().len(), 250);
    }

    #[test]
    fn the_direction_of_extreme_rings_is_known() {
        for scale in [1.0, 1e300, 1e-310] {
            let mut ring: Vec<_> =
                square(-0.5, -0.5, 1.0).iter().map(|v| [v[0] * scale, v[1] * scale]).collect();
            assert!(area(&ring) > 0.0);
            ring.reverse();
            assert!(area(&ring) < 0.0);
        }
    }
}
