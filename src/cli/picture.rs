//! `--svg`: the polygons of a join and the pairs that it found.

use std::fmt::Write as _;
use std::io::Write as _;

use glam::DVec2;

use crate::error::{Error, Result};
use crate::geometry::{Aabb, PolygonSet};
use crate::io::Output;
use crate::results::{ObjectPair, Relation};

/// The longer side of the picture, in pixels.
const SIZE: f64 = 900.0;
const MARGIN: f64 = 10.0;

/// Vertices, and pairs, that are drawn at most: a picture of more is larger than viewers take, and all black.
const LIMIT: usize = 1_000_000;

/// Refuses sets that are too large to draw.
pub(super) fn check_size(a: &PolygonSet, b: Option<&PolygonSet>) -> Result<()> {
    let count = a.vertex_count() + b.map_or(0, PolygonSet::vertex_count);
    if count <= LIMIT {
        return Ok(());
    }
    Err(Error::Option {
        option: "--svg",
        value: format!("a picture of {count} vertices"),
        problem: "is more than the 1000000 that can be drawn; leave it out, or draw a part of the input",
    })
}

/// Draws every object, and a line between the middles of the two objects of each pair: thin where they touch, thick
/// where they overlap. Where there are more pairs than can be drawn, there are no lines, and the answer is false.
pub(super) fn write(
    mut output: Output,
    a: &PolygonSet,
    b: Option<&PolygonSet>,
    pairs: &[ObjectPair],
) -> Result<bool> {
    let has_lines = pairs.len() <= LIMIT;
    let pairs = if has_lines { pairs } else { &[] };
    let boxes_a = a.object_aabbs();
    let boxes_b = b.map(PolygonSet::object_aabbs);
    let extent = boxes_a.iter().chain(boxes_b.iter().flatten()).copied().fold(Aabb::EMPTY, Aabb::union);
    let text = draw(a, b, pairs, &boxes_a, boxes_b.as_deref(), Frame::of(extent));
    let written = output.write_all(text.as_bytes());
    written.map_err(|source| Error::Write { path: output.name().into(), source })?;
    output.commit()?;
    Ok(has_lines)
}

/// From the caller's frame, y up, to pixels, y down.
#[derive(Clone, Copy)]
struct Frame {
    extent: Aabb,
    scale: f64,
}

impl Frame {
    fn of(extent: Aabb) -> Self {
        let side = (extent.max - extent.min).max_element();
        if side > 0.0 {
            Self { extent, scale: (SIZE - 2.0 * MARGIN) / side }
        } else {
            Self { extent: Aabb { min: DVec2::ZERO, max: DVec2::ONE }, scale: 1.0 }
        }
    }

    fn pixel(&self, p: DVec2) -> DVec2 {
        let from_corner = DVec2::new(p.x - self.extent.min.x, self.extent.max.y - p.y);
        from_corner * self.scale + MARGIN
    }

    fn size(&self) -> DVec2 {
        (self.extent.max - self.extent.min) * self.scale + 2.0 * MARGIN
    }
}

fn draw(
    a: &PolygonSet,
    b: Option<&PolygonSet>,
    pairs: &[ObjectPair],
    boxes_a: &[Aabb],
    boxes_b: Option<&[Aabb]>,
    frame: Frame,
) -> String {
    let size = frame.size();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\">\n\
         <style>\n\
         .a {{ fill: #cfe3f5; stroke: #cfe3f5; stroke-width: 0.4 }}\n\
         .b {{ fill: #f5dfb3; stroke: #f5dfb3; stroke-width: 0.4; fill-opacity: 0.6 }}\n\
         .touching {{ stroke: #2a6fb0; stroke-width: 0.8 }}\n\
         .overlapping {{ stroke: #c8442c; stroke-width: 2.5 }}\n\
         .outline {{ fill: none; stroke: #5b6b7a; stroke-width: 0.5; stroke-linejoin: round }}\n\
         </style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        size.x, size.y
    );
    for (set, class) in [(Some(a), "a"), (b, "b")] {
        let Some(set) = set else { continue };
        for object in objects(set) {
            let pieces: String = object.clone().map(|piece| outline(set, piece, frame)).collect();
            let _ = writeln!(svg, "<path class=\"{class}\" d=\"{pieces}\"/>");
            let border = border(set, object, frame);
            let _ = writeln!(svg, "<path class=\"outline\" d=\"{border}\"/>");
        }
    }
    let boxes_b = boxes_b.unwrap_or(boxes_a);
    let middle = |aabb: Aabb| frame.pixel((aabb.min + aabb.max) * 0.5);
    // Overlapping pairs last, so that they are seen.
    for relation in [Relation::Touching, Relation::Overlapping] {
        for pair in pairs.iter().filter(|p| p.relation == relation) {
            let (p, q) = (middle(boxes_a[pair.a as usize]), middle(boxes_b[pair.b as usize]));
            let _ = writeln!(
                svg,
                "<path class=\"{relation}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                p.x, p.y, q.x, q.y
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The pieces of each object that has any.
fn objects(set: &PolygonSet) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == set.piece_count() {
            return None;
        }
        let object = set.piece_object(start);
        let end =
            (start..set.piece_count()).find(|&i| set.piece_object(i) != object).unwrap_or(set.piece_count());
        Some(std::mem::replace(&mut start, end)..end)
    })
}

fn placed(set: &PolygonSet, piece: usize) -> impl Iterator<Item = DVec2> + '_ {
    let pose = set.piece_pose(piece);
    set.piece_vertices(piece).iter().map(move |&v| pose.apply(v))
}

fn outline(set: &PolygonSet, piece: usize, frame: Frame) -> String {
    let mut path = String::new();
    for (i, v) in placed(set, piece).enumerate() {
        let p = frame.pixel(v);
        let _ = write!(path, "{}{:.1} {:.1}", if i == 0 { 'M' } else { 'L' }, p.x, p.y);
    }
    path.push('Z');
    path
}

/// The edges of an object that are no diagonal between two of its pieces.
fn border(set: &PolygonSet, pieces: std::ops::Range<usize>, frame: Frame) -> String {
    let key = |v: DVec2| [v.x.to_bits(), v.y.to_bits()];
    let mut edges = std::collections::BTreeMap::new();
    for piece in pieces {
        let vertices: Vec<DVec2> = placed(set, piece).collect();
        for (i, &p) in vertices.iter().enumerate() {
            let q = vertices[(i + 1) % vertices.len()];
            if edges.remove(&(key(q), key(p))).is_none() {
                edges.insert((key(p), key(q)), (p, q));
            }
        }
    }
    edges.values().fold(String::new(), |mut path, &(p, q)| {
        let (p, q) = (frame.pixel(p), frame.pixel(q));
        let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", p.x, p.y, q.x, q.y);
        path
    })
}
