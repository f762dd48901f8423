//! Finds all pairs of moving objects that have an impact in a step. The broad phase of this join uses the boxes that
//! the moving objects sweep.

use glam::DVec2;

use super::drive::Query;
use super::joins::{JoinQuery, Request, UsedOptions};
use super::kinds::Impacts;
use crate::answers::envelope::Answers;
use crate::answers::impact::{ImpactOutcome, TimeOfImpact, check_step};
use crate::answers::measured::MeasuredPair;
use crate::answers::pair::Motion;
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::base::side::PairSide;
use crate::broad_phase;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::kernels::impacts::{Motions, Moving};
use crate::kernels::log::Log;
use crate::kernels::proposer::{Hint, Known, Lists, Uses};
use crate::queries::impacts::check_motions;
use crate::queries::progress::Progress;

/// A bound on the rounding error of a coordinate of a swept box, relative to the coordinates that it is computed from.
/// The real error is much smaller.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

impl PolygonSet {
    /// Returns a closed box for each piece, in the caller's unit. The box of a piece contains the path of the piece in
    /// a step of duration `step`, including the rotation. `motions` holds one motion for each object. A motion starts
    /// at the position of the object in the set.
    ///
    /// During the step, the centre of rotation moves on a straight line, and each vertex moves along an arc about the centre. Let
    /// `r` be the distance of the vertex from the centre, which stays the same. Let `angle` be the rotation during the step, in
    /// radians. The deviation of the arc from the straight path between its two ends is at most `r * angle² / 8`, by the error
    /// bound of linear interpolation.
    ///
    /// # Errors
    /// Returns the errors that [`Impacts`] returns for invalid motions, for a wrong number of motions, and for a step that is
    /// negative, infinite or NaN.
    ///
    /// ```
    /// use sat2d::{Motion, PolygonSet, glam::DVec2};
    /// let set = PolygonSet::from_convex_rings(&[[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]])?;
    /// let falling = Motion { linear: DVec2::new(0.0, -4.0), ..Motion::REST };
    /// let swept = set.swept_aabbs(&[falling], 0.5)?[0];
    /// assert!(swept.min.y <= -2.0 && swept.min.y > -2.001 && swept.max.y >= 1.0);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn swept_aabbs(&self, motions: &[Motion], step: f64) -> Result<Vec<Aabb>> {
        check_step(step)?;
        check_motions(self, motions, step, PairSide::A)?;
        Ok(self.swept(motions, step))
    }

    /// Returns the result of [`PolygonSet::swept_aabbs`]: for each piece, a closed box that contains the path of the
    /// piece in a step of duration `step`. This function does not check the motions, which must be valid.
    fn swept(&self, motions: &[Motion], step: f64) -> Vec<Aabb> {
        let starts = self.piece_boxes();
        let swept = |piece: usize| {
            let world = self.piece_vertices(piece).iter().map(|&v| self.piece_pose(piece).apply(v));
            swept(starts[piece], world, &motions[self.piece_object(piece)], step)
        };
        (0..self.piece_count()).into_par_iter().map(swept).collect()
    }
}

/// Returns the box of the path of a piece during a step. `start` is the box of the piece at the start of the step, and
/// `vertices` are its vertices there.
fn swept(start: Aabb, vertices: impl Iterator<Item = DVec2>, motion: &Motion, step: f64) -> Aabb {
    let way = motion.linear * step;
    let grown = |aabb: Aabb, by: f64| Aabb { min: aabb.min - by, max: aabb.max + by };
    let magnitude = start.min.abs().max(start.max.abs()).max_element() + way.abs().max_element();
    let angle = motion.angular * step;
    if angle == 0.0 {
        let end = Aabb { min: start.min + way, max: start.max + way };
        return grown(start.union(end), ROUNDING * magnitude);
    }
    let (mut end, mut radius) = (Aabb::EMPTY, 0.0f64);
    for v in vertices {
        let place = motion.place(v, step);
        end = end.union(Aabb { min: place, max: place });
        radius = radius.max(v.distance(motion.centre));
    }
    let magnitude = magnitude + motion.centre.abs().max_element() + radius * (1.0 + angle.abs());
    let along_chords = grown(start.union(end), angle * angle / 8.0 * radius);
    let centres = Aabb::around(&[motion.centre, motion.centre + way]);
    let around_centres = grown(centres, radius);
    let both =
        Aabb { min: along_chords.min.max(around_centres.min), max: along_chords.max.min(around_centres.max) };
    grown(both, ROUNDING * magnitude)
}

