//! The records of motions that the f32 kernels read.
//!
//! Let R be the rotation over the step, c the centre of rotation, and u = 2^-23. A kernel moves a vertex v by
//! `(R - 1) (v - c) + linear`. The relative error of each number of the record is at most u / 2. Let r be the longest arm,
//! and θ the angle of the whole step. The error of the moved vertex is at most the sum of
//!
//! | source | at most |
//! |---|---|
//! | displacement | u \|linear\|, or twice this if another displacement is subtracted |
//! | centre, and the arm that is computed from it | u (\|c\| + \|v\|) each, times \|R - 1\| <= min(\|θ\|, 2) |
//! | angle, and its product with the time | u \|θ\| r each |
//! | sine and versine (`turn_by`) | u \|θ\| r, plus 4 u of their own magnitude times r |
//! | products of sines and arms, and their sums | 4 u times the chord, which is at most r \|θ\| |
//!
//! The error bound in the record is greater than the sum of these errors.

use glam::DVec2;

use crate::answers::pair::Motion;
use crate::geometry::Piece;
use crate::packed::grid::round_up;
use crate::packed::layout::MotionRecord;

/// f32 is used only for displacements and arms shorter than this length, in quanta of the
/// [`Grid`](crate::packed::grid::Grid). The squares of greater lengths could overflow in f32, so f64 decides pairs with
/// such lengths.
const MOST_LENGTH: f64 = (1u64 << 40) as f64;
/// f32 is used only for motions whose angle is smaller than this, in radians. f64 decides pairs with greater angles.
const MOST_ANGLE: f64 = 512.0;
/// The error that is stored in the record of a motion that f32 cannot represent. It makes every pair with this motion
/// uncertain.
const UNKNOWN: f32 = f32::from_bits((127 + 100) << 23);

/// Returns the record of a piece's motion over a step, in quanta, relative to the piece's anchor at `origin`.
pub(crate) fn record(
    piece: Piece<'_>,
    motion: &Motion,
    step: f64,
    origin: DVec2,
    quantum: f64,
) -> MotionRecord {
    let per_unit = 1.0 / quantum;
    let angular = motion.angular * step;
    let linear = motion.linear * step * per_unit;
    let local = |v: DVec2| (v - origin) * per_unit;
    // If the piece does not rotate, the record has the anchor as the centre.
    let centre = if angular == 0.0 { DVec2::ZERO } else { local(motion.centre) };
    let (mut radius, mut extent, mut world) = (0.0f64, 0.0f64, 0.0f64);
    for &v in piece.vertices {
        let image = piece.pose.apply(v);
        let place = local(image);
        radius = radius.max(place.distance(centre));
        extent = extent.max(place.length());
        world = world.max(image.abs().max_element().max(v.abs().max_element()));
    }
    let largest = linear.abs().max_element().max(centre.abs().max_element()).max(radius);
    // A product may have overflowed to NaN, for which this comparison is false.
    let is_known = largest < MOST_LENGTH && angular.abs() < MOST_ANGLE;
    if !is_known {
        return MotionRecord { error: UNKNOWN, ..MotionRecord::default() };
    }
    let unit = f64::from(f32::EPSILON);
    let angle = angular.abs();
    let error = unit
        * (6.0 * linear.length() + 14.0 * radius * angle + 4.0 * angle.min(2.0) * (centre.length() + extent));
    // Far from the origin, rounding of the world's coordinates adds an error.
    let rounding = world * per_unit * 2f64.powi(-48);
    MotionRecord {
        linear: linear.as_vec2().to_array(),
        centre: centre.as_vec2().to_array(),
        angular: angular as f32,
        radius: round_up((radius + rounding) * (1.0 + unit) + unit * centre.length()),
        error: round_up(error + rounding * angle.min(2.0)),
        padding: 0.0,
    }
}
