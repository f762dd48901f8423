//! Compares statistics of scenes on a device and on the CPU.

use sat2d::sim::{BodyId, BodyKind, SceneDescription, SimScene, World, WorldStatistics};
use sat2d::{Backend, Error};

use super::quality_hail::through;
use super::world_on;
use crate::support::in_soak;

/// Simulates a scene on each backend. Returns the number of contacts and the statistics.
fn outcomes(scene: SimScene, count: usize, steps: u64) -> [(u64, WorldStatistics); 2] {
    let scene = scene.describe(count, 3);
    [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut world = world_on(scene.options.clone(), backend);
        scene.fill(&mut world).unwrap();
        assert_eq!(world.choice().backend, backend);
        let report = world.steps(steps, scene.dt).unwrap();
        assert_eq!(report.steps, steps);
        assert_eq!(report.contacts, world.contacts().unwrap().len() as u64);
        (report.contacts, world.statistics().unwrap())
    })
}

/// Asserts that two values differ by at most `within`. The tolerance allows for chaos, which makes the worlds of two backends
/// differ.
fn assert_near(name: &str, a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{name}: {a} on the CPU, {b} on the device");
}

#[test]
fn a_pile_settles_as_on_the_cpu() {
    let [(contacts, cpu), (on_device, device)] = outcomes(SimScene::Pile, 150, 120);
    assert_near("contacts", contacts as f64, on_device as f64, 0.1 * contacts as f64);
    assert_near("mean height", cpu.mean_position.y, device.mean_position.y, 0.1);
    assert!(device.greatest_penetration < 0.1, "{device:?}");
    assert_near("mean penetration", cpu.mean_penetration, device.mean_penetration, 0.005);
}

#[test]
fn a_pile_of_1000_steps_is_as_on_the_cpu_in_statistics() {
    let [(contacts, cpu), (on_device, device)] = outcomes(SimScene::Pile, 300, 1000);
    eprintln!("{contacts} and {on_device} contacts\n{cpu:?}\n{device:?}");
    assert_near("contacts", contacts as f64, on_device as f64, 0.05 * contacts as f64);
    assert_near("mean height", cpu.mean_position.y, device.mean_position.y, 0.1);
    assert_near("mean penetration", cpu.mean_penetration, device.mean_penetration, 0.002);
    assert_near("greatest penetration", cpu.greatest_penetration, device.greatest_penetration, 0.03);
    assert_near("energy a body", cpu.kinetic_energy / 300.0, device.kinetic_energy / 300.0, 1e-3);
}

/// Returns two numbers of contacts: between two moving bodies, and between a moving body and a static body.
fn contacts_by_kind(world: &mut World) -> [f64; 2] {
    let contacts = world.contacts().unwrap();
    let is_static = |body: BodyId| world.kind(body).unwrap() == BodyKind::Static;
    let with_static = contacts.iter().filter(|contact| is_static(contact.a) || is_static(contact.b)).count();
    [contacts.len() - with_static, with_static].map(|count| count as f64)
}

/// The names of the values in a row of [`measured`], in their order.
const MEASURED: [&str; 5] =
    ["mean height", "contacts of two particles", "contacts with polygons", "speed", "mean penetration"];

/// Returns the measurements of a scene after each second.
fn measured(scene: &SceneDescription, backend: Backend, seconds: usize) -> Vec<[f64; 5]> {
    let mut world = world_on(scene.options.clone(), backend);
    scene.fill(&mut world).unwrap();
    let after_a_second = |_| {
        world.steps(60, scene.dt).unwrap();
        let [two_particles, with_polygons] = contacts_by_kind(&mut world);
        let now = world.statistics().unwrap();
        [now.mean_position.y, two_particles, with_polygons, now.rms_velocity, now.mean_penetration]
    };
    (0..seconds).map(after_a_second).collect()
}

fn mean(rows: &[[f64; 5]]) -> [f64; 5] {
    std::array::from_fn(|k| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64)
}

fn assert_all_near(cpu: [f64; 5], device: [f64; 5], within: [f64; 5]) {
    for (k, name) in MEASURED.iter().enumerate() {
        assert_near(name, cpu[k], device[k], within[k]);
    }
}

/// Returns the scene with its dynamic bodies moved along x by the distance `by`.
fn shifted(mut scene: SceneDescription, by: f64) -> SceneDescription {
    for body in scene.bodies.iter_mut().filter(|body| body.kind == BodyKind::Dynamic) {
        body.position.x += by;
    }
    scene
}

