//! `--svg`: draws the polygons of a join, and the places where the polygons of the found pairs meet.

mod meeting;

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;

use indicatif::HumanCount as Count;
use sat2d::glam::{DVec2, IVec2};

use crate::error::{Error, Result};
use meeting::{Contact, Shape, within};
use rayon::prelude::*;
use sat2d::{Aabb, PolygonSet, RelatedPair, Relation};
use sat2d_io::Output;

/// The longer side of the drawing, in tenths of a pixel. The unit is so small that coordinates can be whole numbers.
const SIZE: f64 = 9000.0;
/// The margin around the drawing, in tenths of a pixel.
const MARGIN: f64 = 120.0;
/// The size, in tenths of a pixel, below which an overlap counts as small. If its width and its height are both below
/// this size, a ring is drawn around the overlap.
const TOO_SMALL: f64 = 60.0;
/// The radius of the ring that is drawn around a small overlap, in tenths of a pixel.
const RING_RADIUS: f64 = 110.0;
/// The greatest number of overlaps with a ring that are also shown magnified.
const INSETS: usize = 3;
/// The length of the side of an inset, which shows a small overlap magnified, in tenths of a pixel.
const INSET_SIDE: f64 = 2100.0;
/// The height in tenths of a pixel of the strip with the legend, which is below the drawing.
const LEGEND_HEIGHT: f64 = 1300.0;

const STYLE: &str = "\
.a{fill:#e8edf2;stroke:#9aa7b4}.b{fill:#f3e3bd;fill-opacity:.7;stroke:#b39b60}.a,.b{stroke-width:6;stroke-linejoin:round}\
.touching{fill:none;stroke:#1f6fc4;stroke-width:13;stroke-linecap:round;stroke-linejoin:round}.dot{stroke-width:44}\
.overlapping{fill:#d6321f;stroke:#d6321f;stroke-width:5;stroke-linejoin:round}\
.ring,.frame{fill:none;stroke:#d6321f;stroke-width:22}.lead{stroke:#d6321f;stroke-width:9;stroke-dasharray:40 30}\
text{font:170px system-ui,sans-serif;fill:#27323d}.small{font-size:140px;fill:#5b6b7a}";

/// The greatest number of vertices, and the greatest number of pairs, in a picture. A picture with more of them would be too
/// large for viewers, and all black.
const LIMIT: usize = 1_000_000;

/// Returns an error if the sets have too many vertices to draw.
pub(super) fn check_size(a: &PolygonSet, b: Option<&PolygonSet>) -> Result<()> {
    let count = a.vertex_count() + b.map_or(0, PolygonSet::vertex_count);
    if count <= LIMIT {
        return Ok(());
    }
    Err(Error::Option {
        option: "--svg",
        value: format!("a picture of {count} vertices"),
        problem: "exceeds the limit of 1000000 vertices; leave out --svg, or draw a part of the input",
    })
}

/// Draws every object, the borders along which objects touch, and the areas in which they overlap. Returns an error if the
/// picture cannot be written. If there are more than [`LIMIT`] pairs, the picture has only the objects, and the function
/// returns false.
pub(super) fn write(
    mut output: Output,
    a: &PolygonSet,
    b: Option<&PolygonSet>,
    pairs: &[RelatedPair],
) -> Result<bool> {
    let has_pairs = pairs.len() <= LIMIT;
    let text = Picture::new(a, b, if has_pairs { pairs } else { &[] })?.svg();
    let written = output.write_all(text.as_bytes());
    written.map_err(|source| Error::write(output.name(), source))?;
    output.commit()?;
    Ok(has_pairs)
}

/// The content of the picture, in the coordinates of the input.
struct Picture {
    a: Vec<Option<Shape>>,
    b: Option<Vec<Option<Shape>>>,
    extent: Aabb,
    /// The lines and the points in which the objects of each touching pair meet.
    contacts: Vec<Contact>,
    /// For each overlapping pair, the convex parts of the area that its objects have in common.
    areas: Vec<Vec<Vec<DVec2>>>,
}

