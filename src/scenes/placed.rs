//! Places shapes on the plane: uniformly, on a lattice, or in clusters.

use super::Scene;
use super::random::{Purpose, Random};
use super::shapes::{DrawShape, power_law_ngon, walker};
use crate::base::parallel::prelude::*;
use crate::geometry::hull::convex_hull;

/// The spacing of the lattice of [`crowd`].
const CROWD_SPACING: f64 = 0.51;

/// A shape relative to its own origin, with two random numbers that determine where the shape is placed.
struct Draft {
    points: Vec<[f64; 2]>,
    place: [f64; 2],
    /// The width and the height of the box around the points of the shape.
    size: [f64; 2],
}

/// Places shapes uniformly in a square about the origin. The area of the square gives the mean number of `neighbours`. Two
/// boxes with sizes (w, h) and (w', h') meet if their centres differ by less than (w + w') / 2 in x and (h + h') / 2 in y.
/// For `count` shapes, a box therefore meets `count * mean of (w + w')(h + h') / area` boxes on average.
pub(super) fn uniform(
    scene: Scene,
    count: usize,
    seed: u64,
    shape: DrawShape,
    neighbours: f64,
) -> Vec<Vec<[f64; 2]>> {
    let drafts = drafts(scene, count, seed, shape, |random| [random.unit(), random.unit()]);
    // The sum is sequential, so that it does not depend on the number of threads.
    let mean =
        |value: fn(&Draft) -> f64| drafts.iter().map(value).fold(0.0, |sum, x| sum + x) / count.max(1) as f64;
    let (area, width, height) = (mean(|d| d.size[0] * d.size[1]), mean(|d| d.size[0]), mean(|d| d.size[1]));
    let side = (count as f64 * (2.0 * area + 2.0 * width * height) / neighbours).sqrt();
    finish(scene, seed, &drafts, shape, |_, draft| draft.place.map(|u| (u - 0.5) * side))
}

/// Places long shapes on a square lattice about the origin. Each shape is moved by up to half a cell along x and y. The
/// order of the shapes is random.
pub(super) fn crowd(scene: Scene, count: usize, seed: u64) -> Vec<Vec<[f64; 2]>> {
    let drafts =
        drafts(scene, count, seed, walker, |random| [random.between(-0.5, 0.5), random.between(-0.5, 0.5)]);
    let columns = square_columns(count);
    let order = stream(scene, seed, Purpose::Order, 0).permutation(count);
    finish(scene, seed, &drafts, walker, |index, draft| {
        let cell = [order[index] % columns, order[index] / columns];
        [0, 1]
            .map(|axis| CROWD_SPACING * (cell[axis] as f64 + 0.5 - 0.5 * columns as f64 + draft.place[axis]))
    })
}

/// Places shapes of very unequal sizes in clusters. Each shape belongs to one of about sqrt(count) centres, which are
/// uniform in a square. The shapes are normally distributed around their centres.
pub(super) fn clustered(scene: Scene, count: usize, seed: u64) -> Vec<Vec<[f64; 2]>> {
    let drafts = drafts(scene, count, seed, power_law_ngon, |random| [random.normal(), random.normal()]);
    let centre_count = ((count as f64).sqrt() as usize).max(1);
    let centres: Vec<[f64; 2]> = (0..centre_count)
        .map(|centre| {
            let mut random = stream(scene, seed, Purpose::Centre, centre as u64);
            [random.unit() - 0.5, random.unit() - 0.5]
        })
        .collect();
    // The cluster of each shape comes from a separate stream, so that a shape is the same in every scene.
    let mut random = stream(scene, seed, Purpose::Order, 0);
    let homes: Vec<usize> = drafts.iter().map(|_| random.below(centre_count as u64) as usize).collect();
    let side = clustered_side(&drafts, centre_count);
    let deviation = side * cluster_deviation(centre_count);
    finish(scene, seed, &drafts, power_law_ngon, |index, draft| {
        let centre = centres[homes[index]];
        [side * centre[0] + deviation * draft.place[0], side * centre[1] + deviation * draft.place[1]]
    })
}

/// Returns the standard deviation of a cluster along x and y, for a square of side 1. It is a quarter of the mean
/// distance between centres, so that most clusters are distinct and some overlap.
fn cluster_deviation(centre_count: usize) -> f64 {
    0.25 / (centre_count as f64).sqrt()
}

