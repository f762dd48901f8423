//! Runs a simulation on the device. Gears on a lattice turn, and each step finds which gears mesh. The step is one submission,
//! with passes of the simulation before and after the query. The counts and the hits of the last step are read back only at the
//! end.

use sat2d::{Backend, ConvexPolygon, Engine, PolygonSet, Pose, Relation, RelationEncoder, Relations, wgpu};

const SIDE: u32 = 24;
const GEARS: u32 = SIDE * SIDE;
const STEPS: usize = 5;

/// The passes of the simulation: one writes pairs of neighbours in the lattice, and one counts the codes of each step.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> codes: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 4>;

const SIDE = 24u;

// Each gear with the one to its right and the one above, around the torus.
@compute @workgroup_size(64)
fn propose(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i < SIDE * SIDE) {
    let row = i / SIDE;
    pairs[2u * i] = vec2u(i, row * SIDE + (i + 1u) % SIDE);
    pairs[2u * i + 1u] = vec2u(i, (i + SIDE) % (SIDE * SIDE));
  }
}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3u) {
  let k = id.x;
  if (k < 2u * SIDE * SIDE) {
    atomicAdd(&counts[(codes[k / 16u] >> (2u * (k % 16u))) & 3u], 1u);
  }
}
";

fn gears(step: usize) -> sat2d::Result<Vec<Pose>> {
    let place = |i: u32| [f64::from(i % SIDE), f64::from(i / SIDE)];
    (0..GEARS).map(|i| Pose::new(0.1 * step as f64 + 0.7 * f64::from(i), place(i))).collect()
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = instance.enumerate_adapters(wgpu::Backends::PRIMARY).await;
    let adapter = adapters.into_iter().next().ok_or("no adapter; a software one will do")?;
    let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await?;
    let engine = Engine::from_device(device.clone(), queue.clone()).await?;

    let gear = ConvexPolygon::new(&[[0.6, 0.0], [0.2, 0.35], [-0.6, 0.1], [-0.5, -0.25], [0.3, -0.3]])?;
    let instances: Vec<_> = gears(0)?.into_iter().map(|pose| (0, pose)).collect();
    let mut set = PolygonSet::from_instances(&[gear.into()], &instances)?;
    let mut relations = engine.encoder_for(&set, &set).await?;

    let pair_count = 2 * GEARS;
    let storage = |words: u32| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * u64::from(words),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    };
    let (pairs, codes) = (storage(2 * pair_count), storage(RelationEncoder::code_words(pair_count)));
    let (counts, log) = (storage(4), storage(4 * STEPS as u32));
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let pass_of = |entry: &str, bound: &[(u32, &wgpu::Buffer)]| {
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let entries: Vec<_> = bound
            .iter()
            .map(|&(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = pipeline.get_bind_group_layout(0);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        });
        (pipeline, group)
    };
    let propose = pass_of("propose", &[(0, &pairs)]);
    let count = pass_of("count", &[(1, &codes), (2, &counts)]);
    let record = |encoder: &mut wgpu::CommandEncoder, pass_of: &(wgpu::ComputePipeline, wgpu::BindGroup)| {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pass_of.0);
        pass.set_bind_group(0, &pass_of.1, &[]);
        pass.dispatch_workgroups(pair_count.div_ceil(64), 1, 1);
    };

    for step in 0..STEPS {
        set.set_poses(&gears(step)?)?;
        relations.update_poses(&set, &set).await?;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.clear_buffer(&counts, 0, None);
        record(&mut encoder, &propose);
        relations.encode(&mut encoder, &pairs, pair_count, &codes)?;
        record(&mut encoder, &count);
        encoder.copy_buffer_to_buffer(&counts, 0, &log, 16 * step as u64, 16);
        queue.submit([encoder.finish()]);
    }

    let readback = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: log.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(&log, 0, &readback, 0, log.size());
    queue.submit([encoder.finish()]);
    readback.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let view = readback.get_mapped_range(..)?;
    let words: Vec<u32> =
        view.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();

    // Reads the hits of the last step with one copy of exactly their size.
    let hits = storage(RelationEncoder::HITS_HEADER as u32 + pair_count);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    relations.encode_hits(&mut encoder, &pairs, pair_count, &hits).await?;
    queue.submit([encoder.finish()]);
    let read = relations.read_hits(&hits).await?;
    println!("of the last step {} hits came to the host, {} of them uncertain", read.needed, read.uncertain);
    let &[.., overlapping, uncertain] = &words[..] else { return Err("no step was taken".into()) };
    assert_eq!((read.hits.len() as u32, read.uncertain), (overlapping + uncertain, uncertain));

    // Computes the same results exactly on the CPU.
    let cpu = Engine::new(Backend::Cpu)?;
    let neighbours: Vec<[u32; 2]> =
        (0..GEARS).flat_map(|i| [[i, i / SIDE * SIDE + (i + 1) % SIDE], [i, (i + SIDE) % GEARS]]).collect();
    for (step, counts) in words.chunks_exact(4).enumerate() {
        let &[disjoint, _, overlapping, uncertain] = counts else { unreachable!("chunks of four") };
        println!("step {step}: {overlapping} overlap, {disjoint} are apart, {uncertain} uncertain");
        set.set_poses(&gears(step)?)?;
        let exact = cpu.piece_pairs(&set, &set, &neighbours).query(Relations)?.items;
        let exact = |relation| exact.iter().filter(|&&r| r == relation).count() as u32;
        assert!(exact(Relation::Overlapping).abs_diff(overlapping) <= uncertain);
        assert!(exact(Relation::Disjoint).abs_diff(disjoint) <= uncertain);
        assert_eq!(disjoint + overlapping + uncertain, pair_count);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pollster::block_on(run())
}
