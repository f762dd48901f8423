//! Tests of the effect of seams on contacts, with cases computed by hand.

use super::super::{BodyOptions, World, WorldOptions};
use super::*;
use crate::packed::records::{Head, View};
use crate::{ConvexPolygon, RoundedShape};

/// Returns the seams of static boxes of width and height 1. The box with the centre `centres[k]` has row `k`.
fn seams(centres: &[[f64; 2]]) -> Seams {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let unit = ConvexPolygon::new(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]).unwrap();
    let shape = world.add_shape(&RoundedShape::polygon(&unit, 0.0).unwrap()).unwrap();
    for &at in centres {
        world.add(&BodyOptions::fixed(shape, at)).unwrap();
    }
    let mut seams = Seams::default();
    assert!(seams.update(&world.bodies, &world.shapes, &world.grid, 0.01).unwrap() || centres.len() == 1);
    assert!(!seams.update(&world.bodies, &world.shapes, &world.grid, 0.01).unwrap(), "nothing changed");
    seams
}

fn assert_turned(found: Exposure, normal: [f32; 2], separation: f32) {
    match found {
        Exposure::Turned { normal: n, separation: s, .. } => {
            let off = difference(n, normal);
            assert!(dot(off, off).sqrt() < 1e-6 && (s - separation).abs() < 1e-6, "{found:?}");
        }
        _ => panic!("{found:?}"),
    }
}

/// Checks cases that were computed by hand, for the second of two tiles in a row. The left side of this tile is a
/// seam.
#[test]
fn a_seam_hides_its_edges_and_turns_contacts_at_its_vertices() {
    let seams = seams(&[[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]);
    assert!(seams.has(0) && seams.has(1) && !seams.has(2) && !seams.has(3));
    // The centre of the other body is in the direction of the normal.
    let of = |points: &[([f32; 2], f32)], normal: [f32; 2]| {
        let other = [0, 1].map(|axis| points[0].0[axis] + 0.3 * normal[axis]);
        seams.exposure(1, Surface { points, normal, other, is_disc: false })
    };
    let corner = [-0.5, 0.5];
    // The top of the tile is open, even at its end.
    for x in [-0.5, 0.0, 0.5] {
        assert_eq!(of(&[([x, 0.5], -0.01)], [0.0, 1.0]), Exposure::Open);
    }
    // The right side and its upper corner are open in every direction between their normals.
    assert_eq!(of(&[([0.5, 0.4], 0.0), ([0.5, 0.5], 0.0)], [1.0, 0.0]), Exposure::Open);
    assert_eq!(of(&[([0.5, 0.5], 0.0)], [0.6, 0.8]), Exposure::Open);
    // The left side of the tile is hidden. A body that does not touch this side yet has no contact. A body that
    // overlaps the side by 0.02 is lifted by 0.02.
    assert_eq!(of(&[([-0.5, 0.3], 0.1)], [-1.0, 0.0]), Exposure::Hidden);
    // Only the lower end of the side of a body meets the upper end of the left side. The contact point is the upper end of the
    // body's side.
    assert_eq!(of(&[([-0.5, 2.5], 0.003)], [-1.0, 0.0]), Exposure::Hidden);
    let turned = of(&[([-0.5, 2.5], -0.001)], [-1.0, 0.0]);
    assert_turned(turned, [0.0, 1.0], 0.0);
    assert!(matches!(turned, Exposure::Turned { at, .. } if at == corner), "{turned:?}");
    assert_turned(of(&[([-0.5, 0.48], -0.001), (corner, -0.001)], [-1.0, 0.0]), [0.0, 1.0], -0.02);
    // The nearer end of the left side is its lower end. It turns the contact of a body that is there, but not of a body that is
    // farther up. A disc inside the row has no contact with this side.
    let inside = [([-0.5, -0.4], -0.001)];
    let normal = [-1.0, 0.0];
    let from = |other, is_disc| seams.exposure(1, Surface { points: &inside, normal, other, is_disc });
    assert_turned(from([-0.8, -0.5], false), [0.0, -1.0], -0.1);
    assert_eq!(from([-0.8, -0.4], false), Exposure::Hidden);
    assert_eq!(from([-0.8, -0.4], true), Exposure::Hidden);
    // At the corner, only the upward direction is open.
    assert_eq!(of(&[(corner, -0.003)], [0.0, 1.0]), Exposure::Open);
    // The depth along the normal becomes the depth along the upward direction.
    assert_turned(of(&[(corner, -0.003)], [-0.8, 0.6]), [0.0, 1.0], -0.005);
    // A body that does not touch the corner yet has no contact, unless the normal is nearly upward.
    assert_turned(of(&[(corner, 0.003)], [-0.01, 0.99995]), [0.0, 1.0], 0.003);
    assert_eq!(of(&[(corner, 0.003)], [-0.8, 0.6]), Exposure::Hidden);
    // If the corner is hidden, a point on the top stays, with the normal of the top.
    assert_turned(of(&[(corner, 0.003), ([0.2, 0.5], 0.004)], [-0.6, 0.8]), [0.0, 1.0], 0.005);
    // If the deepest point is not hidden, the contact stays as it is.
    assert_eq!(of(&[(corner, -0.003), ([0.2, 0.5], -0.004)], [-0.1, 0.995]), Exposure::Open);
}

#[test]
fn an_inner_corner_hides_nothing_of_its_edges() {
    // A tile on another tile, and a tile beside the lower tile. The right side of the upper tile meets the top of
    // the last tile.
    let seams = seams(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let of = |body, points: &[([f32; 2], f32)], normal: [f32; 2]| {
        seams.exposure(body, Surface { points, normal, other: normal, is_disc: false })
    };
    assert_eq!(of(2, &[([0.5, -0.5], 0.0), ([0.5, 0.3], 0.0)], [1.0, 0.0]), Exposure::Open);
    assert_eq!(of(1, &[([-0.5, 0.5], 0.0), ([0.3, 0.5], 0.0)], [0.0, 1.0]), Exposure::Open);
    // The lower side of the upper tile lies on the first tile.
    assert_eq!(of(2, &[([0.0, -0.5], 0.1)], [0.0, -1.0]), Exposure::Hidden);
}

/// Checks contacts of a row of three tiles and of a tile on the last tile, with a box that lands flat on them.
#[test]
fn a_flat_contact_beside_the_centre_of_mass_has_a_neighbour() {
    let seams = seams(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]]);
    // `x` is the position of the box, and `points` are the ends of the contact, relative to the centre of the tile.
    let of = |body, x: f32, points: [f32; 2], gaps: [f32; 2]| {
        let points = [([points[0], 0.5], gaps[0]), ([points[1], 0.5], gaps[1])];
        // The core of a box of width 2 that lands.
        let head = Head { vertex_count: 4, ..Head::default() };
        let (x_row, y_row) = ([-1.0, 1.0, 1.0, -1.0, -1.0], [-0.4, -0.4, 0.4, 0.4, -0.4]);
        let core = View { head: &head, x: &x_row, y: &y_row };
        let lander = Lander { core, offset: [0.0; 2], quantum: 1.0 };
        let surface = Surface { points: &points, normal: [0.0, 1.0], other: [x, 0.9], is_disc: false };
        seams.is_beside(body, surface, &lander, [0.0, -0.1])
    };
    // The box is above the middle tile.
    assert!(of(0, 0.9, [0.1, 0.5], [0.01, 0.01]) && of(0, 0.9, [0.5, 0.1], [0.01, 0.01]));
    assert!(!of(1, -0.1, [-0.5, 0.5], [0.01, 0.01]));
    // The box is above the first tile, and its other contact is on the left end of the middle tile.
    assert!(of(1, -0.6, [-0.5, -0.2], [0.01, 0.01]));
    // The box is inclined, or its contact ends before the end of the tile.
    assert!(!of(1, -0.6, [-0.5, -0.2], [0.01, 0.02]) && !of(1, -0.6, [-0.4, -0.2], [0.01, 0.01]));
    // No tile continues the first tile to the left. The upper tile covers the end of the middle tile.
    assert!(!of(0, -0.6, [-0.5, -0.2], [0.01, 0.01]) && !of(1, 0.6, [0.2, 0.5], [0.01, 0.01]));
    // The box is above the seam, so no tile holds it alone.
    assert!(!of(0, 0.5005, [0.1, 0.5], [0.01, 0.01]) && of(0, 0.502, [0.1, 0.5], [0.01, 0.01]));
}