/// Returns the side of the square of cluster centres for which a shape has 6 neighbours on average. The side is found
/// by bisection.
fn clustered_side(drafts: &[Draft], centre_count: usize) -> f64 {
    let (mut low, mut high) = (0.0, 4.0 * (drafts.len() as f64).sqrt() + 4.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if clustered_neighbours(drafts, centre_count, middle) > 6.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns the expected number of neighbours of a shape for a given side. The average is taken over consecutive shapes in
/// the list, whose sizes are independent. Two shapes are neighbours if their boxes meet along x and along y:
///
/// - In one cluster, the positions differ by a normal distribution with variance `2 deviation^2` on each axis. The boxes
///   meet along x with probability `erf(r / (2 deviation))`, where `r = (w + w') / 2`.
/// - In different clusters, the positions count as uniformly distributed. The boxes meet along x with probability
///   `2 r / side`.
fn clustered_neighbours(drafts: &[Draft], centre_count: usize, side: f64) -> f64 {
    let deviation = side * cluster_deviation(centre_count);
    let mate = 1.0 / centre_count as f64;
    // The sample gives the mean within 2 percent, and takes less time than drawing the shapes.
    let sample = drafts.len().min(1 << 17);
    let sum = drafts[..sample].windows(2).fold(0.0, |sum, pair| {
        let reach = [0.5 * (pair[0].size[0] + pair[1].size[0]), 0.5 * (pair[0].size[1] + pair[1].size[1])];
        let near = reach.map(|r| error_function(r / (2.0 * deviation)));
        let far = reach.map(|r| (2.0 * r / side).min(1.0));
        sum + mate * near[0] * near[1] + (1.0 - mate) * far[0] * far[1]
    });
    (drafts.len() as f64 - 1.0) * sum / (sample as f64 - 1.0).max(1.0)
}

/// Returns erf(x) for x >= 0, within 5e-4 (Abramowitz and Stegun 1964, "Handbook of Mathematical Functions", 7.1.27).
fn error_function(x: f64) -> f64 {
    let inverse = 1.0 + x * (0.278393 + x * (0.230389 + x * (0.000972 + x * 0.078108)));
    let square = inverse * inverse;
    1.0 - 1.0 / (square * square)
}

/// Returns the number of columns of a square lattice that has room for `count` items.
pub(super) fn square_columns(count: usize) -> usize {
    let columns = (count as f64).sqrt().ceil() as usize;
    columns.max(1)
}

fn stream(scene: Scene, seed: u64, purpose: Purpose, index: u64) -> Random {
    Random::new(seed, scene as u8, purpose, index)
}

fn drafts(
    scene: Scene,
    count: usize,
    seed: u64,
    shape: DrawShape,
    place: fn(&mut Random) -> [f64; 2],
) -> Vec<Draft> {
    (0..count)
        .into_par_iter()
        .map(|index| {
            let mut random = stream(scene, seed, Purpose::Item, index as u64);
            let place = place(&mut random);
            let points = shape(&mut random);
            let size = [0, 1].map(|axis| {
                let values = points.iter().map(|p| p[axis]);
                values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
            });
            Draft { points, place, size }
        })
        .collect()
}

/// Moves each draft to its position, rounds the coordinates to f32, and takes the convex hull. The hull comes last, so
/// that the rounded polygon is strictly convex.
fn finish(
    scene: Scene,
    seed: u64,
    drafts: &[Draft],
    shape: DrawShape,
    place: impl Fn(usize, &Draft) -> [f64; 2] + Sync,
) -> Vec<Vec<[f64; 2]>> {
    drafts
        .par_iter()
        .enumerate()
        .map(|(index, draft)| {
            let at = place(index, draft);
            let mut ring = rounded_hull(&draft.points, at);
            if ring.len() < 3 {
                // Rounding has left no area, so another shape is drawn for this position.
                let mut random = stream(scene, seed, Purpose::Redraw, index as u64);
                while ring.len() < 3 {
                    ring = rounded_hull(&shape(&mut random), at);
                }
            }
            ring
        })
        .collect()
}

fn rounded_hull(points: &[[f64; 2]], at: [f64; 2]) -> Vec<[f64; 2]> {
    // Adding 0 turns -0 into 0.
    let rounded: Vec<[f64; 2]> = points
        .iter()
        .map(|p| [f64::from((at[0] + p[0]) as f32) + 0.0, f64::from((at[1] + p[1]) as f32) + 0.0])
        .collect();
    convex_hull(&rounded)
}
