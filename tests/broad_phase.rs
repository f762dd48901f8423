//! Compares candidate pairs with a test of every pair, in scenes that are hard for trees and grids.

use sat2d::broad_phase::{Candidates, join, self_join};
use sat2d::{Aabb, Error};

/// A small generator of uniform numbers in [0, 1): SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a box with its least corner in a square of side `range`, and with sides of up to `width` and `height`.
    fn aabb(&mut self, range: f64, width: f64, height: f64) -> Aabb {
        let (x, y) = (self.next() * range, self.next() * range);
        aabb(x, y, x + self.next() * width, y + self.next() * height)
    }
}

fn aabb(min_x: f64, min_y: f64, max_x: f64, max_y: f64) -> Aabb {
    Aabb { min: [min_x, min_y].into(), max: [max_x, max_y].into() }
}

/// Returns named scenes of about `count` boxes each.
fn scenes(count: usize) -> Vec<(&'static str, Vec<Aabb>)> {
    let mut random = Random(count as u64 + 1);
    let n = count as f64;
    let side = n.sqrt().ceil();
    let grid = |i: usize| {
        (((i * 7919) % count.max(1)) as f64 % side, (((i * 7919) % count.max(1)) as f64 / side).floor())
    };
    let of = |make: &mut dyn FnMut(usize) -> Aabb| (0..count).map(make).collect::<Vec<_>>();
    vec![
        ("uniform", of(&mut |_| random.aabb(side, 1.5, 1.5))),
        (
            "clustered",
            of(&mut |i| {
                let at = (i % 5) as f64 * 1e6;
                let b = random.aabb(side / 3.0, 1.0, 1.0);
                aabb(b.min.x + at, b.min.y - at, b.max.x + at, b.max.y - at)
            }),
        ),
        (
            "unequal sizes",
            of(&mut |_| {
                let size = side * 10_f64.powf(-6.0 * random.next());
                random.aabb(side, size, size)
            }),
        ),
        (
            "touching grid",
            of(&mut |i| {
                let (x, y) = grid(i);
                aabb(x, y, x + 1.0, y + 1.0)
            }),
        ),
        (
            "grid an ulp apart",
            of(&mut |i| {
                let (x, y) = grid(i);
                aabb(x, y, (x + 1.0).next_down(), (y + 1.0).next_down())
            }),
        ),
        ("all equal", of(&mut |_| aabb(-3.0, 2.0, 5.0, 7.0))),
        (
            "nested",
            of(&mut |i| {
                let half = ((i * 7919) % count.max(1)) as f64;
                aabb(-half, -half, half, half)
            }),
        ),
        (
            "thin and crossing",
            of(&mut |i| {
                let (x, y) = (random.next() * side, random.next() * side);
                if i % 2 == 0 {
                    aabb(x, y, x + side / 4.0, y + 1e-9)
                } else {
                    aabb(x, y, x + 1e-9, y + side / 4.0)
                }
            }),
        ),
        (
            "points and segments",
            of(&mut |i| {
                let (x, y) = ((random.next() * side).floor(), (random.next() * side).floor());
                match i % 3 {
                    0 => aabb(x, y, x, y),
                    1 => aabb(x, y, x + 2.0, y),
                    _ => aabb(x, y, x, y + 2.0),
                }
            }),
        ),
        (
            "stacked on one line",
            of(&mut |i| {
                let y = ((i * 7919) % count.max(1)) as f64;
                aabb(1.0, y, 1.0, y + 1.0)
            }),
        ),
        (
            "far outliers",
            of(&mut |i| {
                let far = 2_f64.powi(201);
                match i % 97 {
                    11 => aabb(-far, -far, far, far),
                    23 => aabb(far / 2.0, far / 2.0, far, far),
                    35 => aabb(-far, 1e-3, -far, 2e-3),
                    47 => aabb(-far, 0.01, far, 0.01),
                    _ => random.aabb(side * 1e-3, 1e-3, 1e-3),
                }
            }),
        ),
        (
            "tiny among small",
            of(&mut |i| {
                let tiny = 2_f64.powi(-142);
                let (x, y) = grid(i);
                match i % 3 {
                    0 => aabb(x * tiny, y * tiny, (x + 1.0) * tiny, (y + 1.0) * tiny),
                    1 => aabb(-x * tiny, -y * tiny, 0.0, -0.0),
                    _ => aabb(tiny, tiny, x + 1.0, y),
                }
            }),
        ),
        (
            "far from the origin",
            of(&mut |_| {
                let b = random.aabb(side * 1e-3, 1e-3, 1e-3);
                aabb(b.min.x + 1e9, b.min.y - 1e9, b.max.x + 1e9, b.max.y - 1e9)
            }),
        ),
        (
            "empty, NaN and infinite among others",
            of(&mut |i| match i % 11 {
                1 => Aabb::EMPTY,
                3 => aabb(2.0, 0.0, 1.0, 9.0),
                5 => aabb(f64::NAN, 0.0, 1.0, 1.0),
                6 => aabb(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY),
                8 => aabb(0.0, 0.0, f64::INFINITY, 1.0),
                9 => aabb(f64::INFINITY, 0.0, f64::INFINITY, 1.0),
                10 => aabb(-f64::MAX, 0.0, f64::MAX, 1.0),
                _ => random.aabb(side, 1.0, 1.0),
            }),
        ),
    ]
}