impl JoinQuery for Impacts<'_> {
    type Output = Answers<MeasuredPair<TimeOfImpact>>;

    async fn run(self, request: Request<'_>) -> Result<Self::Output> {
        request.check_options(UsedOptions::NOTHING)?;
        let start = Instant::now();
        let stage = |name| request.drive.progress.inspect(|progress: &&dyn Progress| progress.stage(name));
        let Self { motions_a, motions_b, options } = self;
        options.check()?;
        let (a, other) = (request.a.cores, request.other.map(|side| side.cores));
        if other.is_none() && !std::ptr::eq(motions_a, motions_b) {
            let value = "two lists for one set".to_owned();
            let problem = "must be one list, the same slice twice, in a self-join; use `Impacts::of_one_set`";
            return Err(Error::Option { option: "motions", value, problem });
        }
        let b = other.unwrap_or(a);
        check_motions(a, motions_a, options.step, PairSide::A)?;
        check_motions(b, motions_b, options.step, PairSide::B)?;
        stage("broad phase");
        let broad_phase_start = Instant::now();
        let boxes = |set: &PolygonSet, motions: &[Motion]| {
            let mut boxes = set.swept(motions, options.step);
            // Two pieces that come as near as the tolerance must be a candidate pair, so each box grows by the
            // tolerance.
            boxes.par_iter_mut().for_each(|aabb| {
                aabb.min -= options.tolerance;
                aabb.max += options.tolerance;
            });
            boxes
        };
        let boxes_a = boxes(a, motions_a);
        let mut candidates = match other {
            None => broad_phase::self_join(&boxes_a, a.piece_objects())?,
            Some(b) => broad_phase::join(&boxes_a, &boxes(b, motions_b))?,
        };
        let choice = request.backends.choice_for(0, |most| candidates.count_up_to(most));
        let broad_phase = broad_phase_start.elapsed();
        stage("packing");
        let mut prepared = request.backends.prepare_on(choice, [a, b], Lists::One, Hint::default()).await?;
        let moving = prepared.moving(Motions { of_a: motions_a, of_b: motions_b, options: &options })?;
        let before = start.elapsed();
        stage("narrow phase");
        let mut query =
            Impacting { moving: &moving, sides: [a, b].map(Pieces::of), pairs: Vec::new(), refined: 0 };
        let mut log = prepared.drive(&mut candidates, &mut query, request.drive).await?;
        log.timings.broad_phase += broad_phase;
        // The time of packing includes all other work before the walk.
        log.timings.pack = before.saturating_sub(broad_phase + log.timings.upload);
        log.timings.total = before;
        stage("sorting");
        let start = Instant::now();
        let Impacting { mut pairs, refined, .. } = query;
        // If several pairs of pieces of two objects have an impact, the earliest impact is kept, even if its outcome is
        // unknown.
        pairs.par_sort_unstable_by(|x, y| {
            let key = |p: &ObjectImpact| (p.a, p.b);
            let when = x.measurement.time.total_cmp(&y.measurement.time);
            let pieces = |p: &ObjectImpact| (p.measurement.outcome, [p.piece_a, p.piece_b]);
            key(x).cmp(&key(y)).then(when).then(pieces(x).cmp(&pieces(y)))
        });
        pairs.dedup_by_key(|pair| (pair.a, pair.b));
        log.timings.collect += start.elapsed();
        let mut answers = log.answers(pairs, prepared.choice());
        answers.counts.refined = refined;
        Ok(answers)
    }
}

type ObjectImpact = MeasuredPair<TimeOfImpact>;

/// Collects the pairs of pieces that do not certainly stay apart during the step, with the objects to which the pieces
/// belong.
struct Impacting<'a> {
    moving: &'a Moving<'a>,
    sides: [Pieces<'a>; 2],
    pairs: Vec<ObjectImpact>,
    refined: u64,
}

impl Uses for Impacting<'_> {
    const IMPACTS: bool = true;
}

impl Query for Impacting<'_> {
    fn hint(&self) -> Hint<'_> {
        Hint { impacts: Some(self.moving), ..Hint::default() }
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, _: u32) -> Result<()> {
        let start = Instant::now();
        let (found, refined) = self.moving.times_of_impact(self.sides, pairs, &known.impacts);
        self.refined += refined;
        let hits = pairs.iter().zip(found).filter(|(_, impact)| impact.outcome != ImpactOutcome::Apart);
        let [a, b] = self.sides;
        self.pairs.extend(hits.map(|(&[i, j], impact)| ObjectImpact {
            a: a.object(i as usize) as u32,
            b: b.object(j as usize) as u32,
            piece_a: i,
            piece_b: j,
            measurement: impact,
        }));
        log.timings.measure += start.elapsed();
        Ok(())
    }
}
