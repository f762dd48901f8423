//! Draws pictures as SVG.

use std::fmt::Write as _;

use sat2d::glam::DVec2;

use super::drawing::{Canvas, Ink};
use sat2d::Aabb;

/// A picture as SVG text.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub(super) fn new([width, height]: [u32; 2]) -> Self {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<style>"
        );
        let hex =
            |ink: Ink| ink.colour().iter().fold(String::from("#"), |hex, part| hex + &format!("{part:02x}"));
        for ink in Ink::ALL {
            let (class, colour) = (class(ink), hex(ink));
            let _ = write!(
                text,
                ".{class}{{fill:{colour}}}.{class}l{{stroke:{colour};stroke-width:.8;fill:none}}"
            );
        }
        let _ = writeln!(text, ".o{{stroke:{};stroke-width:.8}}</style>", hex(Ink::Line));
        let _ =
            writeln!(text, "<rect class=\"{}\" width=\"{width}\" height=\"{height}\"/>", class(Ink::Paper));
        Self { text }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

impl Canvas for Svg {
    fn polygon(&mut self, ink: Ink, corners: &[DVec2], has_line: bool) {
        let _ = write!(self.text, "<polygon class=\"{}{}\" points=\"", class(ink), outlined(has_line));
        for (k, at) in corners.iter().enumerate() {
            let separator = if k == 0 { "" } else { " " };
            let _ = write!(self.text, "{separator}{:.2},{:.2}", at.x, at.y);
        }
        self.text.push_str("\"/>\n");
    }

    fn disc(&mut self, ink: Ink, centre: DVec2, radius: f64, has_line: bool) {
        let (class, DVec2 { x, y }) = (class(ink), centre);
        let outlined = outlined(has_line);
        let _ = writeln!(
            self.text,
            "<circle class=\"{class}{outlined}\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\"/>"
        );
    }

    fn line(&mut self, ink: Ink, from: DVec2, to: DVec2) {
        let class = class(ink);
        let _ = writeln!(
            self.text,
            "<path class=\"{class}l\" d=\"M{:.2} {:.2}L{:.2} {:.2}\"/>",
            from.x, from.y, to.x, to.y
        );
    }

    fn frame(&mut self, ink: Ink, aabb: Aabb) {
        let (class, DVec2 { x, y }, size) = (class(ink), aabb.min, aabb.max - aabb.min);
        let _ = writeln!(
            self.text,
            "<rect class=\"{class}l\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\"/>",
            size.x, size.y
        );
    }
}

fn class(ink: Ink) -> char {
    match ink {
        Ink::Paper => 'w',
        Ink::Line => 'k',
        Ink::Static => 's',
        Ink::Polygon => 'p',
        Ink::Circle => 'c',
        Ink::Capsule => 'r',
        Ink::Rightward => 'a',
        Ink::Leftward => 'b',
        Ink::Contact => 'd',
        Ink::Box => 'x',
    }
}

fn outlined(has_line: bool) -> &'static str {
    if has_line { " o" } else { "" }
}
