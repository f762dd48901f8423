//! Polygons to storage buffers: f64 in the caller's frame becomes f32 relative to anchors on an integer grid, with the
//! error of doing so known for every instance.

use glam::{DVec2, IVec2};

use crate::geometry::{Aabb, Pieces, PolygonSet, Pose};
use crate::grid::{Grid, round_up};
use crate::large_pages::with_room;
use crate::layout::{Instance, Shape};
use crate::narrow_phase::cpu::filter::ROUNDING;
use crate::parallel::prelude::*;

/// Both sides of a join, packed into one pool: the pieces of A, then those of B.
#[derive(Debug)]
pub(crate) struct Packed {
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "the caller's encoder packs onto it again"))]
    pub(crate) grid: Grid,
    pub(crate) vertices: Vec<[f32; 2]>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) instances: Vec<Instance>,
    /// Index of the first instance of B; 0 in a self-join, where B is A.
    pub(crate) b_offset: u32,
}

impl Packed {
    /// Packs one set, or two that share the grid.
    pub(crate) fn new(a: Pieces<'_>, b: Option<Pieces<'_>>, grid: Grid) -> Self {
        let both = |count: fn(&PolygonSet) -> usize| count(a.set) + b.map_or(0, |b| count(b.set));
        let mut packed = Self {
            grid,
            vertices: with_room(both(PolygonSet::vertex_count)),
            shapes: with_room(both(PolygonSet::shape_count)),
            instances: with_room(both(PolygonSet::piece_count)),
            b_offset: 0,
        };
        packed.push(a, grid);
        if let Some(b) = b {
            packed.b_offset = packed.instances.len() as u32;
            packed.push(b, grid);
        }
        packed
    }

    fn push(&mut self, pieces: Pieces<'_>, grid: Grid) {
        let set = pieces.set;
        // The shapes of a static set are in the order of its pieces, an instance each.
        let shape_id = |s: usize| if set.is_static() { set.piece_shape(pieces.id(s)) } else { s };
        let vertices_of = |s: usize| set.shape_vertices(shape_id(s));
        let first_vertex = self.vertices.len() as u32;
        let first_shape = self.shapes.len() as u32;
        let origins: Vec<(DVec2, IVec2)> = (0..set.shape_count())
            .into_par_iter()
            .map(|s| {
                let aabb = Aabb::around(vertices_of(s));
                let centre = (aabb.min + aabb.max) * 0.5;
                let anchor = grid.anchor(centre);
                // A static shape's origin is its anchor, so that its offset is 0.
                if set.is_static() { (grid.position(anchor), anchor) } else { (centre, IVec2::ZERO) }
            })
            .collect();
        let start = self.vertices.len();
        self.vertices.resize(start + set.vertex_count(), [0.0; 2]);
        let mut runs = Vec::with_capacity(set.shape_count());
        let mut rest = &mut self.vertices[start..];
        for s in 0..set.shape_count() {
            let (run, tail) = rest.split_at_mut(vertices_of(s).len());
            runs.push(run);
            rest = tail;
        }
        let packed_shapes: Vec<PackedShape> = runs
            .into_par_iter()
            .enumerate()
            .map(|(s, run)| pack_shape(vertices_of(s), origins[s].0, grid.quantum, !set.is_static(), run))
            .collect();
        let mut offset = first_vertex;
        self.shapes.extend(packed_shapes.iter().enumerate().map(|(s, packed)| {
            let vertex_count = vertices_of(s).len() as u32;
            let shape = Shape { vertex_offset: offset, vertex_count, radius: packed.radius, padding: 0 };
            offset += vertex_count;
            shape
        }));
        let instances = (0..set.piece_count()).into_par_iter().map(|piece| {
            let s = if set.is_static() { piece } else { set.piece_shape(pieces.id(piece)) };
            let shape_index = first_shape + s as u32;
            if set.is_static() {
                let error = round_up(packed_shapes[s].error);
                let anchor = origins[s].1.to_array();
                Instance { anchor, offset: [0.0; 2], rotation: [1.0, 0.0], shape_index, error }
            } else {
                place_instance(
                    &packed_shapes[s],
                    origins[s].0,
                    set.piece_pose(pieces.id(piece)),
                    grid,
                    shape_index,
                )
            }
        });
        self.instances.par_extend(instances);
    }
}

