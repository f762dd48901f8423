use std::f64::consts::{FRAC_PI_2, TAU};

use glam::DVec2;
use sat2d::{Error, ImpactOutcome, Impacts, Motion, TimeOfImpact, TimeOfImpactOptions, glam};

use super::textbook::{self, along};
use super::{CPU, Ring, engines, moved, set};

/// The motion of two bodies during one step, and the options of the query.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) a: Ring,
    pub(crate) b: Ring,
    pub(crate) motions: [Motion; 2],
    pub(crate) options: TimeOfImpactOptions,
}

const REST: Motion = Motion::REST;

pub(crate) fn linear(x: f64, y: f64) -> Motion {
    Motion { linear: DVec2::new(x, y), ..REST }
}

pub(crate) fn turning(angular: f64, centre: [f64; 2]) -> Motion {
    Motion { angular, centre: centre.into(), ..REST }
}

pub(crate) fn rectangle(min: [f64; 2], max: [f64; 2]) -> Ring {
    vec![min, [max[0], min[1]], max, [min[0], max[1]]]
}

impl Case {
    pub(crate) fn new(a: Ring, motion_a: Motion, b: Ring, motion_b: Motion, tolerance: f64) -> Self {
        Self { a, b, motions: [motion_a, motion_b], options: TimeOfImpactOptions::new(tolerance) }
    }

    /// Returns both polygons at a fraction of the step, relative to the first vertex of A at the start.
    pub(crate) fn at(&self, part: f64) -> (Vec<DVec2>, Vec<DVec2>) {
        let origin = DVec2::from(self.a[0]);
        let time = part * self.options.step;
        let place = |ring: &Ring, motion: &Motion| {
            let (sin, cos) = (motion.angular * time).sin_cos();
            let centre = if motion.angular == 0.0 { origin } else { motion.centre };
            ring.iter()
                .map(|&v| {
                    let arm = DVec2::from(v) - centre;
                    let turned = DVec2::new(cos * arm.x - sin * arm.y, sin * arm.x + cos * arm.y);
                    (centre - origin) + turned + motion.linear * time
                })
                .collect()
        };
        (place(&self.a, &self.motions[0]), place(&self.b, &self.motions[1]))
    }

    /// Returns the gap between the two polygons at a fraction of the step. The gap is 0 or less if the polygons meet.
    pub(crate) fn gap(&self, part: f64) -> f64 {
        let (a, b) = self.at(part);
        let separation = textbook::separation(&a, &b);
        if separation > 0.0 { textbook::distance(&a, &b) } else { separation }
    }

    pub(crate) fn size(&self) -> f64 {
        let (a, b) = self.at(0.0);
        let centre = |motion: &Motion| {
            if motion.angular == 0.0 {
                0.0
            } else {
                (motion.centre - DVec2::from(self.a[0])).length() * motion.angular.abs()
            }
        };
        textbook::size(&a, &b)
            + self.motions.iter().map(|m| (m.linear.length() + centre(m)) * self.options.step).sum::<f64>()
    }

    /// Returns the times from 0 to `end` at which a test measures the gap: evenly spaced times, and times that approach `end`.
    pub(crate) fn samples(end: f64) -> impl Iterator<Item = f64> {
        let even = (0..=600).map(move |k| end * f64::from(k) / 600.0);
        even.chain((0..40).map(move |k| end * (1.0 - 0.5f64.powi(k))))
    }

