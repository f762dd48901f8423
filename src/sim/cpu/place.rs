//! Computes the vertices of all bodies at their poses, in the form that the narrow phase reads, and the boxes of the
//! bodies.

use glam::DVec2;

use super::super::bodies::{Bodies, BodyState, BodyTraits, FAST, PRESENT};
use super::super::pushes::{Aside, MOST_EXTENTS};
use super::super::shapes::{Shape, Shapes};
use super::sweep::{Path, PathBounds};
use crate::Aabb;
use crate::base::parallel::prelude::*;
use crate::packed::records::{Head, LANES, Small, View};
use crate::simd::{Instructions, Lanes, Vectorised, lesser, vectorised_alike};

/// The number of bodies that one parallel task places.
const TASK: usize = 256;
/// The greatest error of a vertex that f32 arithmetic has rotated, as a fraction of the distance between the vertex
/// and the centre of mass.
pub(in crate::sim) const TURNING: f32 = 1.0 / (1 << 21) as f32;

/// The vertices of all bodies at their poses at the start of a step, and the bounds of their paths. Lengths are in
/// quanta. A quantum is the spacing of the world's grid.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    /// For each body, the record of its vertices. If a body has more than [`LANES`] vertices, its vertices are in
    /// `rows`, and only the head of the record is valid.
    small: Vec<Small>,
    /// For each body with more than [`LANES`] vertices, the index in `rows` of its first coordinate. The entries of
    /// other bodies are not used.
    large_start: Vec<u32>,
    /// The vertices of the bodies with more than [`LANES`] vertices. Each of these bodies has a row of x coordinates,
    /// followed by a row of y coordinates. Each row ends with a copy of its first entry.
    rows: Vec<f32>,
    /// For each body, the bounds of its path in the step.
    pub(super) paths: Vec<PathBounds>,
    /// For each body, its box in the step, in quanta, relative to the origin of the world's grid. The coordinates are
    /// whole numbers, rounded outward.
    pub(crate) boxes: Vec<Aabb>,
}

/// The parameters for computing the vertices and boxes of bodies at a step.
#[derive(Clone, Copy)]
pub(crate) struct Placing<'a> {
    pub(crate) shapes: &'a Shapes,
    pub(crate) quantum: f32,
    pub(crate) dt: f32,
    /// The time for which the search for contacts looks ahead: the duration of a step plus a fraction of this duration.
    pub(crate) time: f32,
    /// The displacement that gravity gives a body at rest in the time `time`.
    pub(crate) fall: [f32; 2],
    /// Bodies that overlap by at most this distance along an axis only graze each other: see [`super::sweep::GRAZE`].
    pub(crate) graze: f32,
    /// Two bodies that overlap rest on each other if their expected paths bring them closer by at most this distance. The paths
    /// include gravity, but not the contact.
    pub(crate) resting: f32,
    /// The margin for contacts of a body at rest, in the caller's unit.
    pub(crate) margin: f32,
    /// The room that the box of a fast body has beside the path of the body.
    pub(crate) aside: Aside,
}

impl Placed {
    pub(crate) fn update(&mut self, bodies: &Bodies, placing: Placing<'_>) {
        let count = bodies.states.len();
        self.small.resize(count, Small::default());
        self.paths.resize(count, PathBounds::default());
        self.boxes.resize(count, Aabb::EMPTY);
        (self.small.par_chunks_mut(TASK))
            .zip(self.paths.par_chunks_mut(TASK).zip(self.boxes.par_chunks_mut(TASK)))
            .enumerate()
            .for_each(|(task, (small, (paths, boxes)))| {
                vectorised_alike(Task { bodies, placing, first: task * TASK, small, paths, boxes });
            });
        if placing.shapes.most_vertices > LANES {
            self.place_large(bodies, placing);
        }
    }

    fn place_large(&mut self, bodies: &Bodies, placing: Placing<'_>) {
        self.large_start.clear();
        self.rows.clear();
        for (state, traits) in bodies.states.iter().zip(&bodies.traits) {
            self.large_start.push(self.rows.len() as u32);
            if !traits.has(PRESENT) {
                continue;
            }
            let shape = &placing.shapes.all[traits.shape as usize];
            let core = placing.shapes.core(shape);
            if core.len() > LANES {
                for axis in 0..2 {
                    let around = core.iter().chain(&core[..1]);
                    self.rows.extend(around.map(|&v| placing.vertex(state, v)[axis]));
                }
            }
        }
    }

    /// Returns the core of the body in a row.
    #[inline(always)]
    pub(crate) fn view(&self, row: u32) -> View<'_> {
        let small = &self.small[row as usize];
        let count = small.head.vertex_count as usize;
        if count <= LANES {
            return small.view();
        }
        let rows = &self.rows[self.large_start[row as usize] as usize..];
        View { head: &small.head, x: &rows[..=count], y: &rows[count + 1..2 * count + 2] }
    }

    #[inline(always)]
    pub(crate) fn small(&self, row: u32) -> &Small {
        &self.small[row as usize]
    }
}