struct PackedShape {
    radius: f32,
    /// Bound on the error of each coordinate of each vertex, in quanta.
    error: f64,
}

/// Rounds the vertices relative to `origin` into `run`, and says by how much that is off.
fn pack_shape(
    vertices: &[DVec2],
    origin: DVec2,
    quantum: f64,
    turned: bool,
    run: &mut [[f32; 2]],
) -> PackedShape {
    let mut rounding = 0.0f64;
    let mut extent = 0.0f64;
    let mut radius = 0.0f64;
    // Exact, of a power of two.
    let inverse = 1.0 / quantum;
    for (v, out) in vertices.iter().zip(run) {
        let local = (*v - origin) * inverse;
        let packed = local.as_vec2();
        let stored = packed.as_dvec2();
        *out = packed.to_array();
        rounding = rounding.max((stored - local).abs().max_element());
        extent = extent.max(local.abs().max_element());
        radius = radius.max(if turned { stored.length() } else { stored.abs().max_element() });
    }
    // The subtraction in f64 is off by half an ulp; a Euclidean length by a few.
    let error = rounding * (1.0 + 1e-15) + extent * f64::EPSILON;
    PackedShape { radius: round_up(if turned { radius * (1.0 + 1e-15) } else { radius }), error }
}

/// An instance that may be turned and moved. The error adds up what the host rounds and what the device will round
/// when it turns and moves a vertex; see `error_bound` in [`crate::narrow_phase::cpu::filter`].
fn place_instance(shape: &PackedShape, centre: DVec2, pose: Pose, grid: Grid, shape_index: u32) -> Instance {
    let unit = f64::from(ROUNDING);
    let radius = f64::from(shape.radius);
    let image = pose.apply(centre);
    let anchor = grid.anchor(image);
    let offset = (image - grid.position(anchor)) / grid.quantum;
    let packed_offset = offset.as_vec2();
    let rotation = [pose.cos() as f32, pose.sin() as f32];
    let rotation_error =
        (f64::from(rotation[0]) - pose.cos()).abs().max((f64::from(rotation[1]) - pose.sin()).abs());
    let magnitude = (centre.abs().element_sum() + pose.translation().abs().max_element()) / grid.quantum;
    let offset_error = (packed_offset.as_dvec2() - offset).abs().max_element()
        + offset.abs().max_element() * f64::EPSILON
        + magnitude * 2f64.powi(-50);
    // A turned error vector is at most sqrt 2 as long in each coordinate; cos² + sin² is 1 within 1e-9.
    let host = (shape.error + rotation_error * radius) * 1.415 + offset_error;
    let turned = rotation != [1.0, 0.0];
    let device = match (turned, packed_offset != glam::Vec2::ZERO) {
        (true, _) => 3.0 * unit * (radius + 0.5),
        (false, true) => unit * (radius + 0.5),
        (false, false) => 0.0,
    };
    Instance {
        anchor: anchor.to_array(),
        offset: packed_offset.to_array(),
        rotation,
        shape_index,
        error: round_up((host + device) * (1.0 + 1e-3)),
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::geometry::{ConvexPolygon, Piece, posed_image::posed_image};
    use crate::grid::exponent_of;

    /// `x * 2^400`, exactly, for the magnitudes of these tests.
    fn scaled(x: f64) -> BigInt {
        let (mut x, mut shift) = (x, 400u32);
        while x != x.trunc() {
            x *= 2.0;
            shift -= 1;
        }
        BigInt::from(x as i128) << shift
    }

    /// The greatest distance, in quanta, between where a packed vertex lies and where the polygon's own image has it;
    /// both as exact integers.
    fn assert_within_error(set: &PolygonSet, extent: Aabb) {
        let grid = Grid::over(extent);
        let packed = Packed::new(Pieces::of(set), None, grid);
        for piece in 0..set.piece_count() {
            let instance = packed.instances[piece];
            let shape = packed.shapes[instance.shape_index as usize];
            assert!(instance.anchor.iter().all(|a| a.unsigned_abs() <= 1 << 30), "{instance:?}");
            let truth =
                posed_image(Piece { vertices: set.piece_vertices(piece), pose: set.piece_pose(piece) });
            let [c, s] = instance.rotation.map(f64::from);
            let run = shape.vertex_offset as usize..(shape.vertex_offset + shape.vertex_count) as usize;
            assert_eq!(run.len(), truth.len());
            for (v, truth) in packed.vertices[run].iter().zip(truth) {
                let [x, y] = v.map(f64::from);
                // f32 products are f64 exactly; the sum is in integers.
                let turned: [BigInt; 2] = [scaled(c * x) - scaled(s * y), scaled(s * x) + scaled(c * y)];
                for axis in 0..2 {
                    let local: BigInt = &turned[axis] + scaled(instance.offset[axis].into());
                    let anchor = grid.position(IVec2::from(instance.anchor))[axis];
                    // In units of 2^-400 quanta and of 2^-400 of the caller's unit.
                    let quantum_exponent = exponent_of(grid.quantum);
                    let placed: BigInt = if quantum_exponent >= 0 {
                        local << quantum_exponent
                    } else {
                        local >> -quantum_exponent
                    };
                    let difference: BigInt = placed + scaled(anchor) - (truth[axis].clone() << (400 - 390));
                    let bound = scaled(f64::from(instance.error) * grid.quantum);
                    assert!(
                        difference.magnitude() <= bound.magnitude(),
                        "piece {piece}, axis {axis}: {instance:?}"
                    );
                }
                assert!(v.iter().all(|x| x.abs() <= shape.radius), "{v:?} beyond {}", shape.radius);
            }
        }
    }

    fn ring(scale: f64, offset: f64) -> Vec<DVec2> {
        [[0.1, 0.2], [1.3, 0.0], [2.7, 1.1], [1.9, 2.3], [0.3, 1.7]]
            .map(|[x, y]| DVec2::new(x * scale + offset, y * scale - offset * 0.7))
            .to_vec()
    }

    #[test]
    fn packed_vertices_lie_within_the_stated_error_of_the_given_ones() {
        for (scale, offset) in
            [(1.0, 0.0), (1e-3, 1e6), (1e-6, 0.0), (1e-6, 1048576.0), (1e9, 1e3), (1.0, 1e12)]
        {
            let rings =
                [ring(scale, offset), ring(scale * 0.1, offset * 1.001), ring(scale, offset + scale * 7.0)];
            let polygons = rings.map(|r| ConvexPolygon::new(&r).expect("convex"));
            let set = PolygonSet::from_convex(&polygons).expect("few");
            assert_within_error(&set, set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union));
        }
    }

    #[test]
    fn posed_vertices_lie_within_the_stated_error_of_their_exact_image() {
        for (scale, offset, reach) in [(1.0, 0.0, 10.0), (1e-3, 10.0, 1e6), (1e3, 0.0, 1.0), (1.0, 1e6, 1e6)]
        {
            let shape = ConvexPolygon::new(&ring(scale, offset)).expect("convex");
            let instances: Vec<(usize, Pose)> = (0..50)
                .map(|i| {
                    (
                        0,
                        Pose::new(f64::from(i) * 0.37, [reach * f64::from(i % 7), -reach * 0.3])
                            .expect("finite"),
                    )
                })
                .collect();
            let set = PolygonSet::from_instances(&[shape.into()], &instances).expect("few");
            assert_within_error(&set, set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union));
        }
    }

    #[test]
    fn a_static_polygon_of_f32_vertices_about_its_anchor_has_next_to_no_error() {
        let square =
            ConvexPolygon::new(&[[0.0, 0.0], [64.0, 0.0], [64.0, 64.0], [0.0, 64.0]]).expect("convex");
        let set = PolygonSet::from_convex(&[square]).expect("few");
        let packed = Packed::new(Pieces::of(&set), None, Grid::over(set.piece_aabbs()[0]));
        let instance = packed.instances[0];
        assert_eq!((instance.offset, instance.rotation), ([0.0; 2], [1.0, 0.0]));
        assert!(instance.error <= packed.shapes[0].radius * 1e-15);
    }
}
