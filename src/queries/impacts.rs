//! Checks the motions of objects.

use crate::answers::pair::Motion;
use crate::base::error::{Error, Result};
use crate::base::side::PairSide;
use crate::geometry::{MAX_COORDINATE, PolygonSet};

/// The maximum rotation of an object in a step, in radians.
const MOST_TURN: f64 = (1u64 << 30) as f64;

/// Returns an error if the number of motions differs from the number of objects, or if a motion is not finite or too large.
pub(super) fn check_motions(set: &PolygonSet, motions: &[Motion], step: f64, side: PairSide) -> Result<()> {
    if motions.len() != set.object_count() {
        let value = format!("{} for {} objects of {side}", motions.len(), set.object_count());
        return Err(Error::Option { option: "motions", value, problem: "give one for each object" });
    }
    motions.iter().enumerate().try_for_each(|(object, motion)| check_motion(motion, step, side, object))
}

/// Returns an error if a value of a motion is not finite, or if the motion moves an object too far or turns it too much
/// in a step of duration `step`. `side` and `object` name the object in the error.
pub(super) fn check_motion(motion: &Motion, step: f64, side: PairSide, object: usize) -> Result<()> {
    let Motion { linear, angular, centre } = *motion;
    let values = [
        ("linear.x", linear.x, step, MAX_COORDINATE),
        ("linear.y", linear.y, step, MAX_COORDINATE),
        ("angular", angular, step, MOST_TURN),
        ("centre.x", centre.x, 1.0, MAX_COORDINATE),
        ("centre.y", centre.y, 1.0, MAX_COORDINATE),
    ];
    for (name, value, factor, most) in values {
        if !value.is_finite() {
            let problem = "is not finite; give a finite number";
            return Err(Error::Motion { side, object, name, value, problem });
        }
        // The limit keeps the difference between any two accepted values finite.
        if (value * factor).abs() > most || value.abs() > f64::MAX / 4.0 {
            let problem = "goes beyond 2^201, or 2^30 radians, in the step; rescale, or shorten the step";
            return Err(Error::Motion { side, object, name, value, problem });
        }
    }
    Ok(())
}
