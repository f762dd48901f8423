//! Draws pictures in pixels.

use sat2d::glam::DVec2;
use tiny_skia::{
    Color, FillRule, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke, Transform,
};

use super::drawing::{Canvas, Ink};
use sat2d::Aabb;

/// The width of lines and outlines, in pixels.
const LINE: f32 = 0.8;

/// A picture made of pixels, on which bodies can be drawn.
pub(super) struct Raster {
    pixels: Pixmap,
}

impl Raster {
    pub(super) fn new([width, height]: [u32; 2]) -> Self {
        let mut pixels =
            Pixmap::new(width, height).expect("pictures are 16 to 4096 wide and at most 4 times as high");
        pixels.fill(colour(Ink::Paper));
        Self { pixels }
    }

    /// Returns the picture as a PNG file.
    pub(super) fn png(&self) -> Vec<u8> {
        self.pixels.encode_png().expect("memory takes any picture")
    }

    /// Returns the pixels, row by row from the top. All are opaque.
    pub(super) fn pixels(&self) -> &[PremultipliedColorU8] {
        self.pixels.pixels()
    }

    fn fill(&mut self, ink: Ink, path: Option<Path>, has_line: bool) {
        // There is no path if the shape is too small for f32.
        let Some(path) = path else { return };
        let still = Transform::identity();
        self.pixels.fill_path(&path, &paint(ink), FillRule::Winding, still, None);
        if has_line {
            self.stroke(Ink::Line, &path);
        }
    }

    fn stroke(&mut self, ink: Ink, path: &Path) {
        let stroke = Stroke { width: LINE, ..Stroke::default() };
        self.pixels.stroke_path(path, &paint(ink), &stroke, Transform::identity(), None);
    }
}

impl Canvas for Raster {
    fn polygon(&mut self, ink: Ink, corners: &[DVec2], has_line: bool) {
        let mut path = PathBuilder::new();
        for (k, corner) in corners.iter().enumerate() {
            let (x, y) = (corner.x as f32, corner.y as f32);
            if k == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        path.close();
        self.fill(ink, path.finish(), has_line);
    }

    fn disc(&mut self, ink: Ink, centre: DVec2, radius: f64, has_line: bool) {
        let path = PathBuilder::from_circle(centre.x as f32, centre.y as f32, radius as f32);
        self.fill(ink, path, has_line);
    }

    fn line(&mut self, ink: Ink, from: DVec2, to: DVec2) {
        let mut path = PathBuilder::new();
        path.move_to(from.x as f32, from.y as f32);
        path.line_to(to.x as f32, to.y as f32);
        if let Some(path) = path.finish() {
            self.stroke(ink, &path);
        }
    }

    fn frame(&mut self, ink: Ink, aabb: Aabb) {
        let [left, top] = aabb.min.to_array().map(|x| x as f32);
        let [right, bottom] = aabb.max.to_array().map(|x| x as f32);
        if let Some(rect) = Rect::from_ltrb(left, top, right, bottom) {
            self.stroke(ink, &PathBuilder::from_rect(rect));
        }
    }
}

fn colour(ink: Ink) -> Color {
    let [r, g, b] = ink.colour();
    Color::from_rgba8(r, g, b, 255)
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(ink));
    paint
}
