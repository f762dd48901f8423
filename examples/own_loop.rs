//! Runs a crowd in the caller's own loop, on the caller's own device. A compute pass of the caller writes preferred velocities
//! from the positions in the world's buffer. Then the world steps, and a render pass of the caller draws from the same buffer.
//! Each frame is one submission. Only the final picture and the bodies at the end are read back.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, DeviceBuffers, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, RoundedShape, wgpu};

const AGENTS: u32 = 240;
const RADIUS: f64 = 0.3;
const FRAMES: usize = 60;
/// The width and the height of the picture in pixels.
const PIXELS: u32 = 256;
/// The distance from the middle of the picture to its border, in units of the world.
const VIEW: f32 = 12.0;

/// The passes of the caller. `BodyState` is the world's record of a body.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> states: array<BodyState>;

// Around the pillar in the middle, and towards a ring about it.
@compute @workgroup_size(64)
fn steer(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&states)) {
    return;
  }
  let at = vec2f(states[id.x].anchor) * QUANTUM + states[id.x].offset;
  let distance = max(length(at), 0.001);
  let around = vec2f(-at.y, at.x) / distance;
  let inward = at / distance * (6.0 - distance);
  let preferred = 1.5 * around + 0.5 * inward;
  states[id.x].preferred_velocity[0] = preferred.x;
  states[id.x].preferred_velocity[1] = preferred.y;
}

// A disc of twelve triangles for each agent; the pillar is not drawn.
@vertex
fn corner(
  @builtin(vertex_index) vertex: u32,
  @location(0) anchor: vec2i,
  @location(1) offset: vec2f,
) -> @builtin(position) vec4f {
  let angle = f32(vertex / 3u + vertex % 3u - 1u) * (6.2831853 / 12.0);
  let arm = select(RADIUS * vec2f(cos(angle), sin(angle)), vec2f(), vertex % 3u == 0u);
  return vec4f((vec2f(anchor) * QUANTUM + offset + arm) / VIEW, 0.0, 1.0);
}

@fragment
fn colour() -> @location(0) vec4f {
  return vec4f(0.2, 0.7, 1.0, 1.0);
}
";

/// The result of the run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The number of steps that the device took.
    pub(crate) steps: u64,
    /// The number of pixels that show an agent.
    pub(crate) painted: usize,
    /// The number of agents that went around the pillar.
    pub(crate) around: usize,
}

async fn device() -> Result<(wgpu::Device, wgpu::Queue), Box<dyn std::error::Error>> {
    // wgpu checks the size of each indirect dispatch by default. The steps of a world do not need this check.
    let flags = wgpu::InstanceFlags::default() - wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL;
    let descriptor =
        wgpu::InstanceDescriptor { flags, ..wgpu::InstanceDescriptor::new_without_display_handle() };
    let instance = wgpu::Instance::new(descriptor);
    let adapters = instance.enumerate_adapters(wgpu::Backends::PRIMARY).await;
    let adapter = adapters.into_iter().next().ok_or("no adapter; a software one will do")?;
    // The default limits are available on every WebGPU device.
    Ok(adapter.request_device(&wgpu::DeviceDescriptor::default()).await?)
}

fn fill(world: &mut World) -> sat2d::Result<Vec<sat2d::sim::BodyId>> {
    let pillar = ConvexPolygon::new(&[[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0], [0.0, -2.0]])?;
    let pillar = world.add_shape(&RoundedShape::polygon(&pillar, 0.0)?)?;
    let agent = world.add_shape(&RoundedShape::circle([0.0, 0.0], RADIUS)?)?;
    world.add(&BodyOptions::fixed(pillar, [0.0, 0.0]))?;
    let place = |k: u32| {
        let (ring, angle) = (k / 40, f64::from(k % 40) / 40.0 * std::f64::consts::TAU);
        (5.0 + f64::from(ring)) * DVec2::new(angle.cos(), angle.sin())
    };
    // The compute pass sets the preferred velocities.
    (0..AGENTS).map(|k| world.add(&BodyOptions::agent(agent, place(k), [0.0, 0.0]))).collect()
}

