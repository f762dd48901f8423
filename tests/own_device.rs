//! An engine on the caller's own device, made through `sat2d::wgpu` with the least limits that WebGPU promises.
//!
//! Needs an adapter; a software one will do (Debian: mesa-vulkan-drivers).

#![cfg(feature = "gpu")]

use sat2d::{Backend, Engine, JoinOptions, PolygonSet, Pose, wgpu};

fn device_and_queue() -> (wgpu::Device, wgpu::Queue) {
    pollster::block_on(async {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance
            .enumerate_adapters(wgpu::Backends::PRIMARY)
            .await
            .into_iter()
            .next()
            .expect("no GPU adapter; on Debian and Ubuntu, mesa-vulkan-drivers has a software one");
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: wgpu::Limits::default(), ..Default::default() };
        adapter.request_device(&descriptor).await.expect("a device with WebGPU's default limits")
    })
}

/// Squares on a grid: neighbours touch; and turned ones among them, which overlap what they reach.
fn set() -> PolygonSet {
    let square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let shape = sat2d::ConvexPolygon::new(&square).expect("a square");
    let instances: Vec<(usize, Pose)> = (0..1600)
        .map(|i| {
            let angle = if i % 7 == 0 { 0.1 * f64::from(i) } else { 0.0 };
            let place = [f64::from(i % 40), f64::from(i / 40)];
            (0, Pose::new(angle, place).expect("a pose in range"))
        })
        .collect();
    PolygonSet::from_instances(&[shape.into()], &instances).expect("few squares")
}

#[test]
fn the_callers_device_gives_the_pairs_of_the_cpu() {
    let (device, queue) = device_and_queue();
    let own = pollster::block_on(Engine::from_device(device.clone(), queue)).expect("default limits suffice");
    assert_eq!(own.choice().backend, Backend::Gpu);
    assert_eq!(own.choice().reason, "the caller's device");
    let cpu = Engine::new(Backend::Cpu).expect("the CPU is always there");

    let set = set();
    let expected = cpu.self_join(&set, &JoinOptions::default()).expect("the CPU answers");
    assert!(expected.counts.touching > 1000 && expected.counts.overlapping > 100, "{:?}", expected.counts);
    let found = own.self_join(&set, &JoinOptions::default()).expect("the device answers");
    assert_eq!(found.pairs, expected.pairs);

    // The device stays the caller's: it works on after the engine is gone.
    drop(own);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: true,
    });
    buffer.unmap();
    device.poll(wgpu::PollType::wait_indefinitely()).expect("the device is not lost");
}