impl Picture {
    fn new(a: &PolygonSet, b: Option<&PolygonSet>, pairs: &[RelatedPair]) -> Result<Self> {
        let (a, b) = (shapes(a)?, b.map(shapes).transpose()?);
        let extent =
            a.iter().chain(b.iter().flatten()).flatten().fold(Aabb::EMPTY, |aabb, s| aabb.union(s.aabb));
        let of = |relation| -> Vec<(&Shape, &Shape)> {
            let sides = |pair: &RelatedPair| {
                let others = b.as_ref().unwrap_or(&a);
                a[pair.a as usize].as_ref().zip(others[pair.b as usize].as_ref())
            };
            pairs.iter().filter(move |p| p.relation == relation).filter_map(sides).collect()
        };
        let (touching, overlapping) = (of(Relation::Touching), of(Relation::Overlapping));
        let contacts = touching.par_iter().map(|(a, b)| a.contact(b)).collect::<Vec<_>>();
        let areas = overlapping.par_iter().map(|(a, b)| a.common_area(b)).collect::<Vec<_>>();
        // If several contacts fail, the error of the first one is returned, so that the error does not depend on the threads.
        let contacts = contacts.into_iter().collect::<Result<_>>()?;
        let areas = areas.into_iter().collect::<Result<_>>()?;
        Ok(Self { a, b, extent, contacts, areas })
    }