/// The pipelines of the caller's two passes.
struct Passes {
    steer: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    draw: wgpu::RenderPipeline,
}

impl Passes {
    fn new(device: &wgpu::Device, world: &World, bodies: &DeviceBuffers) -> Self {
        let constants = format!(
            "const QUANTUM: f32 = {:?};\nconst RADIUS: f32 = {RADIUS:?};\nconst VIEW: f32 = {VIEW:?};\n",
            world.quantum() as f32
        );
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl((constants + DeviceBuffers::WGSL + SHADER).into()),
        });
        let compilation_options = wgpu::PipelineCompilationOptions::default();
        let steer = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("steer"),
            compilation_options: compilation_options.clone(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &steer.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: bodies.states.as_entire_binding() }],
        });
        let attributes = wgpu::vertex_attr_array![0 => Sint32x2, 1 => Float32x2];
        let draw = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("corner"),
                compilation_options: compilation_options.clone(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: DeviceBuffers::STRIDE,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &attributes,
                })],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("colour"),
                compilation_options,
                targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        Self { steer, group, draw }
    }

    fn steer(&self, encoder: &mut wgpu::CommandEncoder, count: u32) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.steer);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(count.div_ceil(64), 1, 1);
    }

    fn draw(&self, encoder: &mut wgpu::CommandEncoder, view: &wgpu::TextureView, bodies: &DeviceBuffers) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.draw);
        pass.set_vertex_buffer(0, bodies.states.slice(..));
        // The first body is the pillar.
        pass.draw(0..36, 1..bodies.count);
    }
}

/// Runs the loop.
pub(crate) async fn run() -> Result<Outcome, Box<dyn std::error::Error>> {
    let (device, queue) = device().await?;
    let options = WorldOptions { gravity: DVec2::ZERO, solver: Solver::Push, ..WorldOptions::default() };
    let mut world = World::from_device(options, device.clone(), queue.clone()).await?;
    let agents = fill(&mut world)?;
    let bodies = world.device_buffers().await?;
    let passes = Passes::new(&device, &world, &bodies);
    let size = wgpu::Extent3d { width: PIXELS, height: PIXELS, depth_or_array_layers: 1 };
    let picture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = picture.create_view(&wgpu::TextureViewDescriptor::default());

    for _ in 0..FRAMES {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        passes.steer(&mut encoder, bodies.count);
        world.encode_steps(&mut encoder, 1, 1.0 / 60.0).await?;
        passes.draw(&mut encoder, &view, &bodies);
        queue.submit([encoder.finish()]);
    }

    // The result shows whether all steps were taken. If a buffer was too small, steps are missing, and the buffer is larger now.
    let steps = world.settle_async().await?.steps;
    world.sync_async().await?;
    let mut around = 0;
    for &agent in &agents {
        let (at, (velocity, _)) = (world.pose(agent)?.translation(), world.velocity(agent)?);
        around += usize::from(at.perp_dot(velocity) > 0.0 && (2.0..12.0).contains(&at.length()));
    }
    let painted = painted_pixels(&device, &queue, &picture, size)?;
    Ok(Outcome { steps, painted, around })
}

fn painted_pixels(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    picture: &wgpu::Texture,
    size: wgpu::Extent3d,
) -> Result<usize, Box<dyn std::error::Error>> {
    let readback = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(4 * PIXELS * PIXELS),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * PIXELS), rows_per_image: None };
    encoder.copy_texture_to_buffer(
        picture.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &readback, layout },
        size,
    );
    queue.submit([encoder.finish()]);
    readback.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let pixels = readback.get_mapped_range(..)?;
    Ok(pixels.chunks_exact(4).filter(|pixel| pixel[2] > 0).count())
}

#[allow(dead_code, reason = "a test runs the loop without it")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Outcome { steps, painted, around } = pollster::block_on(run())?;
    println!(
        "{steps} steps, {around} of {AGENTS} agents go around, {painted} of {} pixels show them",
        PIXELS * PIXELS
    );
    Ok(())
}
