//! Fault injection in the kernels of a step. The comparison of a device with the CPU must detect every fault.

use super::kernels::Kernel;
use super::step_tests::{
    DT, apart, bullets, circle, crowd, on_device, pairs_of_step, poses_after, pushing, rectangle, sizes,
    slope, stack, weightless,
};
use crate::sim::{BodyId, BodyKind, BodyOptions, Layers, Solver, World, WorldOptions};
use crate::{ConvexPolygon, Pose, RoundedShape};

type Fill = fn(&mut World) -> Vec<BodyId>;

/// A scene whose bodies must have nearly equal poses on the device and on the CPU after some steps.
struct Scene {
    name: &'static str,
    options: WorldOptions,
    fill: Fill,
    steps: u64,
    within: f64,
    on_cpu: Vec<Pose>,
}

impl Scene {
    fn new(name: &'static str, options: WorldOptions, fill: Fill, steps: u64, within: f64) -> Self {
        let mut world = World::new(options.clone()).unwrap();
        let ids = fill(&mut world);
        let on_cpu = poses_after(&mut world, &ids, steps);
        Self { name, options, fill, steps, within, on_cpu }
    }

    /// Returns true if the poses on the device agree with the poses on the CPU. Returns false if a body leaves the
    /// world on the device.
    fn agrees(&self, device: &mut World) -> bool {
        device.renew(self.options.clone()).unwrap();
        let ids = (self.fill)(device);
        if device.steps(self.steps, DT).is_err() {
            return false;
        }
        let poses: Vec<Pose> = ids.iter().filter_map(|&id| device.pose(id).ok()).collect();
        poses.len() == ids.len() && apart(&poses, &self.on_cpu) < self.within
    }
}

/// Adds a ball that bounces, a ball that rolls, a ball that rotates as it falls, and a ball that hardly bounces.
fn balls(world: &mut World) -> Vec<BodyId> {
    let plank = rectangle(world, 20.0, 1.0);
    let ball = circle(world, 0.5);
    world.add(&BodyOptions::fixed(plank, [0.0, -0.5])).unwrap();
    let body = |x: f64| BodyOptions::dynamic(ball, [x, 0.8]);
    let all = [
        BodyOptions { restitution: 0.7, ..body(-4.0) },
        BodyOptions { velocity: glam::DVec2::new(2.0, 0.0), ..body(0.0) },
        BodyOptions { angular_velocity: 5.0, ..body(6.0) },
        // This ball hits the plank shortly before the end.
        BodyOptions { restitution: 0.1, ..BodyOptions::dynamic(ball, [9.0, 2.9]) },
    ];
    all.iter().map(|body| world.add(body).unwrap()).collect()
}

/// Adds boxes that land flat and bounce. One of them lands partly beside the plank.
fn landing(world: &mut World) -> Vec<BodyId> {
    let plank = rectangle(world, 20.0, 1.0);
    let box_ = rectangle(world, 1.0, 0.6);
    world.add(&BodyOptions::fixed(plank, [0.0, -0.5])).unwrap();
    let body = |x: f64| BodyOptions { restitution: 0.5, ..BodyOptions::dynamic(box_, [x, 1.3]) };
    [-3.0, 9.9].map(|x| world.add(&body(x)).unwrap()).into()
}

/// Adds balls that pass a corner and land on a box behind it. In a step, the balls move by more than their own width.
fn passing(world: &mut World) -> Vec<BodyId> {
    let box_ = rectangle(world, 1.0, 1.0);
    let ball = circle(world, 0.05);
    for x in [0.0, 3.0] {
        world.add(&BodyOptions::fixed(box_, [x, -0.5 * (1.0 + x)])).unwrap();
    }
    let body = |k: i32| BodyOptions {
        velocity: glam::DVec2::new(9.0, -0.7 * f64::from(k)),
        friction: 0.0,
        restitution: 0.5,
        // The balls do not meet each other, because small differences would grow in such collisions.
        layers: Layers { member: 2, meets: 1 },
        ..BodyOptions::dynamic(ball, [-1.0 - 0.05 * f64::from(k), 0.06 + 0.11 * f64::from(k)])
    };
    (0..4).map(|k| world.add(&body(k)).unwrap()).collect()
}

