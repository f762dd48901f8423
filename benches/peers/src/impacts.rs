//! Compares the times of impact that sat2d finds with the times that Box2D's `b2TimeOfImpact` finds. Both run in turn on one
//! thread, over the same pairs.

use sat2d::{Impacts, Relations};
use std::hint::black_box;

use boxdd_sys::ffi::{
    b2Rot, b2ShapeProxy, b2Sweep, b2TOIInput, b2TOIOutput, b2TOIState_b2_toiStateFailed,
    b2TOIState_b2_toiStateHit, b2TOIState_b2_toiStateOverlapped, b2TimeOfImpact, b2Vec2,
};
use sat2d::glam::DVec2;
use sat2d::scenes::Scene;
use sat2d::{
    Aabb, Backend, Engine, ImpactOutcome, Motion, PolygonSet, Relation, TimeOfImpact, TimeOfImpactOptions,
    broad_phase,
};

use crate::bars::{self, Bar, Verdict};
use crate::machine::Machine;
use crate::measure::{Times, timed};
use crate::{APART, AnyError, Arguments, Rings};

#[cfg(test)]
mod tests;

/// The greatest separation between two bodies for which Box2D returns a hit: 1.25 times its linear slop.
const TOLERANCE: f64 = 0.005 * 1.25;
/// The speeds that are measured. Each has a name, the greatest velocity of a polygon, and its greatest angular
/// velocity. The half sides of the polygons are from 0.3 to 1.
const SPEEDS: [(&str, f64, f64); 3] = [("lines", 2.0, 0.0), ("turning", 2.0, 1.0), ("fast", 20.0, 1.0)];

/// The number of times at which the benchmark checks whether two moving polygons overlap, if the answers of sat2d and Box2D
/// for them differ.
const SAMPLES: usize = 400;

/// Measures every scene and every speed. If an answer of sat2d differs from Box2D's answer, the benchmark checks both at
/// sampled times. An answer is late if the polygons overlap at a sample before the time of the answer. The answers of sat2d
/// are right if none of the checked answers is late.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    println!("{}", Machine::here());
    println!(
        "sat2d on the CPU, 1 thread, tolerance {TOLERANCE}; Box2D at {}, b2TimeOfImpact\n",
        &boxdd_sys::UPSTREAM_SHA[..12]
    );
    println!(
        "{:<8} {:<8} {:>8} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>9} {:>8} {:>13}",
        "scene",
        "motion",
        "pairs",
        "sat2d ns",
        "Box2D ns",
        "ratio",
        "hits",
        "overlap",
        "apart",
        "refined",
        "differ",
        "late"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let count = arguments.count.as_ref().and_then(|counts| counts.first()).copied().unwrap_or(20_000);
    let (mut all, mut is_right) = (Vec::new(), true);
    for scene in arguments.scenes(APART).into_iter().filter(|&scene| scene != Scene::BigNgons) {
        let rings = scene.generate(count, arguments.seed);
        for speed in SPEEDS {
            let (bar, late) = pool.install(|| measure(scene, &rings, speed, arguments.repeats))?;
            all.push(bar);
            is_right &= late == 0;
        }
    }
    println!(
        "differ: another outcome, or a time that is 0.02 off; late: of these, overlapping before the time given, of"
    );
    println!("sat2d and of Box2D");
    bars::print(&all);
    Ok(Verdict::new(is_right, &all))
}

fn measure(
    scene: Scene,
    rings: &Rings,
    (name, speed, turn): (&str, f64, f64),
    repeats: u32,
) -> Result<(Bar, usize), AnyError> {
    let set = PolygonSet::from_convex_rings(rings)?;
    let motions: Vec<Motion> =
        rings.iter().enumerate().map(|(k, ring)| motion(k as u64, ring, speed, turn)).collect();
    let options = TimeOfImpactOptions::new(TOLERANCE);
    let boxes: Vec<Aabb> = set.swept_aabbs(&motions, options.step)?;
    let mut candidates = broad_phase::self_join(&boxes, None)?;
    let mut pairs = Vec::new();
    candidates.next_chunk(200_000, &mut pairs);
    let engine = Engine::new(Backend::Cpu)?;
    let mut prepared = engine.prepare(&set, &set)?;
    let bodies: Vec<_> = rings.iter().zip(&motions).map(|(ring, motion)| body(ring, motion)).collect();
    let box2d = || -> Result<Vec<b2TOIOutput>, AnyError> {
        Ok(pairs.iter().map(|&[a, b]| time_of_impact(&bodies[a as usize], &bodies[b as usize])).collect())
    };
    let mut ours = || prepared.piece_pairs(&pairs).query(Impacts::new(&motions, &motions, options));
    let (found, theirs) = (ours()?, box2d()?);
    let (mut times, mut their_times) = (Times::default(), Times::default());
    for _ in 0..repeats {
        black_box(timed(&mut times, &mut ours)?);
        black_box(timed(&mut their_times, box2d)?);
    }
    let per_pair = |times: &Times| times.median() * 1e9 / pairs.len() as f64;
    let ratio = their_times.median() / times.median();
    let of = |outcome| found.items.iter().filter(|f| f.outcome == outcome).count();
    let (mut differ, mut late) = (0, [0; 2]);
    for (pair, (ours, theirs)) in pairs.iter().zip(found.items.iter().zip(&theirs)) {
        if !agree(ours, theirs) {
            differ += 1;
            let times = [ours.time, f64::from(theirs.fraction)];
            for (late, is_late) in late.iter_mut().zip(are_late(&engine, rings, &motions, *pair, times)?) {
                *late += usize::from(is_late);
            }
        }
    }
    println!(
        "{:<8} {name:<8} {:>8} {:>9.0} {:>9.0} {ratio:>7.2} {:>8} {:>8} {:>8} {:>9} {differ:>8} {:>6} {:>6}",
        scene.to_string(),
        pairs.len(),
        per_pair(&times),
        per_pair(&their_times),
        of(ImpactOutcome::Hit),
        of(ImpactOutcome::OverlappingAtStart),
        of(ImpactOutcome::Apart),
        found.counts.refined,
        late[0],
        late[1],
    );
    Ok((Bar::at_least(format!("{scene}, {name}: times as fast as Box2D"), ratio, 1.0), late[0]))
}