const COUNTS: [usize; 9] = [0, 1, 2, 7, 8, 9, 65, 513, 1000];

fn has_points(b: &Aabb) -> bool {
    b.min.x <= b.max.x && b.min.y <= b.max.y
}

fn meet(a: &Aabb, b: &Aabb) -> bool {
    has_points(a) && has_points(b) && a.meets(*b)
}

fn every_pair(boxes: &[Aabb], groups: Option<&[u32]>) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (a, box_a) in boxes.iter().enumerate() {
        for (b, box_b) in boxes.iter().enumerate().skip(a + 1) {
            if meet(box_a, box_b) && groups.is_none_or(|groups| groups[a] != groups[b]) {
                pairs.push([a as u32, b as u32]);
            }
        }
    }
    pairs
}

/// Returns all pairs of a stream of candidate pairs, read in chunks. Asserts that no chunk exceeds `limit`, and that only the
/// last chunk has fewer pairs than `limit`.
fn stream(mut candidates: Candidates, limit: usize) -> Vec<[u32; 2]> {
    let (mut all, mut chunk) = (Vec::new(), vec![[9, 9]]);
    let mut ended = false;
    while candidates.next_chunk(limit, &mut chunk) {
        assert!(!ended, "a chunk after one that was not full");
        assert!(chunk.len() <= limit);
        ended = chunk.len() < limit;
        all.extend_from_slice(&chunk);
    }
    assert!(chunk.is_empty());
    assert!(!candidates.next_chunk(limit, &mut chunk), "pairs after the end");
    all
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Returns boxes that form about 30,000 pairs for each leaf of the query tree. The search then splits its work not only
/// between query leaves, but also between target leaves.
fn dense() -> Vec<Aabb> {
    let mut random = Random(5);
    (0..4000)
        .map(|_| random.aabb(1.0, 0.5, 0.5))
        .map(|b| aabb(b.min.x, b.min.y, b.max.x + 1.0, b.max.y + 1.0))
        .collect()
}

#[test]
fn self_join_finds_what_a_test_of_every_pair_finds() {
    for count in COUNTS {
        for (name, boxes) in scenes(count) {
            let candidates = self_join(&boxes, None).unwrap();
            let expected = every_pair(&boxes, None);
            assert_eq!(candidates.count(), expected.len() as u64, "{name}, {count} boxes");
            assert_eq!(candidates.sorted(), expected, "{name}, {count} boxes");
        }
    }
}

#[test]
fn join_finds_what_a_test_of_every_pair_finds() {
    for (count_a, count_b) in [(0, 0), (0, 9), (1, 1), (1, 1000), (7, 8), (9, 65), (1000, 2), (513, 300)] {
        for ((name, a), (other_name, b)) in scenes(count_a).iter().flat_map(|a| {
            let others = scenes(count_b);
            others.into_iter().map(move |b| (a.clone(), b))
        }) {
            let mut expected = Vec::new();
            for (i, box_a) in a.iter().enumerate() {
                expected.extend((0..b.len()).filter(|&j| meet(box_a, &b[j])).map(|j| [i as u32, j as u32]));
            }
            let candidates = join(&a, &b).unwrap();
            assert_eq!(candidates.count(), expected.len() as u64, "{name} with {other_name}");
            assert_eq!(candidates.sorted(), expected, "{name} with {other_name}");
        }
    }
}

#[test]
fn boxes_of_one_group_are_no_pair() {
    for count in COUNTS {
        for (name, boxes) in scenes(count) {
            // Several ways to divide the boxes into groups: 5 consecutive boxes, like the pieces of an object; every
            // third box; the boxes on either side of a line; all boxes, with the greatest index of a group.
            let runs: Vec<u32> = (0..count as u32).map(|i| i / 5).collect();
            let spread: Vec<u32> = (0..count as u32).map(|i| i % 3).collect();
            let halves: Vec<u32> = boxes.iter().map(|b| u32::from(b.min.x > 10.0)).collect();
            for groups in [runs, spread, halves, vec![u32::MAX; count]] {
                let candidates = self_join(&boxes, Some(&groups)).unwrap();
                let expected = every_pair(&boxes, Some(&groups));
                assert_eq!(candidates.count(), expected.len() as u64, "{name}, {count} boxes");
                assert_eq!(candidates.sorted(), expected, "{name}, {count} boxes");
            }
        }
    }
}

#[test]
fn the_stream_is_the_same_for_any_chunk_size() {
    for (name, boxes) in scenes(1000) {
        let whole = stream(self_join(&boxes, None).unwrap(), usize::MAX);
        for limit in [1, 7, 1000] {
            assert_eq!(stream(self_join(&boxes, None).unwrap(), limit), whole, "{name}, chunks of {limit}");
        }
        let (a, b) = boxes.split_at(300);
        let whole = stream(join(a, b).unwrap(), usize::MAX);
        for limit in [1, 7, 1000] {
            assert_eq!(stream(join(a, b).unwrap(), limit), whole, "{name}, join, chunks of {limit}");
        }
    }
}

#[test]
fn the_stream_is_the_same_for_any_number_of_threads() {
    let mut all = scenes(1000);
    all.extend(
        scenes(20_000)
            .into_iter()
            .filter(|(name, _)| matches!(*name, "uniform" | "touching grid" | "clustered")),
    );
    for (name, boxes) in all {
        let of = |threads| in_pool(threads, || stream(self_join(&boxes, None).unwrap(), 1000));
        let one = of(1);
        assert!(one == of(2) && one == of(5), "{name}");
        let of = |threads| in_pool(threads, || stream(join(&boxes[..300], &boxes).unwrap(), 1000));
        let one = of(1);
        assert!(one == of(2) && one == of(5), "{name}, join");
    }
}

#[test]
fn a_dense_stream_is_whole_and_in_one_order() {
    let boxes = dense();
    let expected = every_pair(&boxes, None);
    assert!(expected.len() > 7_000_000);
    let whole = in_pool(1, || stream(self_join(&boxes, None).unwrap(), usize::MAX));
    for (threads, limit) in [(2, 777), (5, 100_000)] {
        assert!(in_pool(threads, || stream(self_join(&boxes, None).unwrap(), limit)) == whole);
    }
    let mut sorted = whole;
    sorted.sort_unstable();
    assert!(sorted == expected);

    // One query leaf meets more boxes than one part of the stream holds.
    let (few, many) = (&boxes[..8], vec![boxes[0]; 40_000]);
    let pairs = join(few, &many).unwrap().sorted();
    assert_eq!(pairs.len(), 320_000);
    assert!(pairs.windows(2).all(|two| two[0] < two[1]));
}

#[test]
fn sorted_and_count_speak_of_all_pairs_whatever_was_taken() {
    let (_, boxes) = scenes(1000).swap_remove(0);
    let expected = every_pair(&boxes, None);
    let mut candidates = self_join(&boxes, None).unwrap();
    let mut chunk = Vec::new();
    assert!(candidates.next_chunk(10, &mut chunk));
    assert_eq!(candidates.count(), expected.len() as u64);
    assert_eq!(candidates.sorted(), expected);
    let mut rest = Vec::new();
    assert!(candidates.next_chunk(usize::MAX, &mut rest));
    assert_eq!(chunk.len() + rest.len(), expected.len());
    // A limit of 0 counts as 1, so that no loop over chunks is endless.
    assert_eq!(stream(self_join(&boxes, None).unwrap(), 1), {
        let mut candidates = self_join(&boxes, None).unwrap();
        let mut all = Vec::new();
        while candidates.next_chunk(0, &mut chunk) {
            all.append(&mut chunk);
        }
        all
    });
}

#[test]
fn groups_that_do_not_fit_the_boxes_are_an_error() {
    let boxes = [aabb(0.0, 0.0, 1.0, 1.0); 3];
    let error = self_join(&boxes, Some(&[1, 2])).unwrap_err();
    assert!(matches!(error, Error::Option { option: "groups", .. }));
    assert_eq!(error.to_string(), "groups = 2 for 3 boxes: give one group for each box");
}