/// Adds a fast box that flies along a thin wall, too far from it for a contact. Adds a heavy ball that hits the box and
/// drives it towards the wall.
fn shot(world: &mut World) -> Vec<BodyId> {
    let shapes = [rectangle(world, 0.1, 30.0), rectangle(world, 0.3, 0.1), circle(world, 0.1)];
    world.add(&BodyOptions::fixed(shapes[0], [10.0, 0.0])).unwrap();
    let body = |shape: usize, x: f64, v: f64| BodyOptions {
        friction: 0.0,
        velocity: glam::DVec2::new(v, 60.0),
        ..BodyOptions::dynamic(shapes[shape], [x, 0.0])
    };
    let box_ = BodyOptions { fast: true, ..body(1, 9.55, 0.0) };
    let ball = BodyOptions { density: 100.0, ..body(2, 9.1, 100.0) };
    [box_, ball].map(|body| world.add(&body).unwrap()).into()
}

/// Adds a box, a ball and a narrow tip that slide over tiles.
fn tiles(world: &mut World) -> Vec<BodyId> {
    let tile = rectangle(world, 1.0, 1.0);
    let tip = ConvexPolygon::new(&[[0.0, 0.0], [0.1, 1.0], [-0.1, 1.0]]).unwrap();
    let tip = world.add_shape(&RoundedShape::polygon(&tip, 0.0).unwrap()).unwrap();
    let shapes = [(rectangle(world, 0.8, 0.8), 0.4), (circle(world, 0.3), 0.3), (tip, 0.0)];
    let mut ids = Vec::new();
    for (lane, (shape, half)) in shapes.into_iter().enumerate() {
        let y = 5.0 * lane as f64;
        for x in 0..8 {
            world.add(&BodyOptions::fixed(tile, [f64::from(x), y - 0.5])).unwrap();
        }
        let body = BodyOptions::dynamic(shape, [0.3, y + half]);
        let velocity = glam::DVec2::new(5.0, 0.0);
        ids.push(BodyOptions { velocity, fixed_rotation: true, friction: 0.0, ..body });
    }
    ids.iter().map(|body| world.add(body).unwrap()).collect()
}

/// Adds a box and a ball that slide over kinematic tiles.
fn moving_tiles(world: &mut World) -> Vec<BodyId> {
    let tile = rectangle(world, 1.0, 1.0);
    let shapes = [(rectangle(world, 0.8, 0.8), 0.4), (circle(world, 0.3), 0.3)];
    let mut ids = Vec::new();
    for (lane, (shape, half)) in shapes.into_iter().enumerate() {
        let y = 5.0 * lane as f64;
        for x in 0..8 {
            let tile = BodyOptions::fixed(tile, [1.002 * f64::from(x), y - 0.5]);
            world.add(&BodyOptions { kind: BodyKind::Kinematic, ..tile }).unwrap();
        }
        let velocity = glam::DVec2::new(5.0, 0.0);
        let body = BodyOptions { velocity, friction: 0.0, ..BodyOptions::dynamic(shape, [0.3, y + half]) };
        ids.push(world.add(&body).unwrap());
    }
    ids
}

/// Adds bodies that overlap: two boxes in the air, two balls in the air, a box and the floor, and a box and a lift that moves up.
/// Adds a heavy box on a light box.
fn overlapping(world: &mut World) -> Vec<BodyId> {
    let (plank, box_) = (rectangle(world, 20.0, 1.0), rectangle(world, 1.0, 1.0));
    let ball = circle(world, 0.5);
    world.add(&BodyOptions::fixed(plank, [0.0, -0.5])).unwrap();
    world.add(&BodyOptions::kinematic(plank, [30.0, -0.5], [0.0, 1.0])).unwrap();
    let body = |x: f64, y: f64| BodyOptions::dynamic(box_, [x, y]);
    let heavy = BodyOptions { density: 100.0, ..body(5.0, 1.5) };
    let boxes = [body(-8.0, 5.0), body(-7.6, 5.1), body(-4.0, 0.2), body(30.0, 0.3), body(5.0, 0.5), heavy];
    let balls = [0.0, 0.3].map(|x| BodyOptions::dynamic(ball, [x, 5.0]));
    boxes.iter().chain(&balls).map(|body| world.add(body).unwrap()).collect()
}