/// Checks contacts at an inner corner: the left side of a tile that stands on the last tile of a row.
#[test]
fn an_inner_corner_cuts_a_contact() {
    let seams = seams(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    let of = |body, points: [[f32; 2]; 2], normal: [f32; 2], other: [f32; 2]| {
        let points = points.map(|point| (point, 0.01));
        seams.is_cut(body, Surface { points: &points, normal, other, is_disc: false })
    };
    // The lower end of the left side is in the corner, and the upper end is not. The centre of mass is below the contact.
    let left = |points| of(2, points, [-1.0, 0.0], [-0.9, -0.6]);
    assert!(left([[-0.5, -0.5], [-0.5, 0.2]]));
    assert!(!left([[-0.5, -0.4], [-0.5, 0.2]]) && !left([[-0.5, 0.0], [-0.5, 0.5]]));
    // The right end of the first tile's top is in the corner. The left end is free.
    let top = |points| of(0, points, [0.0, 1.0], [0.6, 0.9]);
    assert!(top([[0.1, 0.5], [0.5, 0.5]]) && !top([[-0.5, 0.5], [0.1, 0.5]]));
    // The centre of mass is above the contact.
    assert!(!of(0, [[0.1, 0.5], [0.5, 0.5]], [0.0, 1.0], [0.3, 0.9]));
}

#[test]
fn bodies_apart_have_no_seams() {
    assert!(seams(&[[0.0, 0.0]]).is_empty());
    let mut world = World::new(WorldOptions::default()).unwrap();
    let circle = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    for x in [0.0, 1.0] {
        world.add(&BodyOptions::fixed(circle, [x, 0.0])).unwrap();
    }
    let mut seams = Seams::default();
    assert!(!seams.update(&world.bodies, &world.shapes, &world.grid, 0.01).unwrap() && seams.is_empty());
}
