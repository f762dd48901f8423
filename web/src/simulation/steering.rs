//! Sets the preferred velocities of the agents of a crowd, on the world's device.

use sat2d::sim::{DeviceBuffers, Doorway, SceneDescription};
use sat2d::wgpu;

use super::renderer::filled;
use super::shader::shader;

/// A compute pass that sets the preferred velocity of each agent of a crowd.
#[derive(Debug)]
pub struct Steering {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    count: u32,
}

/// The number of steps between two passes of [`Steering`].
pub const INTERVAL: u64 = 10;

const SOURCE: &str = shader!("../../shaders/steer.wgsl");
const GROUP: u32 = 64;

impl Steering {
    /// Creates the pass for the agents of a scene. Returns `None` if the scene has no agents to steer.
    #[must_use]
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &SceneDescription,
        records: &[u32],
        buffers: &DeviceBuffers,
        quantum: f64,
    ) -> Option<Self> {
        let doorway = scene.doorway?;
        let mut agents: Vec<u8> = Vec::new();
        let mut count = 0;
        for (agent, index) in scene.bodies.iter().zip(records).filter(|(body, _)| body.preference > 0.0) {
            let record = [agent.position.x, agent.position.y, agent.preferred_velocity.length()];
            agents.extend(record.iter().flat_map(|&x| (x as f32).to_le_bytes()));
            agents.extend(index.to_le_bytes());
            count += 1;
        }
        if count == 0 {
            return None;
        }
        let room = [doorway.half_width, doorway.half_thickness, doorway.pillar, quantum];
        let room: Vec<u8> = room.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("steer"),
            source: wgpu::ShaderSource::Wgsl([DeviceBuffers::WGSL, Doorway::WGSL, SOURCE].concat().into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("steer"),
            layout: None,
            module: &module,
            entry_point: Some("steer"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("steer"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: filled(device, queue, &room, wgpu::BufferUsages::UNIFORM).as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: filled(device, queue, &agents, wgpu::BufferUsages::STORAGE).as_entire_binding(),
                },
                wgpu::BindGroupEntry { binding: 2, resource: buffers.states.as_entire_binding() },
            ],
        });
        Some(Self { pipeline, group, count })
    }

    /// Records the compute pass into the caller's encoder.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let groups = self.count.div_ceil(GROUP);
        // The greatest number of workgroups in one dimension that every device accepts.
        let row = groups.min(65_535);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(row, groups.div_ceil(row), 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat2d::sim::{SimScene, World};

    async fn wishes() -> (SceneDescription, Vec<[f32; 4]>, Vec<[f32; 2]>) {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = instance.enumerate_adapters(wgpu::Backends::PRIMARY).await;
        let adapter = adapters.into_iter().next().expect("an adapter; a software one will do");
        let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await.unwrap();
        let scene = SimScene::Crowd.describe(150, 4);
        let mut world =
            World::from_device(scene.options.clone(), device.clone(), queue.clone()).await.unwrap();
        let ids = scene.fill(&mut world).unwrap();
        // After these steps, some agents are through the doorway.
        for _ in 0..40 {
            scene.steer(&mut world, &ids).unwrap();
            world.steps_async(20, scene.dt).await.unwrap();
        }
        let mut poses = Vec::new();
        world.sync_async().await.unwrap();
        world.poses([0.0, 0.0], &mut poses).unwrap();
        let buffers = world.device_buffers().await.unwrap();
        let records: Vec<u32> = ids.iter().map(|&id| world.record_index(id).unwrap() as u32).collect();
        let steering = Steering::new(&device, &queue, &scene, &records, &buffers, world.quantum()).unwrap();
        let size = DeviceBuffers::STRIDE * u64::from(buffers.count);
        let readback = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        steering.encode(&mut encoder);
        encoder.copy_buffer_to_buffer(&buffers.states, 0, &readback, 0, size);
        queue.submit([encoder.finish()]);
        readback.map_async(wgpu::MapMode::Read, .., |_| ());
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = readback.get_mapped_range(..).unwrap();
        let number = |record: &[u8], at: usize| f32::from_le_bytes(record[at..at + 4].try_into().unwrap());
        // The preferred velocity follows the anchor, offset, rotation, velocity and angular velocity in the record.
        let wish = |record: &[u8]| [number(record, 36), number(record, 40)];
        let all: Vec<[f32; 2]> = bytes.chunks_exact(DeviceBuffers::STRIDE as usize).map(wish).collect();
        let wishes = records.iter().map(|&record| all[record as usize]).collect();
        (scene, poses, wishes)
    }

    #[test]
    fn agents_strive_to_where_the_host_would_have_them_go() {
        let (scene, poses, wishes) = pollster::block_on(wishes());
        let doorway = scene.doorway.unwrap();
        let mut ways = std::collections::HashSet::new();
        for (agent, (pose, wish)) in scene.bodies.iter().zip(poses.iter().zip(&wishes)) {
            if agent.preference == 0.0 {
                continue;
            }
            let at = sat2d::glam::DVec2::new(pose[0].into(), pose[1].into());
            let expected = doorway.preferred_velocity(agent, at).as_vec2();
            let away = (expected - sat2d::glam::Vec2::from(*wish)).length();
            assert!(away < 2e-3, "{expected} {wish:?} at {at}");
            ways.insert((at.x * agent.position.x < 0.0, at.x.abs() < doorway.half_thickness + 2.0));
        }
        assert!(ways.len() > 2, "agents are on both sides of the doorway");
    }
}