/// Adds boxes that land flat on several tiles. The last box bounces at a low speed, and the other boxes stop.
fn flat_on_tiles(world: &mut World) -> Vec<BodyId> {
    let tile = rectangle(world, 0.3, 0.5);
    let box_ = rectangle(world, 1.0, 0.8);
    let mut ids = Vec::new();
    let stops = [0.0, 0.07, 0.13, 0.22].map(|beside| (beside, 6.0, 0.0));
    for (lane, (beside, speed, restitution)) in (0..).zip(stops.into_iter().chain([(0.0, 1.3, 1.0)])) {
        let x = 10.0 * f64::from(lane);
        for k in 0..12 {
            world.add(&BodyOptions::fixed(tile, [x + 0.3 * f64::from(k), -0.25])).unwrap();
        }
        let velocity = glam::DVec2::new(0.0, -speed);
        let body = BodyOptions::dynamic(box_, [x + 1.73 + beside, 0.46]);
        ids.push(world.add(&BodyOptions { velocity, restitution, ..body }).unwrap());
    }
    ids
}

/// Adds a box that flies into an inner corner, and meets both sides of the corner in the same step.
fn into_corner(world: &mut World) -> Vec<BodyId> {
    let (floor, wall) = (rectangle(world, 12.0, 1.0), rectangle(world, 1.0, 12.0));
    world.add(&BodyOptions::fixed(floor, [-6.0, -0.5])).unwrap();
    world.add(&BodyOptions::fixed(wall, [0.5, 6.0])).unwrap();
    let box_ = rectangle(world, 0.2, 0.2);
    let way = glam::DVec2::from_angle(-0.5);
    let start = glam::DVec2::new(-0.1, 0.1) - 3.0 * way;
    let body = BodyOptions { velocity: 20.0 * way, friction: 0.0, ..BodyOptions::dynamic(box_, start) };
    vec![world.add(&body).unwrap()]
}

/// Adds a box that slides over the flat sides of a row of triangles.
fn grooves(world: &mut World) -> Vec<BodyId> {
    let triangle = ConvexPolygon::new(&[[-0.5, 0.0], [0.0, -0.8], [0.5, 0.0]]).unwrap();
    let triangle = world.add_shape(&RoundedShape::polygon(&triangle, 0.0).unwrap()).unwrap();
    let box_ = rectangle(world, 1.0, 1.0);
    for x in 0..8 {
        world.add(&BodyOptions::fixed(triangle, [f64::from(x), 0.0])).unwrap();
    }
    let velocity = glam::DVec2::new(2.0, 0.0);
    let body = BodyOptions {
        velocity,
        fixed_rotation: true,
        friction: 0.0,
        ..BodyOptions::dynamic(box_, [0.03, 0.5])
    };
    vec![world.add(&body).unwrap()]
}

/// Adds a capsule that hits another capsule on the same line.
fn in_line(world: &mut World) -> Vec<BodyId> {
    let capsule = world.add_shape(&RoundedShape::capsule([-0.25, 0.0], [0.25, 0.0], 0.25).unwrap()).unwrap();
    let body = |x: f64, v: f64| BodyOptions {
        velocity: glam::DVec2::new(v, 0.0),
        friction: 0.0,
        ..BodyOptions::dynamic(capsule, [x, 0.0])
    };
    [body(0.0, 2.0), body(1.1, 0.0)].map(|body| world.add(&body).unwrap()).into()
}

/// Returns true if the device and the CPU find the same candidate pairs.
fn pairs_agree(device: &mut World) -> bool {
    device.renew(weightless()).unwrap();
    sizes(device, [0.0, 0.0]);
    let [found, expected] = pairs_of_step(device, 1e-6);
    found == expected
}