    /// Asserts all promises that the library makes about a time of impact.
    pub(crate) fn assert_right(&self, found: &TimeOfImpact, name: &str) {
        let name = format!("{name}: {found:?} {self:?}");
        let rounding = 1e-13 * self.size();
        assert!((0.0..=1.0).contains(&found.time), "{name}");
        assert_eq!(
            found.impact.is_some(),
            matches!(found.outcome, ImpactOutcome::Hit | ImpactOutcome::OverlappingAtStart),
            "{name}"
        );
        if let Some(impact) = found.impact {
            assert!((impact.normal.length() - 1.0).abs() < 1e-9, "{name}");
            assert!(impact.point.is_finite(), "{name}");
        }
        if found.outcome == ImpactOutcome::OverlappingAtStart {
            assert!(found.time == 0.0 && self.gap(0.0) < rounding, "{name}");
            return;
        }
        // Nothing touches before the time of impact.
        for part in Self::samples(found.time) {
            let gap = self.gap(part);
            let touches_at_start = found.time == 0.0 && gap >= -rounding;
            assert!(gap > 0.0 || touches_at_start, "{name}: {gap} apart at {part}");
        }
        if found.outcome == ImpactOutcome::Hit {
            let tolerance = self.options.tolerance + 1e-11 * self.size();
            let gap = self.gap(found.time);
            assert!(gap <= tolerance, "{name}: {gap} apart then");
            let impact = found.impact.unwrap();
            let (a, b) = self.at(found.time);
            // If the gap is small compared to the rounding errors, the direction of the normal is less certain than the
            // gap.
            assert!(along(impact.normal, &a, &b) >= -tolerance, "{name}");
            let world = DVec2::from(self.a[0]);
            let point = impact.point - world;
            let near = tolerance + 4.0 * f64::EPSILON * world.length();
            let around: Vec<DVec2> = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
                .iter()
                .map(|&v| point + DVec2::from(v) * 1e-3 * near)
                .collect();
            for polygon in [&a, &b] {
                let apart = if textbook::separation(&around, polygon) > 0.0 {
                    textbook::distance(&around, polygon)
                } else {
                    0.0
                };
                assert!(apart <= near, "{name}: the point is {apart} away");
            }
        }
    }

    /// Returns the answers of all backends, after checking each.
    pub(crate) fn answers(&self) -> Vec<TimeOfImpact> {
        let (a, b) = (set(std::slice::from_ref(&self.a)), set(std::slice::from_ref(&self.b)));
        let of = |(name, engine): (&str, &sat2d::Engine)| {
            let [motion_a, motion_b] = self.motions;
            let found = engine
                .piece_pairs(&a, &b, &[[0, 0]])
                .query(Impacts::new(&[motion_a], &[motion_b], self.options))
                .unwrap();
            self.assert_right(&found.items[0], name);
            found.items[0]
        };
        engines().into_iter().map(of).collect()
    }

    /// Asserts that every backend finds a hit at `time` or before. `speed` is the speed at which the bodies approach.
    /// The gap that is left at the hit must be within the tolerance.
    pub(crate) fn assert_hits(&self, time: f64, speed: f64) {
        for found in self.answers() {
            assert_eq!(found.outcome, ImpactOutcome::Hit, "{found:?} {self:?}");
            let early = (time - found.time) * speed;
            let rounding = 1e-11 * self.size();
            assert!(
                (-rounding..=self.options.tolerance + rounding).contains(&early),
                "{found:?}, not {time}"
            );
        }
    }

    pub(crate) fn assert_outcome(&self, outcome: ImpactOutcome) {
        for found in self.answers() {
            assert_eq!(found.outcome, outcome, "{found:?} {self:?}");
        }
    }
}

#[test]
fn a_box_flies_to_a_wall() {
    let block = rectangle([0.0, 0.0], [1.0, 1.0]);
    let wall = rectangle([5.0, -3.0], [5.5, 3.0]);
    for tolerance in [1e-2, 1e-4, 1e-7, 1e-10] {
        let case = Case::new(block.clone(), linear(8.0, 0.5), wall.clone(), REST, tolerance);
        case.assert_hits(0.5, 8.0);
        for found in case.answers() {
            assert!((found.impact.unwrap().normal - DVec2::X).length() < 1e-6, "{found:?}");
        }
        // In this case, the wall moves towards the box.
        Case::new(block.clone(), REST, wall.clone(), linear(-8.0, 0.5), tolerance).assert_hits(0.5, 8.0);
    }
}

