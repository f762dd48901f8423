//! A scene whose sizes differ by a factor of up to 1,000. The positions are uniform in a square.

use sat2d::scenes::Scene;

/// The mean number of neighbours of a polygon, as in [`Scene::Ngons`].
const NEIGHBOURS: f64 = 6.0;

/// Generates the shapes of [`Scene::Ngons`], scaled by factors from 0.001 to 1 with the power law of [`Scene::Clustered`].
/// The positions are uniform in a square, in which a shape has 6 neighbours on average. Coordinates are f64, because
/// small shapes with f32 coordinates would not be convex.
pub(crate) fn generate(count: usize, seed: u64) -> Vec<Vec<[f64; 2]>> {
    let mut rings = Scene::Ngons.generate(count, seed);
    let mut units = Units(seed);
    let mut sums = [0.0; 3];
    for ring in &mut rings {
        let bound =
            |axis: usize, pick: fn(f64, f64) -> f64| ring.iter().map(|v| v[axis]).reduce(pick).unwrap_or(0.0);
        let [low, high] = [f64::min, f64::max].map(|pick| [bound(0, pick), bound(1, pick)]);
        let u = units.next();
        // The density of the sizes is proportional to size^-1.5. The formula is the inverse of their cumulative distribution.
        let size = (u + (1.0 - u) * 1000f64.sqrt()).powi(-2);
        for v in ring.iter_mut() {
            *v = [0, 1].map(|axis| size * (v[axis] - 0.5 * (low[axis] + high[axis])));
        }
        let [width, height] = [0, 1].map(|axis| size * (high[axis] - low[axis]));
        sums = [sums[0] + width * height, sums[1] + width, sums[2] + height];
    }
    // Two boxes meet if their centres differ by less than the mean of their widths and the mean of their heights.
    let [area, width, height] = sums.map(|sum| sum / count.max(1) as f64);
    let side = (count as f64 * (2.0 * area + 2.0 * width * height) / NEIGHBOURS).sqrt();
    for ring in &mut rings {
        let place = [units.next() * side, units.next() * side];
        for v in ring.iter_mut() {
            *v = [v[0] + place[0], v[1] + place[1]];
        }
    }
    rings
}

/// A generator of numbers that are uniform in 0..1: SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
/// generators").
pub(crate) struct Units(pub(crate) u64);

impl Units {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use sat2d::{PolygonSet, broad_phase};

    #[test]
    fn sizes_differ_and_neighbours_do_not() {
        let rings = super::generate(20_000, 1);
        let boxes = PolygonSet::from_convex_rings(&rings).unwrap().piece_aabbs();
        let widths: Vec<f64> = boxes.iter().map(|aabb| aabb.max.x - aabb.min.x).collect();
        let (least, most) = widths.iter().fold((f64::MAX, 0.0f64), |(a, b), &w| (a.min(w), b.max(w)));
        assert!(most / least > 1000.0, "{least} to {most}");
        let pairs = broad_phase::self_join(&boxes, None).unwrap().count();
        let neighbours = 2.0 * pairs as f64 / rings.len() as f64;
        assert!((5.5..6.5).contains(&neighbours), "{neighbours}");
    }
}
