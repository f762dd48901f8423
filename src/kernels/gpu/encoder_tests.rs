//! Tests an engine on the caller's own device, with the minimum limits that WebGPU guarantees.
//!
//! These tests need an adapter. A software adapter is sufficient (Debian: mesa-vulkan-drivers).

use crate::answers::backend::Backend;

use crate::answers::results::Relation;
use crate::queries::kinds::Relations;
use crate::{Engine, Error, PolygonSet, Pose, RelationEncoder};

fn device_and_queue() -> (wgpu::Device, wgpu::Queue) {
    device_with(wgpu::Features::empty()).expect("no feature is needed")
}

/// Returns two devices: one without optional features, and one with subgroups. Leaves out the second if the adapter has
/// no subgroups.
fn devices() -> impl Iterator<Item = (wgpu::Device, wgpu::Queue)> {
    [wgpu::Features::empty(), wgpu::Features::SUBGROUP].into_iter().filter_map(device_with)
}

/// Returns a device with the given features, or `None` if the adapter lacks one of them.
fn device_with(required_features: wgpu::Features) -> Option<(wgpu::Device, wgpu::Queue)> {
    pollster::block_on(async {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance
            .enumerate_adapters(wgpu::Backends::PRIMARY)
            .await
            .into_iter()
            .next()
            .expect("no GPU adapter; on Debian and Ubuntu, mesa-vulkan-drivers has a software one");
        if !adapter.features().contains(required_features) {
            return None;
        }
        let required_limits = wgpu::Limits::default();
        let descriptor = wgpu::DeviceDescriptor { required_limits, required_features, ..Default::default() };
        Some(adapter.request_device(&descriptor).await.expect("a device with WebGPU's default limits"))
    })
}

/// Returns squares on a grid, whose neighbours touch. Some of the squares are rotated, and overlap their neighbours.
fn set() -> PolygonSet {
    let square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let shape = crate::ConvexPolygon::new(&square).expect("a square");
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
    let expected = cpu.self_join(&set).query(Relations).expect("the CPU answers");
    assert!(expected.counts.touching > 1000 && expected.counts.overlapping > 100, "{:?}", expected.counts);
    let found = own.self_join(&set).query(Relations).expect("the device answers");
    assert_eq!(found.items, expected.items);

    // The caller still owns the device, so it must work after the engine is dropped.
    drop(own);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: true,
    });
    buffer.unmap();
    device.poll(wait()).expect("the device answers within a minute");
}

/// Returns the mode of a poll that waits for all submitted work, for at most a minute.
fn wait() -> wgpu::PollType {
    wgpu::PollType::Wait { submission_index: None, timeout: Some(std::time::Duration::from_secs(60)) }
}