/// Injects a fault into the kernels of a device, or removes it. Panics if no kernel has the text that the fault replaces.
fn set_fault(device: &mut World, fault: Option<(&'static str, &'static str)>) {
    let gpu = device.gpu.as_mut().unwrap();
    if let Some((original, _)) = fault {
        let has_it = |kernel: Kernel| kernel.spec(gpu.kernels.group_lanes()).source.contains(original);
        let mut kernels = [Solver::Rigid, Solver::Push].into_iter().flat_map(Kernel::all);
        assert!(kernels.any(has_it), "no kernel has it: {original}");
    }
    gpu.plan = None;
    gpu.kernels.set_fault(fault);
}

/// Injects faults into the kernels of a device, one after the other. Panics if the device disagrees with the CPU in a scene without
/// a fault, or if it agrees with the CPU in spite of a fault. A fault consists of a description, the text to replace, its
/// replacement, and the scene that must detect the fault.
fn check(scenes: &[Scene], faults: &[[&'static str; 4]]) {
    let mut device = on_device(weightless());
    for scene in scenes {
        assert!(scene.agrees(&mut device), "{}", scene.name);
    }
    let mut missed = Vec::new();
    for &[fault, original, broken, noticed_in] in faults {
        set_fault(&mut device, Some((original, broken)));
        let scene = scenes.iter().find(|scene| scene.name == noticed_in).unwrap();
        if scene.agrees(&mut device) {
            missed.push(format!("{fault} in {noticed_in}"));
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
    // The device is right again without a fault.
    set_fault(&mut device, None);
    assert!(scenes[0].agrees(&mut device), "{}", scenes[0].name);
}

#[test]
fn broken_kernels_of_contacts_are_caught() {
    let scenes = [
        Scene::new("slope", WorldOptions::default(), slope, 60, 2e-3),
        Scene::new("stack", WorldOptions::default(), stack, 100, 2e-3),
        // After these steps, the ball that bounces is in the air.
        Scene::new("balls", WorldOptions::default(), balls, 45, 2e-3),
        Scene::new("landing", WorldOptions::default(), landing, 50, 2e-3),
        Scene::new("overlapping", WorldOptions::default(), overlapping, 12, 2e-3),
    ];
    let faults = [
        ["friction that drives", "tangent_mass * speed, most)", "tangent_mass * -speed, most)", "slope"],
        ["friction without a limit", "let most = friction * normal_impulse;", "let most = 1e9;", "slope"],
        ["a second point left out", "  press(&solved, second, impulses.z);\n", "", "stack"],
        ["a turn the other way", "inverse.w * cross(arms.b", "-inverse.w * cross(arms.b", "balls"],
        ["gaps of the start of a step", "let gap = dot(between, normal) + (", "let gap = (", "balls"],
        ["no bounce", "min(in_flight - back.speed, 0.0)", "min(in_flight, 0.0)", "balls"],
        [
            "bounces that stay above the ground",
            "shift(solved, select(0.0, point.way,",
            "shift(solved, select(0.0, 0.0,",
            "balls",
        ],
        ["discs that do not rotate", "twice(twice(twice(eighth)))", "eighth", "balls"],
        ["bounces above the ground", "fall * way;", "0.0;", "landing"],
        ["bounces without gravity", "dot(params.half_kick, solved.normal)", "0.0", "landing"],
        ["points solved apart", "change_by(inverse, first, second) * per_own", "vec2f()", "landing"],
        ["a sub-step too far", "+ params.h * body.velocity", "+ 1.01 * params.h * body.velocity", "balls"],
        ["deep overlaps that springs resolve", "bias = max(bias, deep * softness.x);", "", "overlapping"],
        [
            "deep overlaps that stay",
            "max(min(PART * (deep - gap), ",
            "0.0 * max(min(PART * (deep - gap), ",
            "overlapping",
        ],
        ["deep overlaps of balls that stay", "shift(solved, -point.way);", "", "overlapping"],
        ["loads that rest on no spring", "min(loaded + params.deep,", "min(params.deep,", "overlapping"],
        ["lifts that give no velocity", " && !is_driven(solved)", "", "overlapping"],
        ["impulses forgotten", "var best = near * near;", "var best = -1.0;", "stack"],
    ];
    check(&scenes, &faults);
}

/// Returns options with which bodies sink deep into the ground, so that they do not only graze the next tile.
fn pressing(gravity: f64) -> WorldOptions {
    WorldOptions { gravity: glam::DVec2::new(0.0, -gravity), substeps: 1, ..WorldOptions::default() }
}

#[test]
fn broken_kernels_of_paths_and_seams_are_caught() {
    let scenes = [
        Scene::new("bullets", weightless(), bullets, 2, 0.02),
        Scene::new("passing", weightless(), passing, 30, 0.02),
        Scene::new("shot", weightless(), shot, 1, 0.02),
        Scene::new("tiles", pressing(40.0), tiles, 60, 2e-3),
        Scene::new("grooves", pressing(20.0), grooves, 60, 2e-3),
        Scene::new("moving tiles", WorldOptions::default(), moving_tiles, 60, 2e-3),
        Scene::new("in line", weightless(), in_line, 30, 2e-3),
        Scene::new("flat on tiles", weightless(), flat_on_tiles, 30, 2e-3),
        Scene::new("into corner", WorldOptions::default(), into_corner, 20, 2e-3),
    ];
    let faults = [
        [
            "fast bodies that are not stopped",
            "if (part < 1.0) {\n    atomicMin",
            "if (false) {\n    atomicMin",
            "shot",
        ],
        ["paths that are not followed", "part += touch.separation / approach;", "part = 1.0;", "passing"],
        [
            "what passes is near where it began",
            "part = select(PASSED, part,",
            "part = select(PASSED, 0.0,",
            "passing",
        ],
        [
            "edges of seams",
            "if (is_exposed(record, own, edge, surface.points[k], surface.other)) {",
            "if (true) {",
            "tiles",
        ],
        ["vertices of seams", "if (!is_covered(record, surface, deepest)) {", "if (true) {", "tiles"],
        [
            "flat landings",
            "lands && (is_beside(touch, false, way, b) || is_beside(touch, true, way, a))",
            "false",
            "flat on tiles",
        ],
        ["bounces off balance", "(atomicLoad(&control[BOUNCE_ROUND]) == 0u)", "false", "flat on tiles"],
        [
            "contacts cut off in a corner",
            "is_cut(touch, false) || is_cut(touch, true)",
            "false",
            "into corner",
        ],
        ["bodies that graze", "return turned_to(touch, outward, -overlap);", "return touch;", "moving tiles"],
        ["segments in line", "best.upper >= 0.0", "false", "in line"],
        ["edges that face away", "turn >= SAME_DIRECTION && turn < sector.most", "false", "grooves"],
    ];
    check(&scenes, &faults);
}

#[test]
fn broken_kernels_of_agents_are_caught() {
    let faults = [
        ["overlap that stays", "let out = max(fixed.z - gap, 0.0);", "let out = 0.0;", "crowd"],
        ["approach that is not stopped", "* params.inverse_h + along)", "* params.inverse_h)", "crowd"],
        ["no aim", "strive * (preferred - v)", "strive * preferred", "crowd"],
    ];
    check(&[Scene::new("crowd", pushing(), crowd, 100, 2e-3)], &faults);
}

#[test]
fn broken_kernels_of_pairs_are_caught() {
    let mut device = on_device(weightless());
    assert!(pairs_agree(&mut device));
    let mut missed = Vec::new();
    for (fault, original, broken) in [
        ("a neighbour cell left out", "(aabb.zw + half) >>", "aabb.zw >>"),
        ("a neighbour cell left out before", "(aabb.xy - half) >>", "aabb.xy >>"),
        ("a last row left out", "y <= last.y", "y < last.y"),
        ("bodies of one level twice", "(at > level || j > i)", "(at > level || j != i)"),
        ("coarser levels left out", "(control[LEVELS] >> level) << level", "1u << level"),
    ] {
        set_fault(&mut device, Some((original, broken)));
        if pairs_agree(&mut device) {
            missed.push(fault);
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
    // The device is right again without a fault.
    set_fault(&mut device, None);
    assert!(pairs_agree(&mut device));
}