#[test]
fn two_boxes_close_over_a_step_of_any_length() {
    let (a, b) = (rectangle([0.0, 0.0], [1.0, 1.0]), rectangle([5.0, 0.5], [6.0, 1.5]));
    for step in [0.5, 1.0, 2.0, 100.0] {
        let mut case = Case::new(a.clone(), linear(6.0, 0.0), b.clone(), linear(-2.0, 0.0), 1e-3);
        case.options.step = step;
        if step == 0.5 {
            // At the end of the step, the bodies touch, or their gap equals the tolerance. Either outcome is right.
            case.answers();
        } else {
            case.assert_hits(0.5 / step, 8.0 * step);
        }
    }
    let mut case = Case::new(a, linear(6.0, 0.0), b, linear(-2.0, 0.0), 1e-3);
    case.options.step = 0.49;
    case.assert_outcome(ImpactOutcome::Apart);
    case.options.step = 0.0;
    case.assert_outcome(ImpactOutcome::Apart);
}

#[test]
fn a_rod_spins_into_a_floor() {
    let rod = rectangle([0.0, -0.05], [2.0, 0.05]);
    let floor = rectangle([-5.0, -3.0], [5.0, -1.0]);
    // The lower corner of the rod's end comes down to the floor.
    let radius = DVec2::new(2.0, 0.05).length();
    let angle = (1.0 / radius).asin() - (0.05f64 / 2.0).atan();
    for speed in [0.6, 2.0, 7.0, 40.0] {
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let down = radius * (1.0 / radius).asin().cos() * speed;
            let case = Case::new(rod.clone(), turning(-speed, [0.0, 0.0]), floor.clone(), REST, tolerance);
            // The corner approaches the floor more and more slowly.
            case.assert_hits(angle / speed, 0.9 * down);
            // The same motion as seen from the rod: the floor rotates, and the rod rests.
            Case::new(floor.clone(), turning(speed, [0.0, 0.0]), rod.clone(), REST, tolerance).answers();
        }
    }
    // Turned the other way, the rod reaches the floor after more than half a turn.
    let case = Case::new(rod.clone(), turning(TAU, [0.0, 0.0]), floor.clone(), REST, 1e-4);
    let way = TAU / 2.0 + (1.0 / radius).asin() - (0.05f64 / 2.0).atan();
    case.assert_hits(way / TAU, TAU);
    let high = rectangle([-5.0, -3.0], [5.0, -2.1]);
    for turns in [0.3, 1.0, 25.0, 1e6] {
        Case::new(rod.clone(), turning(TAU * turns, [0.0, 0.0]), high.clone(), REST, 1e-3)
            .assert_outcome(ImpactOutcome::Apart);
    }
}

#[test]
fn the_face_of_a_turning_rod_meets_a_corner() {
    let rod = rectangle([0.0, -0.1], [4.0, 0.1]);
    let peg = vec![[1.0, 1.0], [1.2, 1.4], [0.8, 1.4]];
    // The upper face is 0.1 above the pivot. The tip of the peg is at 45 degrees.
    let angle = FRAC_PI_2 / 2.0 - (0.1 / 2f64.sqrt()).asin();
    let case = Case::new(rod, turning(1.0, [0.0, 0.0]), peg, REST, 1e-5);
    case.assert_hits(angle, 1.0);
    for found in case.answers() {
        let normal = DVec2::from_angle(found.time + FRAC_PI_2);
        assert!((found.impact.unwrap().normal - normal).length() < 1e-4, "{found:?}");
        // If the search follows the face, it needs few steps.
        assert!(found.iterations <= 8, "{found:?}");
    }
}

