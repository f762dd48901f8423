//! The sectors around a point. A sector lies between two consecutive edges that meet at the point. The whole sector is
//! either inside or outside a polygon.

use std::cmp::Ordering;

use glam::DVec2;

use super::centre::{Axis, Centre};
use super::{Leaf, Outline, steps};
use crate::base::sorting::sort_by;
use crate::geometry::Fill;
use crate::geometry::decompose::turn;

/// A sector around a point. It begins at an edge, and goes counter-clockwise to the next edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sector {
    /// Two points. The vector from the first to the second is the direction of the edge at which the sector begins.
    pub(super) start: [DVec2; 2],
    /// Two flags: whether the sector is inside the union of A's polygons, and whether it is inside the union of B's
    /// polygons.
    pub(crate) is_inside: [bool; 2],
}

/// The part of an edge from the centre to one end of the edge. The centre is the point around which the sectors lie.
#[derive(Clone, Copy)]
struct Ray {
    /// Two points. The vector from the first to the second is the direction of the ray.
    direction: [DVec2; 2],
    /// The index of the ray's polygon: first the polygons of A, then the polygons of B.
    polygon: usize,
    /// The change of the winding number from the clockwise side of the ray to its counter-clockwise side.
    step: i32,
}

/// The cost of sorting one ray by exact predicates, measured in visits of tree nodes.
const RAY_NODES: usize = 16;

/// Returns the sectors around a point, counter-clockwise. `sides` has the polygons of A and the polygons of B. The
/// region of a side is the union of its polygons. If no edge contains the point, returns one sector that covers all
/// directions.
pub(crate) fn sectors(centre: &Centre, sides: [&[Outline<'_>]; 2]) -> Vec<Sector> {
    counted_sectors(centre, sides, &mut 0)
}

/// Returns the sectors around a point, as [`sectors`] does. Adds the work to `nodes`: the number of visited tree nodes,
/// and [`RAY_NODES`] for each ray.
pub(super) fn counted_sectors(centre: &Centre, sides: [&[Outline<'_>]; 2], nodes: &mut usize) -> Vec<Sector> {
    let outlines = || sides.iter().copied().flatten();
    let mut rays = Vec::new();
    let mut windings: Vec<i32> = outlines()
        .enumerate()
        .map(|(polygon, outline)| {
            let add = |direction, step| rays.push(Ray { direction, polygon, step });
            outline.winding(centre, nodes, add)
        })
        .collect();
    *nodes += RAY_NODES * rays.len();
    let is_inside = |windings: &[i32]| {
        let is_in = |(outline, &winding): (&Outline<'_>, &i32)| outline.fill().contains(winding);
        let (of_a, of_b) = windings.split_at(sides[0].len());
        [sides[0].iter().zip(of_a).any(is_in), sides[1].iter().zip(of_b).any(is_in)]
    };
    if rays.is_empty() {
        return vec![Sector { start: [DVec2::ZERO, DVec2::X], is_inside: is_inside(&windings) }];
    }
    sort_by(&mut rays, |a, b| by_angle(a.direction, b.direction));
    let mut sectors = Vec::with_capacity(rays.len());
    for group in rays.chunk_by(|a, b| by_angle(a.direction, b.direction).is_eq()) {
        for ray in group {
            windings[ray.polygon] += ray.step;
        }
        sectors.push(Sector { start: group[0].direction, is_inside: is_inside(&windings) });
    }
    sectors
}

impl Outline<'_> {
    /// Returns the fill rule that gives the rings of the outline their region. The rule of a polygon that is not
    /// crossed is even-odd.
    pub(super) fn fill(&self) -> Fill {
        self.crossed.map_or(Fill::EvenOdd, |crossed| crossed.fill)
    }

    /// Returns the winding number in the direction just above the positive x axis, near `centre`. For each edge that
    /// contains `centre`, calls `visit` once for each end of the edge that is not `centre`. The arguments of `visit`
    /// are the direction to this end, and the change of the winding number from the clockwise side to the
    /// counter-clockwise side of this direction. Adds the number of visited nodes to `nodes`.
    fn winding(&self, centre: &Centre, nodes: &mut usize, mut visit: impl FnMut([DVec2; 2], i32)) -> i32 {
        let bounds = centre.bounds();
        let is_above = |v: u32| centre.compare(Axis::Y, self.vertices[v as usize]).is_gt();
        // The change of the winding number by a chain of edges to the right of the centre. Only the two ends of the
        // chain matter.
        let chain = |first: u32, end: u32| i32::from(is_above(end)) - i32::from(is_above(first));
        let mut winding = 0;
        self.descend(|node, around| {
            *nodes += 1;
            if bounds.min.y > around.max.y || bounds.max.y < around.min.y || bounds.min.x > around.max.x {
                return false;
            }
            let leaves = self.leaves_under(node);
            if bounds.max.x < around.min.x {
                let (first, last) = (leaves[0], leaves[leaves.len() - 1]);
                winding += if first.ring == last.ring {
                    chain(first.first, last.end)
                } else {
                    // The whole rings between the first and the last ring do not change the winding number.
                    let [of_first, of_last] = [first, last].map(|leaf| self.ring_of(leaf.first));
                    chain(first.first, of_first.end) + chain(of_last.first, last.end)
                };
                return false;
            }
            if node.level == 0 {
                let Leaf { first, end, .. } = leaves[0];
                for edge in first..end {
                    let ends @ [p, q] = self.edge(edge);
                    if centre.is_on(ends) {
                        steps::count();
                        // The counter-clockwise side of an edge that leaves the centre is the left side of the edge.
                        if !centre.is_at(p) {
                            visit([q, p], -1);
                        }
                        if !centre.is_at(q) {
                            visit([p, q], 1);
                        }
                        continue;
                    }
                    let step = chain(edge, edge + 1);
                    let is_on_the_right = centre.side_of(ends).is_gt() == (step > 0);
                    winding += if step != 0 && is_on_the_right { step } else { 0 };
                }
            }
            true
        });
        winding
    }
}

/// Orders directions by angle, counter-clockwise. The order begins just above the x axis and ends with the x axis.
fn by_angle(a: [DVec2; 2], b: [DVec2; 2]) -> Ordering {
    let part = |[p, q]: [DVec2; 2]| match (q.y.partial_cmp(&p.y), q.x > p.x) {
        (Some(Ordering::Greater), _) => 0,
        (Some(Ordering::Less), _) => 2,
        (_, is_right) => 1 + 2 * u8::from(is_right),
    };
    let (of_a, of_b) = (part(a), part(b));
    of_a.cmp(&of_b).then_with(|| if of_a % 2 == 1 { Ordering::Equal } else { turn(a, b).reverse() })
}