    fn svg(&self) -> String {
        let frame = Frame::fit(self.extent, DVec2::splat(SIZE), MARGIN);
        let drawing = frame.size;
        // The box of an overlap includes all its parts, so a long sliver does not count as small.
        let small: Vec<Aabb> = self
            .areas
            .iter()
            .map(|parts| parts.iter().fold(Aabb::EMPTY, |aabb, part| aabb.union(Aabb::around(part))))
            .filter(|&aabb| aabb.min != aabb.max && aabb != Aabb::EMPTY && frame.length(aabb) < TOO_SMALL)
            .collect();
        let insets = &small[..small.len().min(INSETS)];
        let corners = self.corners(frame, insets);
        let bottom = corners.iter().fold(drawing.y, |y, corner| y.max(corner.y + INSET_SIDE + MARGIN));
        let height = bottom + LEGEND_HEIGHT;

        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE:.0} {height:.0}\">\n<style>{STYLE}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        self.draw(&mut svg, frame, None);
        for &aabb in &small {
            let center = frame.place((aabb.min + aabb.max) * 0.5);
            let _ = writeln!(
                svg,
                "<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"{RING_RADIUS}\"/>",
                center.x, center.y
            );
        }
        for (i, (&aabb, &corner)) in insets.iter().zip(&corners).enumerate() {
            self.inset(&mut svg, frame, aabb, corner, i);
        }
        self.legend(&mut svg, bottom);
        svg.push_str("</svg>\n");
        svg
    }

    /// Returns the positions of the insets. Each inset takes the free corner of the drawing that is nearest to the overlap, or a
    /// position below the drawing if no corner is free.
    fn corners(&self, frame: Frame, insets: &[Aabb]) -> Vec<DVec2> {
        let far = frame.size - INSET_SIDE - MARGIN;
        let near = DVec2::splat(MARGIN);
        let mut free = vec![near, DVec2::new(far.x, MARGIN), DVec2::new(MARGIN, far.y), far];
        free.retain(|&corner| {
            let window = frame.window(corner - MARGIN, INSET_SIDE + 2.0 * MARGIN);
            let shapes = self.a.iter().chain(self.b.iter().flatten()).flatten();
            far.min_element() > INSET_SIDE
                && shapes.flat_map(|s| &s.rings).all(|r| within(window, r).is_empty())
        });
        let mut left = SIZE;
        let mut place = |&aabb: &Aabb| {
            let overlap = frame.place((aabb.min + aabb.max) * 0.5).as_dvec2();
            let away = |corner: &DVec2| (*corner + INSET_SIDE / 2.0).distance_squared(overlap);
            let nearest = (0..free.len()).min_by(|&i, &j| away(&free[i]).total_cmp(&away(&free[j])));
            nearest.map(|i| free.swap_remove(i)).unwrap_or_else(|| {
                left -= INSET_SIDE + MARGIN;
                DVec2::new(left, frame.size.y + MARGIN)
            })
        };
        insets.iter().map(&mut place).collect()
    }

    /// Draws all objects, contacts and overlaps, or only their parts in `window`. `window` is in the coordinates of the input.
    fn draw(&self, svg: &mut String, frame: Frame, window: Option<Aabb>) {
        let cut = |ring: &[DVec2]| window.map_or_else(|| ring.to_vec(), |window| within(window, ring));
        for (shapes, class) in [(Some(&self.a), "a"), (self.b.as_ref(), "b")] {
            for shape in shapes.into_iter().flatten().flatten() {
                let path: String = shape.rings.iter().map(|ring| frame.ring(&cut(ring))).collect();
                if !path.is_empty() {
                    let _ = writeln!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
                }
            }
        }
        let mut lines = String::new();
        let mut dots = String::new();
        for Contact { lines: contact, points } in &self.contacts {
            let contact = contact.iter().filter_map(|line| cut(line).first_chunk().copied());
            frame.lines(&mut lines, contact);
            for &point in points.iter().filter(|&&p| !cut(&[p]).is_empty()) {
                let point = frame.place(point);
                let _ = write!(dots, "M{} {}h0", point.x, point.y);
            }
        }
        let areas: String = self.areas.iter().flatten().map(|part| frame.ring(&cut(part))).collect();
        for (class, path) in [("touching", lines), ("touching dot", dots), ("overlapping", areas)] {
            if !path.is_empty() {
                let _ = writeln!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
            }
        }
    }

    /// Draws a small overlap magnified, and a line from the inset to the overlap. `corner` is the upper left corner of the
    /// inset, in tenths of a pixel. `number` is the label of the inset.
    fn inset(&self, svg: &mut String, frame: Frame, overlap: Aabb, corner: DVec2, number: usize) {
        let center = frame.place((overlap.min + overlap.max) * 0.5).as_dvec2();
        let to = center.clamp(corner, corner + INSET_SIDE);
        let from = center + (to - center).normalize_or_zero() * RING_RADIUS;
        let side = (overlap.max - overlap.min).max_element();
        let middle = (overlap.min + overlap.max) * 0.5;
        let window = Aabb { min: middle - side, max: middle + side };
        let magnified = Frame { origin: corner, ..Frame::fit(window, DVec2::splat(INSET_SIDE), 0.0) };
        let (x, y) = (corner.x, corner.y);
        let _ = writeln!(
            svg,
            "<path class=\"lead\" d=\"M{:.0} {:.0}L{:.0} {:.0}\"/>\n<clipPath id=\"inset{number}\"><rect x=\"{x:.0}\" y=\"{y:.0}\" \
             width=\"{INSET_SIDE}\" height=\"{INSET_SIDE}\"/></clipPath>\n<g clip-path=\"url(#inset{number})\">\n\
             <rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{INSET_SIDE}\" height=\"{INSET_SIDE}\" fill=\"#fff\"/>",
            from.x, from.y, to.x, to.y
        );
        // The content is cut to the visible window, because coordinates far outside it would be too large for SVG.
        let margin = DVec2::splat(side);
        let around = Aabb { min: window.min - margin, max: window.max + margin };
        self.draw(svg, magnified, Some(around));
        let _ = writeln!(
            svg,
            "</g>\n<rect class=\"frame\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{INSET_SIDE}\" height=\"{INSET_SIDE}\"/>\n\
             <text class=\"small\" x=\"{:.0}\" y=\"{:.0}\">{} times larger</text>",
            x + 60.0,
            y + INSET_SIDE - 60.0,
            Count((magnified.scale / frame.scale) as u64)
        );
    }

    fn legend(&self, svg: &mut String, top: f64) {
        let objects = |shapes: &[Option<Shape>]| Count(shapes.iter().flatten().count() as u64);
        let polygons = match &self.b {
            None => format!("{} polygons", objects(&self.a)),
            Some(b) => format!("{} polygons and {}", objects(&self.a), objects(b)),
        };
        let (touching, overlapping) = (Count(self.contacts.len() as u64), Count(self.areas.len() as u64));
        let square = "h260v130h-260z";
        for (row, (class, sign, text)) in [
            ("a", square, polygons),
            (
                "touching",
                "m0 65h260",
                format!("{touching} pairs touch: only their borders have points in common"),
            ),
            ("overlapping", square, format!("{overlapping} overlap: their interiors meet")),
        ]
        .into_iter()
        .enumerate()
        {
            let y = top + MARGIN + 200.0 + 320.0 * row as f64;
            let _ = writeln!(
                svg,
                "<path class=\"{class}\" d=\"M{MARGIN:.0} {:.0}{sign}\"/><text x=\"{:.0}\" y=\"{y:.0}\">{text}</text>",
                y - 125.0,
                MARGIN + 360.0
            );
        }
    }
}

