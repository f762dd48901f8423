//! Shapes whose coordinates are relative to their own origin. A shape is a list of points whose convex hull is the
//! polygon.

use super::random::{Random, direction};

/// A function that draws the points of one shape.
pub(super) type DrawShape = fn(&mut Random) -> Vec<[f64; 2]>;

/// Generates a rectangle with half sides uniform in 0.3..1 and a uniform rotation.
pub(super) fn rectangle(random: &mut Random) -> Vec<[f64; 2]> {
    let half_sides = [random.between(0.3, 1.0), random.between(0.3, 1.0)];
    let turn = direction(random.unit());
    [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]
        .map(|corner| turned([corner[0] * half_sides[0], corner[1] * half_sides[1]], turn))
        .to_vec()
}

/// Generates 3 to 8 points on an ellipse with half axes a in 0.3..1 and 0.4 a..a, and a uniform rotation.
pub(super) fn ngon(random: &mut Random) -> Vec<[f64; 2]> {
    plump(random, 3, 8, 1.0)
}

/// Generates 8 to 32 points on an ellipse with the half axes and the rotation of [`ngon`].
pub(super) fn big_ngon(random: &mut Random) -> Vec<[f64; 2]> {
    plump(random, 8, 32, 1.0)
}

/// Generates the points of an [`ngon`], scaled by a size from 0.001 to 1 that follows a power law. The density falls with
/// size^-1.5, so the inverse of its cumulative distribution needs no power function:
/// `size = (u + (1 - u) sqrt(1000))^-2`, with u uniform in 0..1.
pub(super) fn power_law_ngon(random: &mut Random) -> Vec<[f64; 2]> {
    let u = random.unit();
    let root = u + (1.0 - u) * 1000.0f64.sqrt();
    plump(random, 3, 8, 1.0 / (root * root))
}

/// Generates 5 to 8 points on a long ellipse with half axes a in 0.56..0.70 and 0.2 a..0.4 a. The angle of the ellipse
/// is normally distributed, with a mean of 45 degrees and a standard deviation of 11 degrees.
pub(super) fn walker(random: &mut Random) -> Vec<[f64; 2]> {
    let count = random.integer(5, 8);
    let a = random.between(0.56, 0.70);
    let b = a * random.between(0.2, 0.4);
    let turns = (45.0 + 11.0 * random.normal()) / 360.0;
    on_ellipse(random, count, a, b, turns)
}

fn plump(random: &mut Random, least: i64, most: i64, size: f64) -> Vec<[f64; 2]> {
    let count = random.integer(least, most);
    let a = size * random.between(0.3, 1.0);
    let b = a * random.between(0.4, 1.0);
    let turns = random.unit();
    on_ellipse(random, count, a, b, turns)
}

/// Generates points at sorted angles, with one point anywhere in each of `count` equal sectors of a circle. The circle
/// is then stretched to the half axes `a` and `b`, and rotated.
fn on_ellipse(random: &mut Random, count: i64, a: f64, b: f64, turns: f64) -> Vec<[f64; 2]> {
    let turn = direction(turns);
    (0..count)
        .map(|sector| {
            let [x, y] = direction((sector as f64 + random.unit()) / count as f64);
            turned([a * x, b * y], turn)
        })
        .collect()
}

fn turned([x, y]: [f64; 2], [cos, sin]: [f64; 2]) -> [f64; 2] {
    [cos * x - sin * y, sin * x + cos * y]
}