/// Returns a buffer of `words` 32-bit words that are 0.
fn buffer(device: &wgpu::Device, words: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4 * words as u64,
        usage: usage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn words_of(device: &wgpu::Device, queue: &wgpu::Queue, source: &wgpu::Buffer) -> Vec<u32> {
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let size = source.size();
    let readback =
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(source, 0, &readback, 0, size);
    queue.submit([encoder.finish()]);
    readback.map_async(wgpu::MapMode::Read, .., |result| result.expect("the buffer maps"));
    device.poll(wait()).expect("the device answers within a minute");
    let view = readback.get_mapped_range(..).expect("it is mapped");
    view.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
}

fn write_pairs(queue: &wgpu::Queue, buffer: &wgpu::Buffer, pairs: &[[u32; 2]]) {
    let bytes: Vec<u8> = pairs.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
    queue.write_buffer(buffer, 0, &bytes);
}

/// Returns pairs of squares that are near each other, and some other pairs. There are so many pairs that the counts of
/// their workgroups do not fit in one workgroup.
fn near_pairs() -> Vec<[u32; 2]> {
    let of = |i: u32| [[i % 1600, (i + 1) % 1600], [i % 1600, (i + 41) % 1600], [i % 1600, (i + 777) % 1600]];
    (0..24_000).flat_map(of).collect()
}

/// Asserts that the codes are right: a code of 0 or 2 equals the true relation, and all pairs that touch are uncertain.
/// Returns the number of uncertain pairs.
fn assert_codes(codes: impl Iterator<Item = u32>, truth: &[Relation]) -> usize {
    let mut uncertain = 0;
    for (k, (code, truth)) in codes.zip(truth).enumerate() {
        match code {
            0 => assert_eq!(*truth, Relation::Disjoint, "pair {k}"),
            2 => assert_eq!(*truth, Relation::Overlapping, "pair {k}"),
            3 => uncertain += 1,
            other => panic!("pair {k} has code {other}"),
        }
    }
    uncertain
}

#[test]
fn codes_and_hits_stay_in_the_callers_buffers() {
    devices().for_each(|(device, queue)| assert_codes_and_hits(&device, &queue));
}

fn assert_codes_and_hits(device: &wgpu::Device, queue: &wgpu::Queue) {
    let own = pollster::block_on(Engine::from_device(device.clone(), queue.clone())).expect("limits suffice");
    let cpu = Engine::new(Backend::Cpu).expect("the CPU is always there");
    let mut set = set();
    let pairs = near_pairs();
    let truth = |set: &PolygonSet| {
        cpu.piece_pairs(set, set, &pairs).query(Relations).expect("pairs of the set").items
    };
    let storage = wgpu::BufferUsages::STORAGE;
    let pair_buffer = buffer(device, 2 * pairs.len(), storage);
    write_pairs(queue, &pair_buffer, &pairs);
    let count = pairs.len() as u32;
    // The pairs do not fill the last word, so the test can check its upper bits.
    let few = 100;
    let codes = buffer(device, RelationEncoder::code_words(count) as usize, storage);
    let few_codes = buffer(device, RelationEncoder::code_words(few) as usize, storage);
    let hits = buffer(device, RelationEncoder::HITS_HEADER + pairs.len(), storage);
    let small_hits = buffer(device, RelationEncoder::HITS_HEADER + 10, storage);

    let mut relations = pollster::block_on(own.encoder_for(&set, &set)).expect("a small set");
    for step in 0..3 {
        if step > 0 {
            // The squares move. In the last step, some of them move far away.
            let reach = if step == 1 { 1.0 } else { 1000.0 };
            let poses: Vec<Pose> = (0..1600)
                .map(|i| {
                    let place = [f64::from(i % 40) * 0.9, f64::from(i / 40) * 1.01 * reach];
                    Pose::new(0.3 * f64::from(i % 11) * f64::from(step), place).expect("a pose in range")
                })
                .collect();
            set.set_poses(&poses).expect("one a square");
            pollster::block_on(relations.update_poses(&set, &set)).expect("the same squares");
        }
        let truth = truth(&set);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        relations.encode(&mut encoder, &pair_buffer, count, &codes).expect("room");
        relations.encode(&mut encoder, &pair_buffer, few, &few_codes).expect("room");
        pollster::block_on(async {
            relations.encode_hits(&mut encoder, &pair_buffer, count, &hits).await.expect("room");
            relations.encode_hits(&mut encoder, &pair_buffer, count, &small_hits).await.expect("a header");
        });
        queue.submit([encoder.finish()]);

        let words = words_of(device, queue, &codes);
        let code = |k: usize| words[k / 16] >> (2 * (k % 16)) & 3;
        let uncertain = assert_codes((0..pairs.len()).map(code), &truth);
        let few_words = words_of(device, queue, &few_codes);
        assert_eq!(few_words[..6], words[..6], "step {step}");
        assert_eq!(few_words[6], words[6] & 0xff, "step {step}");

        let expected: Vec<(u32, u32)> =
            (0..count).map(|k| (k, code(k as usize))).filter(|&(_, code)| code != 0).collect();
        assert!(expected.len() > 100 && expected.len() < pairs.len(), "step {step}: {}", expected.len());
        let found = words_of(device, queue, &hits);
        let header = [expected.len() as u32, expected.len() as u32, uncertain as u32, 0];
        assert_eq!(found[..4], header, "step {step}");
        let found: Vec<_> =
            found[4..][..expected.len()].iter().map(|&word| RelationEncoder::hit(word)).collect();
        assert_eq!(found, expected, "step {step}");
        let small = words_of(device, queue, &small_hits);
        assert_eq!(small[..4], [expected.len() as u32, 10, uncertain as u32, 0], "step {step}");
        let small: Vec<_> = small[4..].iter().map(|&word| RelationEncoder::hit(word)).collect();
        assert_eq!(small, expected[..10], "step {step}");

        let relation = |code| (code == 2).then_some(Relation::Overlapping);
        let expected: Vec<_> = expected.into_iter().map(|(pair, code)| (pair, relation(code))).collect();
        for (buffer, count) in [(&hits, expected.len()), (&small_hits, 10)] {
            let read = pollster::block_on(relations.read_hits(buffer)).expect("they were left there");
            assert_eq!(read.hits, expected[..count], "step {step}");
            assert_eq!((read.needed as usize, read.uncertain as usize), (expected.len(), uncertain));
        }
    }
}

#[test]
fn two_static_sets_and_an_empty_one_are_encoded() {
    let (device, queue) = device_and_queue();
    let own = pollster::block_on(Engine::from_device(device.clone(), queue.clone())).expect("limits suffice");
    let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    let a = PolygonSet::from_convex_rings(&[square(0.0), square(10.0)]).expect("squares");
    let b = PolygonSet::from_convex_rings(&[square(0.5), square(11.0), square(30.0)]).expect("squares");
    let storage = wgpu::BufferUsages::STORAGE;
    let pair_buffer = buffer(&device, 12, storage);
    write_pairs(&queue, &pair_buffer, &[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
    let (codes, hits) = (buffer(&device, 1, storage), buffer(&device, 4, storage));
    let mut relations = pollster::block_on(own.encoder_for(&a, &b)).expect("small sets");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    relations.encode(&mut encoder, &pair_buffer, 6, &codes).expect("room");
    pollster::block_on(relations.encode_hits(&mut encoder, &pair_buffer, 0, &hits)).expect("a header");
    queue.submit([encoder.finish()]);
    // The first pair overlaps, the second is disjoint, and the third touches, so f32 is uncertain.
    assert_eq!(words_of(&device, &queue, &codes), [2 | 3 << 8]);
    assert_eq!(words_of(&device, &queue, &hits), [0; 4]);
    let read = pollster::block_on(relations.read_hits(&hits)).expect("a header");
    assert_eq!(read, crate::HostHits::default());

    let none = PolygonSet::default();
    let empty = pollster::block_on(own.encoder_for(&none, &none)).expect("nothing to upload");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    empty.encode(&mut encoder, &pair_buffer, 0, &codes).expect("nothing to do");
}

/// Asserts that pairs with a polygon too large for its record are always uncertain.
#[test]
fn polygons_too_large_for_a_kernel_are_uncertain() {
    let (device, queue) = device_and_queue();
    let own = pollster::block_on(Engine::from_device(device.clone(), queue.clone())).expect("limits suffice");
    // The vertices lie on a parabola, so any number of them is convex.
    let large: Vec<[f64; 2]> = (0..4096).map(|i| f64::from(i) - 2047.5).map(|t| [t, t * t]).collect();
    let triangle = |x: f64| vec![[x, 1e6], [x + 1.0, 1e6], [x, 1e6 + 1.0]];
    let rings = [triangle(5000.0), large, triangle(0.0), triangle(-5000.0)];
    let set = PolygonSet::from_convex_rings(&rings).expect("convex");
    let pairs = [[0, 1], [1, 2], [2, 1], [1, 3], [1, 1], [0, 2], [2, 2]];
    let storage = wgpu::BufferUsages::STORAGE;
    let pair_buffer = buffer(&device, 2 * pairs.len(), storage);
    write_pairs(&queue, &pair_buffer, &pairs);
    let codes = buffer(&device, 1, storage);
    let relations = pollster::block_on(own.encoder_for(&set, &set)).expect("a small set");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    relations.encode(&mut encoder, &pair_buffer, pairs.len() as u32, &codes).expect("room");
    queue.submit([encoder.finish()]);
    let word = words_of(&device, &queue, &codes)[0];
    let found: Vec<u32> = (0..pairs.len()).map(|k| word >> (2 * k) & 3).collect();
    assert_eq!(found, [3, 3, 3, 3, 3, 0, 2]);
}

#[test]
fn what_cannot_be_encoded_is_an_error() {
    let (device, queue) = device_and_queue();
    let own = pollster::block_on(Engine::from_device(device.clone(), queue)).expect("limits suffice");
    let set = set();
    let mut relations = pollster::block_on(own.encoder_for(&set, &set)).expect("a small set");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let storage = wgpu::BufferUsages::STORAGE;
    let [large, small] = [buffer(&device, 64, storage), buffer(&device, 1, storage)];
    let other = buffer(&device, 64, wgpu::BufferUsages::VERTEX);
    let mut message = |pairs: &wgpu::Buffer, codes: &wgpu::Buffer| {
        relations.encode(&mut encoder, pairs, 30, codes).expect_err("cannot be").to_string()
    };
    assert_eq!(message(&small, &large), "pairs = a buffer of 4 bytes, of 240 needed: is too small");
    assert_eq!(message(&large, &small), "codes = a buffer of 4 bytes, of 8 needed: is too small");
    assert!(message(&other, &large).ends_with("lacks the usage STORAGE"));
    let read = |hits: &wgpu::Buffer| {
        pollster::block_on(relations.read_hits(hits)).expect_err("cannot be").to_string()
    };
    assert_eq!(read(&small), "hits = a buffer of 4 bytes, of 16 needed: is too small");
    let usage = wgpu::BufferUsages::STORAGE;
    let descriptor = wgpu::BufferDescriptor { label: None, size: 64, usage, mapped_at_creation: false };
    assert!(read(&device.create_buffer(&descriptor)).ends_with("lacks the usage COPY_SRC"));
    // A buffer that no pass wrote to has no hits.
    assert_eq!(pollster::block_on(relations.read_hits(&large)).expect("zeroes"), crate::HostHits::default());
    let fewer = PolygonSet::default();
    let error = pollster::block_on(relations.update_poses(&fewer, &fewer)).expect_err("other sets");
    assert!(matches!(error, Error::Option { option: "sets", .. }), "{error}");
    let cpu = Engine::new(Backend::Cpu).expect("the CPU is always there");
    let error = pollster::block_on(cpu.encoder_for(&set, &set)).expect_err("no device");
    assert!(matches!(error, Error::Option { option: "backend", .. }), "{error}");
}