#[test]
fn bullets_do_not_pass_through_thin_walls() {
    let mut seen = [0; 2];
    for k in 0..60 {
        let angle = 0.1 * f64::from(k);
        let direction = DVec2::from_angle(angle);
        let wall = rectangle([50.0, -2.0], [50.001, 2.0]);
        // The bullet flies ten thousand times its own size in a step. It crosses the wall's line at `height`.
        let height = f64::from(k % 20) * 0.3 - 2.85;
        let at = DVec2::new(50.0, height) - direction * 40.0;
        let bullet: Ring = [[-0.1, -0.03], [0.1, 0.0], [-0.1, 0.03]]
            .iter()
            .map(|&v| (DVec2::from(v).rotate(direction) + at).to_array())
            .collect();
        let spinning = Motion { linear: direction * 2000.0, angular: f64::from(k % 3) * 3.0, centre: at };
        let case = Case::new(bullet, spinning, wall, REST, 1e-3);
        for found in case.answers() {
            // Bullets near the end of the wall may hit or miss.
            if height.abs() < 1.8 {
                assert_eq!(found.outcome, ImpactOutcome::Hit, "{found:?} {case:?}");
            } else if height.abs() > 2.2 && angle.tan().abs() < 1.0 {
                assert_eq!(found.outcome, ImpactOutcome::Apart, "{found:?} {case:?}");
            }
            seen[usize::from(found.outcome == ImpactOutcome::Hit)] += 1;
        }
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
}

#[test]
fn grazing_may_go_either_way_within_the_tolerance_alone() {
    let tolerance = 1e-3;
    let below = rectangle([0.0, 0.0], [1.0, 1.0]);
    let passes = |gap: f64| {
        Case::new(
            rectangle([-5.0, 1.0 + gap], [-4.0, 2.0]),
            linear(10.0, 0.0),
            below.clone(),
            REST,
            tolerance,
        )
    };
    passes(2.0 * tolerance).assert_outcome(ImpactOutcome::Apart);
    passes(1e-9 + tolerance).assert_outcome(ImpactOutcome::Apart);
    for gap in [0.9, 0.5, 0.4, 0.1, 0.0] {
        passes(gap * tolerance).answers();
    }
    // A touch is always found, however slight it is.
    for gap in [-1e-9, -0.1 * tolerance, -tolerance, -3.0 * tolerance] {
        passes(gap).assert_outcome(ImpactOutcome::Hit);
        passes(gap).assert_hits(0.4, 10.0);
    }
    // The end of a rod comes down to a floor and goes up again.
    let rod = rectangle([0.0, -0.05], [2.0, 0.05]);
    let radius = DVec2::new(2.0, 0.05).length();
    let swings = |gap: f64| {
        Case::new(
            rod.clone(),
            turning(-3.0, [0.0, 0.0]),
            rectangle([-5.0, -5.0], [5.0, -radius - gap]),
            REST,
            tolerance,
        )
    };
    swings(1.5 * tolerance).assert_outcome(ImpactOutcome::Apart);
    swings(0.7 * tolerance).answers();
    swings(-1e-7).assert_outcome(ImpactOutcome::Hit);
}

#[test]
fn parallel_motion_and_rest_keep_what_there_is() {
    let (a, b) = (rectangle([0.0, 0.0], [1.0, 1.0]), rectangle([1.5, 0.0], [2.5, 1.0]));
    for motion in [REST, linear(7.0, -3.0), linear(0.0, 1e9), turning(2.0, [30.0, 4.0])] {
        let case = Case::new(a.clone(), motion, b.clone(), motion, 1e-3);
        case.assert_outcome(ImpactOutcome::Apart);
    }
    Case::new(a.clone(), linear(0.0, 5.0), b.clone(), linear(0.0, -5.0), 1e-3)
        .assert_outcome(ImpactOutcome::Apart);
    Case::new(a.clone(), linear(-5.0, 0.0), b.clone(), linear(1.0, 0.0), 1e-3)
        .assert_outcome(ImpactOutcome::Apart);
    // At the start, the bodies are within the tolerance.
    let near = rectangle([1.0005, 0.0], [2.0, 1.0]);
    let case = Case::new(a, REST, near, REST, 1e-3);
    case.assert_outcome(ImpactOutcome::Hit);
    assert!(case.answers().iter().all(|found| found.time == 0.0));
}

#[test]
fn what_overlaps_or_touches_at_the_start_is_said_so() {
    let a = rectangle([0.0, 0.0], [2.0, 2.0]);
    for (b, outcome) in [
        (rectangle([1.75, 0.5], [4.0, 1.5]), ImpactOutcome::OverlappingAtStart),
        (rectangle([0.5, 0.5], [0.6, 0.6]), ImpactOutcome::OverlappingAtStart),
        (a.clone(), ImpactOutcome::OverlappingAtStart),
        (rectangle([2.0, 0.5], [4.0, 1.5]), ImpactOutcome::Hit),
        (rectangle([2.0, 2.0], [4.0, 4.0]), ImpactOutcome::Hit),
        (vec![[2f64.next_up(), 0.5], [4.0, 0.0], [4.0, 1.0]], ImpactOutcome::Hit),
        (vec![[2f64.next_down(), 0.5], [4.0, 0.0], [4.0, 1.0]], ImpactOutcome::OverlappingAtStart),
    ] {
        for motion in [REST, linear(9.0, 0.0), turning(5.0, [1.0, 1.0])] {
            let case = Case::new(a.clone(), REST, b.clone(), motion, 1e-3);
            case.assert_outcome(outcome);
            assert!(case.answers().iter().all(|found| found.time == 0.0));
        }
    }
    let case = Case::new(a, REST, rectangle([1.75, 0.5], [4.0, 1.5]), REST, 1e-3);
    for found in case.answers() {
        let impact = found.impact.unwrap();
        assert!((impact.normal - DVec2::X).length() < 1e-6, "{found:?}");
        assert!((impact.point.x - 1.75).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn a_turn_about_a_far_centre_is_all_but_a_line() {
    let block = rectangle([0.0, 0.0], [1.0, 1.0]);
    let wall = rectangle([-3.0, 3.0], [4.0, 3.5]);
    for far in [1e2, 1e4, 1e6] {
        // The corner moves up at a speed of 4, on a circle of the radius `far`.
        let motion = turning(4.0 / far, [-far, 0.0]);
        let corner = DVec2::new(far + 1.0, 1.0);
        let angle = (3.0 / corner.length()).asin() - (1.0 / corner.length()).asin();
        let case = Case::new(block.clone(), motion, wall.clone(), REST, 1e-3);
        case.assert_hits(angle * far / 4.0, 4.0);
    }
}

#[test]
fn far_from_the_origin_nothing_changes() {
    let (block, wall) = (rectangle([0.0, 0.0], [1.0, 1.0]), rectangle([5.0, -3.0], [5.5, 3.0]));
    for by in [[1e6, -1e6], [1e9, 3.0]] {
        let rings = moved(&[block.clone(), wall.clone()], by);
        let [a, b] = [rings[0].clone(), rings[1].clone()];
        Case::new(a.clone(), linear(8.0, 0.0), b.clone(), REST, 1e-3).assert_hits(0.5, 8.0);
        let spinning = Motion {
            linear: DVec2::new(8.0, 0.0),
            angular: 3.0,
            centre: DVec2::new(by[0] + 0.5, by[1] + 0.5),
        };
        let near = Motion { centre: DVec2::new(0.5, 0.5), ..spinning };
        let (far, near) = (
            Case::new(a, spinning, b, REST, 1e-3).answers(),
            Case::new(block.clone(), near, wall.clone(), REST, 1e-3).answers(),
        );
        for (far, near) in far.iter().zip(&near) {
            assert!((far.time - near.time).abs() * 8.0 <= 1e-3, "{far:?} {near:?}");
        }
    }
}

#[test]
fn iterations_that_do_not_suffice_are_said_to() {
    let rod = rectangle([0.0, -0.05], [2.0, 0.05]);
    let floor = rectangle([-5.0, -3.0], [5.0, -1.0]);
    let mut case = Case::new(rod, turning(-40.0, [0.0, 0.0]), floor, REST, 1e-6);
    for most in 1..4 {
        case.options.most_iterations = most;
        case.assert_outcome(ImpactOutcome::IterationLimit);
        assert!(case.answers().iter().all(|found| found.iterations <= most && found.time < 1.0));
    }
}

#[test]
fn bad_motions_and_options_are_errors_that_name_them() {
    let squares = set(&[rectangle([0.0, 0.0], [1.0, 1.0]), rectangle([3.0, 0.0], [4.0, 1.0])]);
    let ask = |motions: &[Motion], options: &TimeOfImpactOptions| {
        CPU.piece_pairs(&squares, &squares, &[[0, 1]])
            .query(Impacts::new(&[REST, REST], motions, *options))
            .unwrap_err()
    };
    let options = TimeOfImpactOptions::new(1e-3);
    let bad = [
        (linear(f64::NAN, 0.0), "linear.x"),
        (linear(0.0, f64::INFINITY), "linear.y"),
        (linear(1e300, 0.0), "linear.x"),
        (turning(f64::NEG_INFINITY, [0.0, 0.0]), "angular"),
        (turning(1e12, [0.0, 0.0]), "angular"),
        (turning(1.0, [0.0, f64::NAN]), "centre.y"),
    ];
    for (motion, component) in bad {
        let error = ask(&[REST, motion], &options);
        let Error::Motion { object: 1, name, .. } = error else { panic!("{error}") };
        assert_eq!(name, component);
        assert!(error.to_string().starts_with("motion of object 1 of B: "), "{error}");
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = ask(&[REST, REST], &TimeOfImpactOptions::new(tolerance));
        assert!(matches!(error, Error::Option { option: "tolerance", .. }), "{error}");
    }
    for step in [-1.0, f64::NAN, f64::INFINITY] {
        let error = ask(&[REST, REST], &TimeOfImpactOptions { step, ..options });
        assert!(matches!(error, Error::Option { option: "step", .. }), "{error}");
        let error = squares.swept_aabbs(&[REST, REST], step).unwrap_err();
        assert!(matches!(error, Error::Option { option: "step", .. }), "{error}");
    }
    let error = ask(&[REST, REST], &TimeOfImpactOptions { most_iterations: 0, ..options });
    assert!(matches!(error, Error::Option { option: "most_iterations", .. }), "{error}");
    assert!(matches!(ask(&[REST], &options), Error::Option { option: "motions", .. }));
    let error = CPU
        .piece_pairs(&squares, &squares, &[[0, 2]])
        .query(Impacts::new(&[REST; 2], &[REST; 2], options))
        .unwrap_err();
    assert!(matches!(error, Error::UnknownPolygon { pair: 0, index: 2, count: 2 }), "{error}");
}

/// Tests bodies next to an outlier, which makes the unit of the device's grid far larger than the bodies.
#[test]
fn bodies_far_smaller_than_the_unit_of_the_grid_hit_and_miss_as_they_do_alone() {
    let bullet = rectangle([-1000000.0, 0.0], [-999999.0, 0.5]);
    let wall = rectangle([-999990.0, -5.0], [-999989.0, 5.0]);
    let options = TimeOfImpactOptions::new(0.001);
    for exponent in 0..60 {
        let far = 2f64.powi(20 + 2 * exponent);
        let outlier = rectangle([far, 0.0], [1.5 * far, 0.5 * far]);
        let [a, b] = [&bullet, &wall].map(|ring| set(&[ring.clone(), outlier.clone()]));
        for (name, engine) in engines() {
            let found = |velocity: Motion| {
                let impacts = Impacts { motions_a: &[velocity, REST], motions_b: &[REST, REST], options };
                engine.piece_pairs(&a, &b, &[[0, 0]]).query(impacts).unwrap().items[0]
            };
            let context = format!("{name}, 2^{}", 20 + 2 * exponent);
            // The gap is 9.
            let hit = found(linear(900.0, 0.0));
            assert_eq!(hit.outcome, ImpactOutcome::Hit, "{context}");
            assert!(hit.time <= 0.01 && 900.0 * (0.01 - hit.time) <= options.tolerance, "{context}: {hit:?}");
            assert_eq!(found(linear(8.99, 0.0)).outcome, ImpactOutcome::Apart, "{context}");
            assert_eq!(found(linear(0.0, 900.0)).outcome, ImpactOutcome::Apart, "{context}");
        }
    }
}