/// Returns, for each of two times, whether the polygons overlap at a sample before this time. Returns false for both times if
/// the polygons overlap at the start. The vertices at a sample are rounded to f64, and exact predicates decide their relation.
fn are_late(
    engine: &Engine,
    rings: &Rings,
    motions: &[Motion],
    [a, b]: [u32; 2],
    times: [f64; 2],
) -> Result<[bool; 2], AnyError> {
    let end = times[0].max(times[1]);
    let at: Vec<f64> = (0..SAMPLES).map(|k| end * k as f64 / SAMPLES as f64).collect();
    let set_of = |body: u32| {
        let (ring, motion) = (&rings[body as usize], &motions[body as usize]);
        let place =
            |&time: &f64| -> Vec<DVec2> { ring.iter().map(|&v| motion.place(v.into(), time)).collect() };
        PolygonSet::from_convex_rings(&at.iter().map(place).collect::<Vec<_>>())
    };
    let pairs: Vec<[u32; 2]> = (0..SAMPLES as u32).map(|k| [k, k]).collect();
    let relations = engine.piece_pairs(&set_of(a)?, &set_of(b)?, &pairs).query(Relations)?.items;
    if relations[0] == Relation::Overlapping {
        return Ok([false; 2]);
    }
    let first = at.iter().zip(&relations).find(|(_, relation)| **relation == Relation::Overlapping);
    Ok(times.map(|time| first.is_some_and(|(first, _)| *first < time)))
}

/// Returns whether the answers of sat2d and Box2D agree, within a tolerance. Box2D blends rotations, so its motion differs
/// slightly from a steady one.
fn agree(ours: &TimeOfImpact, theirs: &b2TOIOutput) -> bool {
    #[allow(non_upper_case_globals, reason = "Box2D's names")]
    let outcome = match theirs.state {
        b2TOIState_b2_toiStateHit => ImpactOutcome::Hit,
        b2TOIState_b2_toiStateOverlapped => ImpactOutcome::OverlappingAtStart,
        b2TOIState_b2_toiStateFailed => return false,
        _ => ImpactOutcome::Apart,
    };
    ours.outcome == outcome && (ours.time - f64::from(theirs.fraction)).abs() < 0.02
}

/// Returns a random motion of a polygon about the mean of its vertices. The seed is `number`, the index of the polygon. Each
/// component of the velocity is uniform in `-speed..speed`, and the angular velocity is uniform in `-turn..turn`.
fn motion(number: u64, ring: &[[f64; 2]], speed: f64, turn: f64) -> Motion {
    let uniform = |salt: u64| {
        let mut x = (number * 3 + salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let centre = ring.iter().map(|&v| DVec2::from(v)).sum::<DVec2>() / ring.len() as f64;
    Motion { linear: DVec2::new(uniform(0), uniform(1)) * speed, angular: uniform(2) * turn, centre }
}

struct Body {
    proxy: b2ShapeProxy,
    sweep: b2Sweep,
}

fn body(ring: &[[f64; 2]], motion: &Motion) -> Body {
    let vector = |v: DVec2| b2Vec2 { x: v.x as f32, y: v.y as f32 };
    let mut points = [b2Vec2 { x: 0.0, y: 0.0 }; 8];
    for (point, &v) in points.iter_mut().zip(ring) {
        *point = vector(DVec2::from(v) - motion.centre);
    }
    let proxy = b2ShapeProxy { points, count: ring.len() as i32, radius: 0.0 };
    let (sin, cos) = motion.angular.sin_cos();
    let sweep = b2Sweep {
        localCenter: b2Vec2 { x: 0.0, y: 0.0 },
        c1: vector(motion.centre),
        c2: vector(motion.centre + motion.linear),
        q1: b2Rot { c: 1.0, s: 0.0 },
        q2: b2Rot { c: cos as f32, s: sin as f32 },
    };
    Body { proxy, sweep }
}

#[allow(unsafe_code)]
fn time_of_impact(a: &Body, b: &Body) -> b2TOIOutput {
    let input =
        b2TOIInput { proxyA: a.proxy, proxyB: b.proxy, sweepA: a.sweep, sweepB: b.sweep, maxFraction: 1.0 };
    // SAFETY: the input has two proxies of 3 to 8 points and rotations of length 1. The function only reads it.
    unsafe { b2TimeOfImpact(&raw const input) }
}