#[test]
fn particles_fall_through_a_funnel_as_on_the_cpu() {
    let [mut cpu, mut device] = [const { Vec::new() }; 2];
    for seed in 1..=3 {
        let scene = SimScene::Funnel.describe(400, seed);
        let on_cpu = |k| measured(&shifted(scene.clone(), 1e-6 * f64::from(k)), Backend::Cpu, 6);
        let starts: Vec<_> = (0..4).map(on_cpu).collect();
        let on_device = measured(&scene, Backend::Gpu, 6);
        // After a second, few particles have collided. A shift of all particles by 1e-6 then changes the height by less than
        // 2e-6, and the speed by less than 3e-6. The order of contacts changes the speed by 5e-4.
        assert_all_near(starts[0][0], on_device[0], [1e-3, 3.0, 3.0, 2e-3, f64::INFINITY]);
        // Particles reach the slopes, lie on them, and trickle onto the polygons below.
        cpu.extend(starts.iter().flat_map(|rows| &rows[1..]).copied());
        device.extend_from_slice(&on_device[1..]);
    }
    let [cpu, device] = [cpu, device].map(|rows| mean(&rows));
    assert!(cpu[2] > 30.0, "{cpu:?}");
    // Each collision multiplies a difference of the starts. The mean of one world over these five seconds therefore
    // varies, with the standard deviations 0.11, 5.5, 1.0, 0.044 and 1.1e-4. The order of contacts adds about as much
    // variation. The tolerances are at least four standard deviations of the difference between the two means.
    assert_all_near(cpu, device, [0.5, 18.0, 3.5, 0.18, 4e-4]);
}

#[test]
fn particles_with_friction_pile_up_in_a_funnel_as_on_the_cpu() {
    let mut scene = SimScene::Funnel.describe(400, 3);
    scene.bodies.iter_mut().for_each(|body| body.friction = 0.5);
    let on_device = measured(&scene, Backend::Gpu, 2);
    let on_cpu = measured(&scene, Backend::Cpu, 2);
    assert!(on_cpu[1][1] > 300.0, "{on_cpu:?}");
    // Friction stops the particles before a shift of 1e-6 grows: the height changes by less than 1e-3, and the
    // penetration by less than 2e-5. The order of contacts changes the number of contacts by 19. Without friction,
    // the height is 1.3 less.
    assert_all_near(on_cpu[1], on_device[1], [0.05, 40.0, 3.0, 0.06, 2e-4]);
}

#[test]
fn billiards_keep_their_energy_as_on_the_cpu() {
    let [(_, cpu), (_, device)] = outcomes(SimScene::Billiards, 60, 60);
    assert_near("energy", cpu.kinetic_energy, device.kinetic_energy, 0.02 * cpu.kinetic_energy);
}

#[test]
fn hail_goes_through_no_wall_on_a_device() {
    for scene in [SimScene::Hail.describe(400, 1), SimScene::Hail.describe(400, 2).meeting_static_only()] {
        assert_eq!(through(&scene, in_soak(100, 40), Backend::Gpu), []);
    }
    let [(_, cpu), (_, device)] = outcomes(SimScene::Hail, 100, 30);
    assert_near("speed", cpu.rms_velocity, device.rms_velocity, 0.1 * cpu.rms_velocity);
}

#[test]
fn a_world_on_the_cpu_has_no_buffers() {
    let mut world = World::on(Default::default(), Backend::Cpu).unwrap();
    let error = pollster::block_on(world.device_buffers()).unwrap_err();
    assert!(matches!(error, Error::Option { option: "backend", .. }), "{error}");
}

#[test]
fn a_world_made_anew_steps_as_if_it_were_the_first() {
    let [pile, crowd] = [SimScene::Pile.describe(120, 1), SimScene::Crowd.describe(80, 1)];
    let mut world = world_on(pile.options.clone(), Backend::Gpu);
    pile.fill(&mut world).unwrap();
    world.steps(90, pile.dt).unwrap();
    let poses = |world: &mut World| {
        let mut poses = Vec::new();
        world.poses([0.0, 0.0], &mut poses).unwrap();
        poses
    };
    let first = poses(&mut world);
    // Run other scenes in between, one with another solver, and steps whose results are not read.
    for scene in [&crowd, &pile] {
        world.renew(scene.options.clone()).unwrap();
        assert_eq!(world.bodies().count(), 0);
        scene.fill(&mut world).unwrap();
        assert_eq!(world.steps(90, scene.dt).unwrap().steps, 90);
    }
    assert_eq!(poses(&mut world), first);
}

#[test]
fn worlds_beside_each_other_step_as_if_each_were_alone() {
    let [pile, crowd] = [SimScene::Pile.describe(120, 1), SimScene::Crowd.describe(80, 1)];
    let poses_of = |worlds: &mut [(World, &SceneDescription)]| -> Vec<Vec<[f32; 4]>> {
        for (world, scene) in worlds.iter_mut() {
            scene.fill(world).unwrap();
        }
        for _ in 0..in_soak(9, 5) {
            for (world, scene) in worlds.iter_mut() {
                world.steps(10, scene.dt).unwrap();
            }
        }
        let poses = |(world, _): &mut (World, _)| {
            let mut poses = Vec::new();
            world.poses([0.0, 0.0], &mut poses).unwrap();
            poses
        };
        worlds.iter_mut().map(poses).collect()
    };
    let alone = |scene: &SceneDescription| World::on(scene.options.clone(), Backend::Gpu).unwrap();
    let (first, third) = (alone(&pile), alone(&pile));
    let second = first.beside(crowd.options.clone()).unwrap();
    let beside = poses_of(&mut [(first, &pile), (second, &crowd)]);
    let other = third.beside(crowd.options.clone()).unwrap();
    assert_eq!(poses_of(&mut [(third, &pile)]), beside[..1]);
    assert_eq!(poses_of(&mut [(other, &crowd)]), beside[1..]);
}