/// Returns the shape of each object of a set, or `None` for an object without pieces. Returns the errors of the broad phase.
fn shapes(set: &PolygonSet) -> Result<Vec<Option<Shape>>> {
    let mut ranges: Vec<Range<usize>> = vec![0..0; set.object_count()];
    for piece in 0..set.piece_count() {
        let range = &mut ranges[set.piece_object(piece)];
        *range = if range.end == 0 { piece } else { range.start }..piece + 1;
    }
    let shape = |range: Range<usize>| (range.end > 0).then(|| Shape::new(set, range)).transpose();
    ranges.into_par_iter().map(shape).collect::<Vec<_>>().into_iter().collect()
}

/// The transformation from the coordinates of the input, with y up, to tenths of a pixel, with y down.
#[derive(Clone, Copy)]
struct Frame {
    extent: Aabb,
    scale: f64,
    origin: DVec2,
    size: DVec2,
}

impl Frame {
    fn fit(extent: Aabb, room: DVec2, margin: f64) -> Self {
        let extent = if extent == Aabb::EMPTY { Aabb { min: DVec2::ZERO, max: DVec2::ONE } } else { extent };
        let side = extent.max - extent.min;
        let scale = ((room - 2.0 * margin) / side).min_element();
        Self { extent, scale, origin: DVec2::splat(margin), size: side * scale + 2.0 * margin }
    }

    /// Returns the length of the longer side of a box, in tenths of a pixel.
    fn length(&self, aabb: Aabb) -> f64 {
        (aabb.max - aabb.min).max_element() * self.scale
    }

    fn place(&self, p: DVec2) -> IVec2 {
        let from_corner = DVec2::new(p.x - self.extent.min.x, self.extent.max.y - p.y);
        (from_corner * self.scale + self.origin).round().as_ivec2()
    }

    /// Converts a square of the drawing to a box in the coordinates of the input. `corner` is the square's upper left corner,
    /// and `side` is the length of its side, both in tenths of a pixel.
    fn window(&self, corner: DVec2, side: f64) -> Aabb {
        let place = |p: DVec2| {
            let from_corner = (p - self.origin) / self.scale;
            DVec2::new(self.extent.min.x + from_corner.x, self.extent.max.y - from_corner.y)
        };
        Aabb::around(&[place(corner), place(corner + side)])
    }

    fn ring(&self, ring: &[DVec2]) -> String {
        let mut path = String::new();
        if ring.is_empty() {
            return path;
        }
        let mut pen = None;
        for &vertex in ring {
            self.draw_to(&mut path, &mut pen, vertex);
        }
        path.push('z');
        path
    }

    /// Appends lines to a path of SVG. A line that starts at the end of the line before it needs no new start in the path.
    fn lines(&self, path: &mut String, lines: impl Iterator<Item = [DVec2; 2]>) {
        let mut pen: Option<IVec2> = None;
        for [from, to] in lines {
            if pen != Some(self.place(from)) {
                pen = None;
                self.draw_to(path, &mut pen, from);
            }
            self.draw_to(path, &mut pen, to);
        }
    }

    /// Draws a line from the pen's position to the point `to`. If the pen has no position yet (`None`), nothing is
    /// drawn. Then the pen is at `to`.
    fn draw_to(&self, path: &mut String, pen: &mut Option<IVec2>, to: DVec2) {
        let to = self.place(to);
        let _ = match *pen {
            None => write!(path, "M{} {}", to.x, to.y),
            Some(from) if from == to => Ok(()),
            Some(from) => {
                let step = to - from;
                write!(path, "l{}{}{}", step.x, if step.y < 0 { "" } else { " " }, step.y)
            }
        };
        *pen = Some(to);
    }
}
