use sat2d::glam::DVec2;
use sat2d::sim::{BodyKind, BodyOptions};

use super::engine::Body;
use super::scenes::{Case, Plain};
use super::{Contender, judge};

const THREADS: usize = 2;

fn bodies_of(contender: Contender, scene: &Plain, steps: usize) -> Vec<Body> {
    let mut world = contender.make(scene, THREADS).unwrap();
    world.advance(steps).unwrap();
    world.bodies().unwrap()
}

/// Returns a scene with only one of its bodies, which therefore has no contacts.
fn alone(case: Case, change: impl Fn(&mut BodyOptions)) -> Plain {
    let mut scene = case.plain(2, 1).unwrap();
    let mut body = scene.bodies.iter().find(|body| body.kind == BodyKind::Dynamic).unwrap().clone();
    change(&mut body);
    scene.bodies = vec![body];
    scene
}

#[test]
fn engines_are_given_the_same_scene() {
    for case in Case::ALL {
        let scene = case.plain(500, 3).unwrap();
        assert_eq!(scene.dynamic_count(), 500, "{case:?}");
        for &contender in Contender::ALL {
            let found = bodies_of(contender, &scene, 0);
            assert_eq!(found.len(), scene.bodies.len());
            for (body, now) in scene.bodies.iter().zip(&found) {
                let turn = DVec2::from_angle(body.angle) - DVec2::new(now.pose.cos(), now.pose.sin());
                let off = (body.position - now.pose.translation()).length() + turn.length();
                assert!(off < 1e-4, "{case:?} {contender:?}: {off}");
                assert!((body.velocity - now.velocity).length() < 1e-6, "{case:?} {contender:?}");
                assert!((body.angular_velocity - now.spin).abs() < 1e-6, "{case:?} {contender:?}");
            }
        }
    }
}

#[test]
fn engines_let_a_body_fall_alike() {
    let scene = alone(Case::Pile, |_| {});
    let start = scene.bodies[0].clone();
    for &contender in Contender::ALL {
        let now = bodies_of(contender, &scene, 60)[0];
        // The body falls for one second in sub-steps of h = 1/240 s, so t² becomes t (t + h).
        let way = start.velocity + 0.5 * scene.options.gravity * (1.0 + 1.0 / 240.0);
        // The shape turns about its centre of mass, which is its origin up to rounding.
        assert!((now.pose.translation() - start.position - way).length() < 1e-3, "{contender:?}: {now:?}");
        assert!((now.velocity - start.velocity - scene.options.gravity).length() < 1e-3, "{contender:?}");
    }
}

#[test]
fn engines_strive_alike() {
    let wanted = DVec2::new(-1.0, 2.0);
    let scene = alone(Case::Crowd, |agent| agent.velocity = DVec2::X);
    let part = scene.strive(&scene.bodies[0]);
    for &contender in Contender::ALL {
        let mut world = contender.make(&scene, THREADS).unwrap();
        world.prefer(&[(0, wanted)]).unwrap();
        world.advance(3).unwrap();
        let expected = wanted + (1.0 - part).powi(3) * (DVec2::X - wanted);
        let found = world.bodies().unwrap()[0].velocity;
        assert!((found - expected).length() < 1e-5, "{contender:?}: {found} {expected}");
    }
}

#[test]
fn the_judge_measures_a_known_overlap() {
    let mut scene = Case::Crowd.plain(2, 1).unwrap();
    let circle = scene.shapes.iter().position(|shape| shape.core().len() == 1).unwrap();
    let radius = scene.shapes[circle].radius();
    let of_circle = |body: &&BodyOptions| body.shape.index() == circle;
    let body = scene.bodies.iter().find(of_circle).unwrap().clone();
    let agent = |x: f64, kind: BodyKind| BodyOptions {
        kind,
        position: DVec2::new(x, 0.0),
        velocity: DVec2::new(0.0, 3.0),
        ..body.clone()
    };
    let far = 10.0 * radius;
    // The first two bodies are static, so the overlap of the two does not count.
    scene.bodies = vec![
        agent(-far, BodyKind::Static),
        agent(-far + 0.5 * radius, BodyKind::Static),
        agent(0.0, BodyKind::Dynamic),
        agent(1.75 * radius, BodyKind::Dynamic),
        agent(far, BodyKind::Static),
    ];
    for (body, y) in [(0, -far), (1, -far), (4, far)] {
        scene.bodies[body].position.y = y;
    }
    let state = judge::judge(&scene, &bodies_of(Contender::Sat2d, &scene, 0)).unwrap();
    assert_eq!((state.overlapping, state.lost), (1, 0));
    for depth in [state.mean_penetration, state.greatest_penetration, 2.0 * state.penetration_a_body] {
        assert!((depth - 0.25 * radius).abs() < 1e-5 * radius, "{state:?}");
    }
    assert!((state.rms_velocity - 3.0).abs() < 1e-6);
    scene.bodies[3].position.x = 1e3 * far;
    let state = judge::judge(&scene, &bodies_of(Contender::Sat2d, &scene, 0)).unwrap();
    assert_eq!((state.overlapping, state.lost), (0, 1));
}

/// Tests that changing the number of threads moves no body of Box2D's world by more than 1e-3. Box2D makes a new world for each
/// change.
#[cfg(feature = "box2d")]
#[test]
fn box2d_goes_on_with_other_threads() {
    let scene = Case::Crowd.plain(400, 1).unwrap();
    let run = |switch: bool| {
        let mut world = Contender::Box2d.make(&scene, 1).unwrap();
        for block in 0..6 {
            if switch {
                world.use_threads(1 + block % THREADS).unwrap();
            }
            world.advance(10).unwrap();
        }
        world.bodies().unwrap()
    };
    let (straight, switched) = (run(false), run(true));
    assert_eq!(straight.len(), switched.len());
    for (a, b) in straight.iter().zip(&switched) {
        assert!((a.pose.translation() - b.pose.translation()).length() < 1e-3, "{a:?} {b:?}");
    }
}
