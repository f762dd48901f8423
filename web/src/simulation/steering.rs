//! Points the agents of a crowd to where they should go, on the world's device.

use sat2d::sim::{BodyId, DeviceBuffers, Doorway, SceneDescription};
use sat2d::wgpu;

use super::renderer::filled;

/// A pass over the agents.
#[derive(Debug)]
pub struct Steering {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    count: u32,
}

/// Steps between two times that the agents look where they are.
pub const INTERVAL: u64 = 10;

const SOURCE: &str = include_str!("../../shaders/steer.wgsl");
const GROUP: u32 = 64;

impl Steering {
    /// None for scenes that steer nobody.
    #[must_use]
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &SceneDescription,
        ids: &[BodyId],
        buffers: &DeviceBuffers,
        quantum: f64,
    ) -> Option<Self> {
        let doorway = scene.doorway?;
        let mut agents: Vec<u8> = Vec::new();
        let mut count = 0;
        for (agent, id) in scene.bodies.iter().zip(ids).filter(|(body, _)| body.preference > 0.0) {
            let record = [agent.position.x, agent.position.y, agent.preferred_velocity.length()];
            agents.extend(record.iter().flat_map(|&x| (x as f32).to_le_bytes()));
            agents.extend((id.index() as u32).to_le_bytes());
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
                    resource: filled(device, queue, &room).as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: filled(device, queue, &agents).as_entire_binding(),
                },
                wgpu::BindGroupEntry { binding: 2, resource: buffers.states.as_entire_binding() },
            ],
        });
        Some(Self { pipeline, group, count })
    }

    /// Records the pass.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let groups = self.count.div_ceil(GROUP);
        // The most that any device takes in a row.
        let row = groups.min(65_535);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(row, groups.div_ceil(row), 1);
    }
}
