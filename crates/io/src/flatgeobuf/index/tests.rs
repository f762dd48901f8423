//! Tests with a file of GDAL, whose index is damaged on purpose.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::ops::Range;
use std::path::Path;

use super::*;
use crate::collector::Collector;
use crate::{Features, ReadOptions, Result};

#[test]
fn the_size_of_an_index_is_that_of_its_nodes() {
    for (count, node_size, nodes) in
        [(1, 16, 2), (16, 16, 17), (17, 16, 20), (1_000, 2, 2_001), (300, 65_535, 301)]
    {
        let layout = Layout::new(count, node_size).map(|layout| layout.nodes);
        assert_eq!(layout, Some(nodes), "{count} by {node_size}");
    }
    assert_eq!(Layout::new(u64::MAX, 2), None);
    assert_eq!(Layout::new(5, 1), Layout::new(5, 2));
}

fn file() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gdal-index.fgb");
    std::fs::read(path).unwrap()
}

fn read_in(file: &[u8], window: Option<Aabb>) -> Result<Features> {
    let options = ReadOptions::default().skip_invalid(true).window(window);
    super::super::read(file, Path::new("in.fgb"), &options).and_then(Collector::finish)
}

fn around(x: f64, y: f64) -> Aabb {
    Aabb { min: [x - 1.0, y - 1.0].into(), max: [x + 1.0, y + 1.0].into() }
}

/// Returns the range in the file of the bytes of a node. `inner` is the index of a lowest inner node. With a `leaf`, the node is
/// this leaf.
fn node_at(file: &[u8], inner: usize, leaf: Option<usize>) -> Range<usize> {
    let count = read_in(file, None).unwrap().counts.features;
    let nodes = Layout::new(count as u64, 16).unwrap().nodes as usize;
    let first = nodes - count - count.div_ceil(16);
    let node = leaf.map_or(first + inner, |leaf| nodes - count + leaf);
    let start = 12 + u32::from_le_bytes(*file[8..].first_chunk().unwrap()) as usize + 40 * node;
    start..start + 40
}

/// A window that some groups of the file meet.
const WINDOW: [f64; 2] = [23.0, 23.0];

#[test]
fn groups_that_do_not_meet_the_window_have_only_names() {
    let file = file();
    let whole = read_in(&file, None).unwrap();
    let boxes = whole.set.object_aabbs();
    let groups = whole.counts.features.div_ceil(16);
    assert_eq!((whole.row_groups.count, whole.row_groups.left_out), (groups, 0));
    let mut left_out = 0;
    for aabb in boxes.iter().filter(|aabb| aabb.min.x <= aabb.max.x) {
        let window = around(aabb.min.x, aabb.max.y);
        let some = read_in(&file, Some(window)).unwrap();
        assert_eq!((&some.ids, some.row_groups.count), (&whole.ids, groups));
        for (found, aabb) in some.set.object_aabbs().iter().zip(&boxes) {
            let is_empty = found.min.x > found.max.x;
            assert!(found == aabb || is_empty && !aabb.meets(window), "{found:?} {aabb:?}");
        }
        left_out += some.row_groups.left_out;
    }
    assert!(left_out > boxes.len() / 2, "{left_out}");
    let none = read_in(&file, Some(around(-1e9, -1e9))).unwrap();
    assert_eq!((none.row_groups.left_out, none.contents), (groups, crate::Contents::default()));
}

#[test]
fn an_index_that_contradicts_the_features_is_an_error() {
    let window = Some(around(WINDOW[0], WINDOW[1]));
    let read = read_in(&file(), window).unwrap();
    let is_read = |group: usize| {
        read.set.object_aabbs().iter().skip(16 * group).take(16).any(|aabb| aabb.min.x <= aabb.max.x)
    };
    let group = (0..read.row_groups.count).find(|&group| is_read(group)).unwrap();
    assert!(read.row_groups.left_out > 0);
    let mut smaller = file();
    let node = node_at(&smaller, group, None);
    let point = [WINDOW, WINDOW].concat().into_iter().flat_map(f64::to_le_bytes);
    smaller[node.start..node.start + 32].copy_from_slice(&point.collect::<Vec<_>>());
    let error = read_in(&smaller, window).unwrap_err().to_string();
    assert!(
        error.starts_with("in.fgb: feature ") && error.contains("is outside of the box that the index of"),
        "{error}"
    );
    assert!(error.ends_with("write the file again, or read all features (`--all-row-groups`)"), "{error}");
    let mut moved = file();
    let node = node_at(&moved, 0, Some(16));
    moved[node.start + 32] ^= 1;
    let error = read_in(&moved, window).unwrap_err().to_string();
    assert!(error.starts_with("in.fgb: feature 16 is at byte "), "{error}");
    for file in [&smaller, &moved] {
        assert_eq!(read_in(file, None).unwrap().ids, read.ids);
    }
}

#[test]
fn an_index_that_is_not_usable_is_not_used() {
    let (window, whole) = (Some(around(-1e9, -1e9)), read_in(&file(), None).unwrap());
    let groups = whole.row_groups.count;
    for number in [f64::NAN, f64::INFINITY, -1e300] {
        let mut file = file();
        let node = node_at(&file, 1, None);
        // The greatest x of the box.
        file[node.start + 16..node.start + 24].copy_from_slice(&number.to_le_bytes());
        let features = read_in(&file, window).unwrap();
        assert_eq!(features.row_groups.left_out, groups - 1, "{number}");
    }
    // The leaves have another order than the features.
    let mut file = file();
    let [one, other] = [3, 4].map(|leaf| node_at(&file, 0, Some(leaf)));
    let bytes = [file[other.clone()].to_vec(), file[one.clone()].to_vec()].concat();
    file[one.start..other.end].copy_from_slice(&bytes);
    let features = read_in(&file, window).unwrap();
    assert_eq!((features.row_groups.left_out, features.contents), (0, whole.contents));
}

#[test]
fn a_file_that_ends_in_its_index_is_an_error() {
    let file = file();
    let (first, last) = (node_at(&file, 0, None), node_at(&file, 0, Some(whole_count(&file) - 1)));
    for length in (first.start - 40..last.end).step_by(13) {
        for window in [None, Some(around(0.0, 0.0))] {
            let error = read_in(&file[..length], window).unwrap_err().to_string();
            assert!(error.contains("it ends in its index, which is for "), "{length}: {error}");
        }
    }
}

fn whole_count(file: &[u8]) -> usize {
    read_in(file, None).unwrap().counts.features
}
