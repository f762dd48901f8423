//! Time of impact of two moving bodies.

#[cfg(doc)]
use crate::Engine;
use crate::answers::impact::{TimeOfImpact, TimeOfImpactOptions};

use crate::answers::measured::Answers;
use crate::answers::pair::Motion;
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::side::PairSide;
use crate::geometry::{MAX_COORDINATE, PolygonSet};
use crate::kernels::impacts::Motions;
#[cfg(not(target_family = "wasm"))]
use crate::queries::block_on::block_on;
use crate::queries::prepared::Prepared;

/// Radians that a body may turn in a step.
const MOST_TURN: f64 = (1u64 << 30) as f64;

impl Prepared<'_> {
    /// Computes when each given pair of pieces of the prepared sets first touches, as [`Engine::times_of_impact`] does.
    /// The prepared sets hold the pieces at the start of the step.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    #[cfg(not(target_family = "wasm"))]
    pub fn times_of_impact(
        &mut self,
        motions_a: &[Motion],
        motions_b: &[Motion],
        pairs: &[[u32; 2]],
        options: &TimeOfImpactOptions,
    ) -> Result<Answers<TimeOfImpact>> {
        block_on(self.times_of_impact_async(motions_a, motions_b, pairs, options))
    }

    /// Async form of [`Prepared::times_of_impact`]. Polling the future blocks the calling thread, as for
    /// [`Prepared::penetrations_async`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::times_of_impact`].
    pub async fn times_of_impact_async(
        &mut self,
        motions_a: &[Motion],
        motions_b: &[Motion],
        pairs: &[[u32; 2]],
        options: &TimeOfImpactOptions,
    ) -> Result<Answers<TimeOfImpact>> {
        let start = Instant::now();
        options.check()?;
        let [a, b] = self.sets();
        check_motions(a, motions_a, options.step, PairSide::A)?;
        check_motions(b, motions_b, options.step, PairSide::B)?;
        let motions = Motions { of_a: motions_a, of_b: motions_b, options };
        self.impacts(motions, pairs, start).await
    }
}

/// Returns an error if there is not one motion for each object, or if a motion is not finite or too large.
pub(super) fn check_motions(set: &PolygonSet, motions: &[Motion], step: f64, side: PairSide) -> Result<()> {
    if motions.len() != set.object_count() {
        let value = format!("{} for {} objects of {side}", motions.len(), set.object_count());
        return Err(Error::Option { option: "motions", value, problem: "give one for each object" });
    }
    motions.iter().enumerate().try_for_each(|(object, motion)| check_motion(motion, step, side, object))
}

/// Refuses a motion that is not finite, or beyond all measure.
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
        // Differences of what is accepted are finite.
        if (value * factor).abs() > most || value.abs() > f64::MAX / 4.0 {
            let problem = "goes beyond 2^201, or 2^30 radians, in the step; rescale, or shorten the step";
            return Err(Error::Motion { side, object, name, value, problem });
        }
    }
    Ok(())
}
