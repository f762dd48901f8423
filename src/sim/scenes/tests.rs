use glam::DVec2;

use super::*;
use crate::sim::MassProperties;

fn dynamic(scene: &SceneDescription) -> impl Iterator<Item = &BodyOptions> {
    scene.bodies.iter().filter(|body| body.kind == BodyKind::Dynamic)
}

fn is_single(x: f64) -> bool {
    f64::from(x as f32) == x
}

#[test]
fn names_lead_back_to_scenes() {
    for scene in SimScene::ALL {
        assert_eq!(scene.to_string().parse::<SimScene>().unwrap(), scene);
    }
    let text = "piles".parse::<SimScene>().unwrap_err().to_string();
    for scene in SimScene::ALL {
        assert!(text.contains(scene.name()), "{text}");
    }
}

#[test]
fn a_scene_has_as_many_dynamic_bodies_as_asked_for_and_few_shapes() {
    for scene in SimScene::ALL {
        for count in [0, 1, 2, 7, 100, 3001] {
            let found = scene.describe(count, 3);
            assert_eq!(dynamic(&found).count(), count, "{scene}");
            let kinds: Vec<BodyKind> = found.bodies.iter().map(|body| body.kind).collect();
            let statics = kinds.iter().take_while(|&&kind| kind == BodyKind::Static).count();
            assert_eq!(statics + count, kinds.len(), "{scene}: the static bodies come first");
            assert!(found.shapes.len() <= 100, "{scene}: {}", found.shapes.len());
        }
    }
}

#[test]
fn a_scene_is_determined_by_its_seed() {
    for scene in SimScene::ALL {
        assert_eq!(scene.describe(500, 7), scene.describe(500, 7));
        assert_ne!(scene.describe(500, 7).bodies, scene.describe(500, 8).bodies, "{scene}");
    }
}

#[test]
fn no_dynamic_body_meets_another_body_at_the_start() {
    for scene in SimScene::ALL {
        for (count, seed) in [(1, 1), (10, 2), (333, 3), (4000, 4)] {
            let mut world = scene.describe(count, seed).build().unwrap();
            let found = world.statistics().unwrap();
            assert_eq!(found.overlapping, 0, "{scene} of {count}: {found:?}");
            assert_eq!(found.dynamic_bodies, count);
        }
    }
}

#[test]
fn bodies_start_within_the_bounds() {
    for scene in SimScene::ALL {
        let found = scene.describe(1000, 5);
        for body in dynamic(&found) {
            let at = Aabb::around(&[body.position]);
            assert!(found.bounds.covers(at), "{scene}: {at:?} {:?}", found.bounds);
        }
    }
}

#[test]
fn figures_are_single_and_sizes_as_said() {
    for scene in SimScene::ALL {
        let found = scene.describe(1000, 5);
        for body in &found.bodies {
            let figures = [body.position.to_array(), body.velocity.to_array()].concat();
            assert!(figures.into_iter().all(is_single), "{scene}: {body:?}");
        }
        for shape in &found.shapes {
            let figures = shape.core().iter().flat_map(|v| v.to_array());
            assert!(figures.chain([shape.radius()]).all(is_single), "{scene}: {shape:?}");
        }
        let widest = dynamic(&found)
            .map(|body| &found.shapes[body.shape.index()])
            .flat_map(|shape| shape.core().iter().map(move |v| 2.0 * (v.length() + shape.radius())))
            .fold(0.0, f64::max);
        let stated = match scene {
            SimScene::Pile | SimScene::Billiards => 1.0,
            SimScene::Crowd => 0.56,
            SimScene::Funnel => 0.8,
            SimScene::Hail => 0.2,
        };
        assert!((0.9 * stated..=stated + 1e-6).contains(&widest), "{scene}: {widest}");
    }
}

#[test]
fn billiards_fill_the_stated_part_of_their_room() {
    let found = SimScene::Billiards.describe(5000, 1);
    let area: f64 =
        dynamic(&found).map(|body| MassProperties::of(&found.shapes[body.shape.index()]).area).sum();
    let room = found.bounds.max - found.bounds.min - DVec2::splat(2.0);
    let part = area / (room.x * room.y);
    assert!((0.14..0.16).contains(&part), "{part}");
}

#[test]
fn a_bullet_travels_ten_walls_a_step() {
    let found = SimScene::Hail.describe(100, 1);
    let thinnest = (found.bodies.iter().filter(|body| body.kind == BodyKind::Static))
        .map(|body| Aabb::around(found.shapes[body.shape.index()].core()))
        .map(|b| (b.max - b.min).min_element())
        .fold(f64::INFINITY, f64::min);
    for bullet in dynamic(&found) {
        assert!(bullet.fast);
        assert!((bullet.velocity.length() * found.dt - 10.0 * thinnest).abs() < 1e-5, "{bullet:?}");
    }
}

#[test]
fn the_funnel_has_a_polygon_for_every_hundred_particles() {
    let found = SimScene::Funnel.describe(20_000, 1);
    // The other static bodies are four walls and two slopes.
    assert_eq!(found.bodies.len() - dynamic(&found).count(), 200 + 6);
}

#[test]
fn bodies_that_meet_static_ones_only_pass_through_each_other() {
    let found = SimScene::Funnel.describe(10, 1).meeting_static_only();
    let [wall, particle] = [&found.bodies[0], &found.bodies[found.bodies.len() - 1]];
    assert!(wall.layers.meet(particle.layers));
    assert!(!particle.layers.meet(particle.layers));
}

#[test]
fn agents_are_led_through_the_doorway_on_their_right_and_to_the_other_side() {
    let found = SimScene::Crowd.describe(2000, 1);
    let doorway = found.doorway.unwrap();
    assert!(doorway.half_width > doorway.pillar + 0.5, "{doorway:?}");
    for agent in dynamic(&found) {
        let mut at = agent.position;
        let heading = -at.x.signum();
        for _ in 0..20_000 {
            let before = at;
            at += doorway.preferred_velocity(agent, at) * 0.05;
            if before.x * at.x <= 0.0 {
                let right = -heading * at.y;
                assert!(right > doorway.pillar && right < doorway.half_width, "{agent:?} at {at}");
            }
        }
        let goal = DVec2::new(-agent.position.x, -heading * agent.position.y.abs());
        assert!((at - goal).length() < 0.1, "{agent:?} ends at {at}");
    }
}

#[test]
fn steering_turns_agents_by_where_they_are() {
    let found = SimScene::Crowd.describe(10, 1);
    let mut world = World::new(found.options.clone()).unwrap();
    let ids = found.fill(&mut world).unwrap();
    let (agent, id) = (found.bodies.last().unwrap(), *ids.last().unwrap());
    // At its goal, the agent rests.
    let there = DVec2::new(-agent.position.x, agent.position.y.abs());
    let there = crate::Pose::from_cos_sin(1.0, 0.0, there).unwrap();
    world.set_pose(id, &there).unwrap();
    found.steer(&mut world, &ids).unwrap();
    world.steps(120, found.dt).unwrap();
    assert!((world.pose(id).unwrap().translation() - there.translation()).length() < 0.3);
}
