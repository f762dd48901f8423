//! Scenes on a device against the same on the CPU, in statistics.

use sat2d::sim::{BodyId, BodyKind, SimScene, World, WorldStatistics};
use sat2d::{Backend, Error};

use super::quality_hail::through;

/// What becomes of a scene on each backend: contacts and statistics.
fn outcomes(scene: SimScene, count: usize, steps: u64) -> [(u64, WorldStatistics); 2] {
    let scene = scene.describe(count, 3);
    [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut world = World::on(scene.options.clone(), backend).unwrap();
        scene.fill(&mut world).unwrap();
        assert_eq!(world.choice().backend, backend);
        let report = world.steps(steps, scene.dt).unwrap();
        assert_eq!(report.steps, steps);
        assert_eq!(report.contacts, world.contacts().unwrap().len() as u64);
        (report.contacts, world.statistics().unwrap())
    })
}

/// Whether two figures are as near as chaos leaves them.
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

/// Of a scene after some steps: contacts of two bodies that move, and of one with a static one.
fn contacts_by_kind(world: &mut World) -> [f64; 2] {
    let contacts = world.contacts().unwrap();
    let is_static = |body: BodyId| world.kind(body).unwrap() == BodyKind::Static;
    let with_static = contacts.iter().filter(|contact| is_static(contact.a) || is_static(contact.b)).count();
    [contacts.len() - with_static, with_static].map(|count| count as f64)
}

#[test]
fn particles_fall_through_a_funnel_as_on_the_cpu() {
    let scene = SimScene::Funnel.describe(400, 3);
    let mut worlds = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut world = World::on(scene.options.clone(), backend).unwrap();
        scene.fill(&mut world).unwrap();
        world
    });
    // Once particles have met, each is elsewhere on either backend, by chance.
    let mut speeds = [0.0; 2];
    // They reach the slopes, lie on them, and trickle onto the polygons below.
    for seconds in 1..=6 {
        let [(contacts, cpu), (on_device, device)] = worlds.each_mut().map(|world| {
            world.steps(60, scene.dt).unwrap();
            (contacts_by_kind(world), world.statistics().unwrap())
        });
        let [among, with_static] = contacts;
        assert!(with_static >= if seconds == 1 { 10.0 } else { 30.0 }, "{with_static} after {seconds} s");
        assert_near("contacts among particles", among, on_device[0], 0.1 * among);
        assert_near("contacts with polygons", with_static, on_device[1], 0.2 * with_static);
        assert_near("mean height", cpu.mean_position.y, device.mean_position.y, 0.3);
        if seconds == 1 {
            assert_near("speed", cpu.rms_velocity, device.rms_velocity, 0.001 * cpu.rms_velocity);
        }
        speeds[0] += cpu.rms_velocity;
        speeds[1] += device.rms_velocity;
    }
    assert_near("speed", speeds[0], speeds[1], 0.04 * speeds[0]);
}

#[test]
fn billiards_keep_their_energy_as_on_the_cpu() {
    let [(_, cpu), (_, device)] = outcomes(SimScene::Billiards, 60, 60);
    assert_near("energy", cpu.kinetic_energy, device.kinetic_energy, 0.02 * cpu.kinetic_energy);
}

#[test]
fn hail_goes_through_no_wall_on_a_device() {
    for scene in [SimScene::Hail.describe(400, 1), SimScene::Hail.describe(400, 2).meeting_static_only()] {
        assert_eq!(through(&scene, 100, Backend::Gpu), []);
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
    let mut world = World::on(pile.options.clone(), Backend::Gpu).unwrap();
    pile.fill(&mut world).unwrap();
    world.steps(90, pile.dt).unwrap();
    let poses = |world: &mut World| {
        let mut poses = Vec::new();
        world.poses([0.0, 0.0], &mut poses).unwrap();
        poses
    };
    let first = poses(&mut world);
    // Another solver between, and steps that nobody asked after.
    for scene in [&crowd, &pile] {
        world.renew(scene.options.clone()).unwrap();
        assert_eq!(world.bodies().count(), 0);
        scene.fill(&mut world).unwrap();
        assert_eq!(world.steps(90, scene.dt).unwrap().steps, 90);
    }
    assert_eq!(poses(&mut world), first);
}