impl Placing<'_> {
    /// Returns the position of a vertex of a body in quanta, relative to the anchor of the body.
    #[inline(always)]
    pub(super) fn vertex(&self, state: &BodyState, v: [f32; 2]) -> [f32; 2] {
        let [x, y] = state.rotated(v);
        let per_unit = 1.0 / self.quantum;
        [(x + state.offset[0]) * per_unit, (y + state.offset[1]) * per_unit]
    }

    /// Returns the positions of the vertices in [`Shape::around`] at the pose of `state`, one vertex per lane, in
    /// quanta, relative to the anchor of the body.
    #[inline(always)]
    pub(super) fn around<I: Instructions>(&self, i: I, state: &BodyState, shape: &Shape) -> [I::Lanes; 2] {
        let [x, y] = [i.load(&shape.around[0], 0), i.load(&shape.around[1], 0)];
        let [c, s] = [i.splat(state.rotation[0]), i.splat(state.rotation[1])];
        let [dx, dy] = [i.splat(state.offset[0]), i.splat(state.offset[1])];
        let per_unit = i.splat(1.0 / self.quantum);
        [c.mul(x).sub(s.mul(y)).add(dx).mul(per_unit), s.mul(x).add(c.mul(y)).add(dy).mul(per_unit)]
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn place<I: Instructions>(
        &self,
        i: I,
        state: &BodyState,
        traits: &BodyTraits,
        small: &mut Small,
    ) -> (PathBounds, Aabb) {
        let shape: &Shape = &self.shapes.all[traits.shape as usize];
        let count = shape.vertex_count as usize;
        // The factor is a power of two, so the products with it are exact.
        let per_unit = 1.0 / self.quantum;
        let [mut least, mut greatest] = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
        if count <= LANES {
            let at = self.around(i, state, shape);
            least = [at[0].least().first(), at[1].least().first()];
            greatest = [at[0].greatest().first(), at[1].greatest().first()];
            for (to, row) in [&mut small.x, &mut small.y].into_iter().zip(at) {
                to[..LANES].copy_from_slice(&row.to_array());
                to[LANES] = to[LANES - count];
            }
        } else {
            for &v in self.shapes.core(shape) {
                let at = self.vertex(state, v);
                for axis in 0..2 {
                    least[axis] = least[axis].min(at[axis]);
                    greatest[axis] = greatest[axis].max(at[axis]);
                }
            }
        }
        let radius = [greatest[0].max(-least[0]), greatest[1].max(-least[1])];
        let radius = radius[0].max(radius[1]);
        let path = Path::new(state, traits, self.time, self.fall);
        let way = path.displacement;
        let near = path.nearness(self.margin, traits);
        let turning = path.angle.abs() * (traits.extent - shape.radius);
        // The distance by which the box grows in every direction, in addition to the path. It grows by at least `near`,
        // for contacts with bodies that the body does not approach.
        let mut along = self.margin;
        if traits.has(FAST) {
            // The box of a fast body leaves room for any rotation, and for pushes aside.
            let distance = lesser(self.aside.distance, MOST_EXTENTS * traits.extent);
            let aside = self.aside.share * way[0].abs().max(way[1].abs()) + distance;
            for axis in 0..2 {
                let centre = state.offset[axis] * per_unit;
                least[axis] = centre - (traits.extent - shape.radius + aside) * per_unit;
                greatest[axis] = centre + (traits.extent - shape.radius + aside) * per_unit;
            }
        } else {
            along += turning.min(2.0 * (traits.extent - shape.radius));
        }
        small.head = Head {
            anchor: state.anchor,
            radius: radius * (1.0 + TURNING),
            error: radius * TURNING,
            vertex_count: shape.vertex_count,
        };
        let grown = shape.radius * per_unit + radius * TURNING;
        let anchor = DVec2::new(f64::from(state.anchor[0]), f64::from(state.anchor[1]));
        let bound = |of: [f32; 2], sign: f32| {
            let room = |axis: usize| (along + (sign * way[axis]).max(0.0)).max(near) * per_unit;
            let at = |axis: usize| of[axis] + sign * (grown + room(axis));
            [f64::from(at(0)), f64::from(at(1))]
        };
        let aabb = Aabb {
            min: DVec2::from(bound(least, -1.0).map(f64::floor)) + anchor,
            max: DVec2::from(bound(greatest, 1.0).map(f64::ceil)) + anchor,
        };
        let bounds = PathBounds {
            path,
            // The rotation of a disc moves no point of its core.
            turning: if count == 1 { 0.0 } else { turning },
            near,
            margin: self.margin + path.length(),
            radius: shape.radius,
            extent: traits.extent,
        };
        (bounds, aabb)
    }
}

/// A task that places a range of bodies: the parameters, and the slices that receive the results.
struct Task<'a> {
    bodies: &'a Bodies,
    placing: Placing<'a>,
    /// The row of the first body of the range.
    first: usize,
    small: &'a mut [Small],
    paths: &'a mut [PathBounds],
    boxes: &'a mut [Aabb],
}

impl Vectorised for Task<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let Self { bodies, placing, first, small, paths, boxes } = self;
        for (k, ((small, path), aabb)) in small.iter_mut().zip(paths).zip(boxes).enumerate() {
            let (state, traits) = (&bodies.states[first + k], &bodies.traits[first + k]);
            if traits.has(PRESENT) {
                (*path, *aabb) = placing.place(i, state, traits, small);
            } else {
                *aabb = Aabb::EMPTY;
            }
        }
    }
}
