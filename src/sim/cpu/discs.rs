//! Computes the contact of two discs in closed form: at their current positions, and along their paths.

use super::sweep::at_start;
use super::touch::{Scene, TouchPoint};
use crate::simd::{difference, dot, greater, lesser};

impl Scene<'_> {
    /// Returns the normal and the contact point of two discs. The centre of each disc is the centre of mass of its body.
    /// If the discs approach each other, the contact is where they meet, or where they are nearest to each other (see
    /// [`super::sweep`]). Returns `None` if the discs do not meet during the step, and their gap at the place of the
    /// contact is greater than the sum of their distances [`PathBounds::near`](super::sweep::PathBounds::near).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn discs(self, bodies: [u32; 2]) -> Option<([f32; 2], TouchPoint)> {
        let [a, b] = [bodies[0] as usize, bodies[1] as usize];
        let between = self.between(&self.states[a], &self.states[b]);
        let [a, b] = [&self.placed.paths[a], &self.placed.paths[b]];
        let (reach, near) = (a.radius + b.radius, a.near + b.near);
        let square = dot(between, between);
        let farthest = reach + a.margin + b.margin;
        if square > farthest * farthest {
            return None;
        }
        let distance = square.sqrt();
        let separation = distance - reach;
        // The square of the distance after a part t of the paths is way² t² - 2 approach t + distance².
        let way = difference(b.path.displacement, a.path.displacement);
        let approach = -dot(between, way);
        if separation <= 0.0 || approach <= separation * distance {
            return (separation <= near).then(|| point(between, distance, a.radius, separation));
        }
        let square_way = dot(way, way);
        let room = square - reach * reach;
        let discriminant = approach * approach - square_way * room;
        // The smaller root of the equation for the time of the meeting, in a form without cancellation.
        let meeting = room / (approach + greater(discriminant, 0.0).sqrt());
        let meets = discriminant >= 0.0 && meeting <= 1.0;
        let part = if meets { meeting } else { lesser(approach / square_way, 1.0) };
        let between = [between[0] + part * way[0], between[1] + part * way[1]];
        let distance = dot(between, between).sqrt();
        let separation = distance - reach;
        if !meets && separation > near {
            return None;
        }
        let (normal, there) = point(between, distance, a.radius, separation);
        Some((normal, at_start(there, normal, [a.path, b.path], part)))
    }
}

/// Returns the normal and the contact point of two discs. `between` is the vector from the centre of the first disc to
/// the centre of the second disc, and `distance` is its length.
#[inline(always)]
fn point(between: [f32; 2], distance: f32, radius_a: f32, separation: f32) -> ([f32; 2], TouchPoint) {
    // Discs with the same centre may separate in any direction.
    let normal = if distance > 0.0 { [between[0] / distance, between[1] / distance] } else { [1.0, 0.0] };
    let along = radius_a + 0.5 * separation;
    let arm_a = [normal[0] * along, normal[1] * along];
    (normal, TouchPoint { arm_a, arm_b: difference(arm_a, between), separation, ..TouchPoint::default() })
}
