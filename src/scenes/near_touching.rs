//! Pairs that touch exactly, nearly touch or barely overlap.

use super::Scene;
use super::placed::square_columns;
use super::random::{Purpose, Random};
use crate::base::parallel::prelude::*;
use crate::geometry::MIN_COORDINATE;
use crate::geometry::hull::convex_hull;

/// The width of a pair's cell. The polygons stay within 16 of the centre of the cell along x and y.
const CELL: f64 = 64.0;
/// The number of kinds of contact: the kinds 0 to 7 of [`near_touching_pairs`].
const KIND_COUNT: u64 = 8;
/// The number of equal shares of [`Scene::NearTouching`]: one for each kind of contact, one for pairs near 1e6, and
/// one for pairs on a lattice near 2^20. The last two shares have pairs of any kind of contact.
const SCENE_ITEM_COUNT: u64 = KIND_COUNT + 2;
/// The number of kinds of [`near_touching_pairs`]: the shares of a scene, and one more kind for pairs that are scaled
/// down.
const PAIR_ITEM_COUNT: u64 = SCENE_ITEM_COUNT + 1;

/// Points in the plane. Their convex hull is one polygon.
type Points = Vec<[f64; 2]>;

/// The position of a pair, the fineness of its lattice, and its scale.
struct Placement {
    /// The centre of the pair's cell. Its coordinates are whole numbers.
    centre: [f64; 2],
    /// The number of fraction bits of the coordinates of contact: they are multiples of 2^-`bits`.
    bits: u32,
    /// The factor by which all coordinates of the pair are multiplied at the end.
    scale: f64,
}

/// Returns pairs of convex polygons for tests of exactness. There are 11 kinds of pairs. Pair `i` has kind `i % 11`:
///
/// 0. two different edges that lie on one line and overlap;
/// 1. a shared edge;
/// 2. a shared vertex;
/// 3. a vertex on an edge;
/// 4. two edges or vertices that lie on one line, apart from each other;
/// 5. small polygons that touch at whole-number coordinates; one coordinate of the contact is then moved by one ulp;
/// 6. an extreme vertex of one polygon at a gap of 0 or ±1e-9..1e-5 from an edge or a vertex of the other polygon;
/// 7. slivers with a width of 1e-3..1e-7: nearly parallel copies, slivers with a common tip, or a sliver along an edge;
/// 8. a pair of any of the kinds above, near (±1e6, ±1e6);
/// 9. any of kinds 0 to 7, around (±2^20, ±2^20); the points of contact are multiples of 1/8, which is the spacing of
///    f32 at this distance;
/// 10. any of kinds 0 to 7, near the origin and scaled down: half of the pairs by 2^-20, which keeps every contact, and
///     half by 1e-6, which rounds the coordinates.
///
/// In half of the pairs, chosen at random, the two polygons are swapped. The rings are strictly convex and
/// counter-clockwise, as in [`Scene::generate`]. Pairs of kinds 0 to 7 lie in cells at most 2^15 from the origin.
///
/// ```
/// let pairs = sat2d::scenes::near_touching_pairs(11, 1);
/// assert_eq!(pairs.len(), 11);
/// ```
#[must_use]
pub fn near_touching_pairs(pair_count: usize, seed: u64) -> Vec<[Vec<[f64; 2]>; 2]> {
    (0..pair_count)
        .into_par_iter()
        .map(|index| {
            let index = index as u64;
            let item = index % PAIR_ITEM_COUNT;
            // Uses other streams than the scene, because the numbers are drawn in another order.
            let mut random = Random::new(seed, u8::MAX, Purpose::Item, index);
            let kind = if item < KIND_COUNT { item } else { random.below(KIND_COUNT) };
            let offset = match item {
                8 => 1e6,
                9 => 1_048_576.0,
                _ => 0.0,
            };
            let mut coordinate = || {
                let middle = offset + CELL * random.below(512) as f64 + 0.5 * CELL;
                if random.coin() { -middle } else { middle }
            };
            let mut placement =
                Placement { centre: [coordinate(), coordinate()], bits: bits(&mut random, item), scale: 1.0 };
            if item == SCENE_ITEM_COUNT {
                placement.centre = [random.integer(-16, 16) as f64, random.integer(-16, 16) as f64];
                placement.scale = if random.coin() { 1e-6 } else { 1.0 / 1_048_576.0 };
            }
            pair(&mut random, kind, &placement)
        })
        .collect()
}

/// Generates the polygons of [`Scene::NearTouching`].
pub(super) fn scene(count: usize, seed: u64) -> Vec<Vec<[f64; 2]>> {
    let pair_count = count.div_ceil(2) as u64;
    let centres = scene_centres(pair_count, seed);
    let mut rings: Vec<Vec<[f64; 2]>> = (0..pair_count as usize)
        .into_par_iter()
        .flat_map_iter(|index| {
            let index = index as u64;
            let item = index % SCENE_ITEM_COUNT;
            let mut random = Random::new(seed, Scene::NearTouching as u8, Purpose::Item, index);
            let kind = if item < KIND_COUNT { item } else { random.below(KIND_COUNT) };
            let placement =
                Placement { centre: centres[index as usize], bits: bits(&mut random, item), scale: 1.0 };
            pair(&mut random, kind, &placement)
        })
        .collect();
    rings.truncate(count);
    rings
}

/// Returns the centre of each pair's cell. There are three square lattices of cells. Each of them is in a quadrant of
/// its own, so the lattices never meet. The order of the cells in each lattice is random.
fn scene_centres(pair_count: u64, seed: u64) -> Vec<[f64; 2]> {
    let mut centres = vec![[0.0; 2]; pair_count as usize];
    let regions =
        [(0..KIND_COUNT, 0.0, [1.0, 1.0]), (8..9, 1e6, [1.0, -1.0]), (9..10, 1_048_576.0, [-1.0, 1.0])];
    for (region, (items, offset, signs)) in regions.into_iter().enumerate() {
        let members: Vec<u64> = (0..pair_count).filter(|i| items.contains(&(i % SCENE_ITEM_COUNT))).collect();
        let columns = square_columns(members.len());
        let mut random = Random::new(seed, Scene::NearTouching as u8, Purpose::Order, region as u64);
        for (member, cell) in members.iter().zip(random.permutation(members.len())) {
            let cell = [cell % columns, cell / columns];
            centres[*member as usize] = [
                signs[0] * (offset + CELL * cell[0] as f64 + 0.5 * CELL),
                signs[1] * (offset + CELL * cell[1] as f64 + 0.5 * CELL),
            ];
        }
    }
    centres
}

/// Draws the number of fraction bits for a pair: see [`Placement::bits`]. Half of the pairs have 0 bits, so the
/// coordinates of contact are whole numbers. The other half has at least 1 bit, and not more bits than f32 has at the
/// position of the pair.
fn bits(random: &mut Random, item: u64) -> u32 {
    let finest = match item {
        8 => 4,
        9 => 3,
        _ => 7,
    };
    if random.coin() { 0 } else { random.integer(1, finest) as u32 }
}

/// Generates one pair of a kind. If rounding leaves a polygon without an area, the pair is generated again.
fn pair(random: &mut Random, kind: u64, placement: &Placement) -> [Vec<[f64; 2]>; 2] {
    loop {
        let mut points = match kind {
            0..=4 => contact(random, kind, placement.bits),
            5 => {
                let kind = random.below(4);
                contact(random, kind, 0)
            }
            6 => gap(random, placement.bits),
            _ => slivers(random, placement.bits),
        };
        for polygon in &mut points {
            for point in polygon {
                // Adding 0 turns -0 into 0.
                *point = [
                    (placement.centre[0] + point[0]) * placement.scale + 0.0,
                    (placement.centre[1] + point[1]) * placement.scale + 0.0,
                ];
            }
        }
        if kind == 5 {
            // The first point of each polygon is a point of contact, so kind 5 moves one of these points.
            let coordinate = &mut points[random.below(2) as usize][0][random.below(2) as usize];
            *coordinate = one_step(*coordinate, random.coin());
        }
        if random.coin() {
            points.swap(0, 1);
        }
        let rings = points.map(|p| convex_hull(&p));
        if rings.iter().all(|ring| ring.len() >= 3) {
            return rings;
        }
    }
}

/// Returns the next greater f64 if `up` is set, otherwise the next lesser f64. If `x` is 0, returns the coordinate
/// nearest to 0 on that side that a polygon may have.
fn one_step(x: f64, up: bool) -> f64 {
    match (x == 0.0, up) {
        (true, true) => MIN_COORDINATE,
        (true, false) => -MIN_COORDINATE,
        (false, true) => x.next_up(),
        (false, false) => x.next_down(),
    }
}

/// A line through two points of a lattice, given by its start and its direction, in steps of the lattice.
struct Line {
    origin: [i64; 2],
    direction: [i64; 2],
    /// The number of lattice points per unit of length, along each axis.
    fine: i64,
}

impl Line {
    fn draw(random: &mut Random, bits: u32) -> Self {
        let fine = 1 << bits;
        let mut vector = |reach: i64| {
            [random.integer(-reach * fine, reach * fine), random.integer(-reach * fine, reach * fine)]
        };
        let origin = vector(2);
        loop {
            let direction = vector(3);
            if direction != [0, 0] {
                return Self { origin, direction, fine };
            }
        }
    }

    /// Returns the lattice point that is `steps` times the direction vector away from the start of the line.
    fn point(&self, steps: i64) -> [f64; 2] {
        self.unit([self.origin[0] + steps * self.direction[0], self.origin[1] + steps * self.direction[1]])
    }

    /// Converts lattice points to units of length, exactly.
    fn unit(&self, lattice: [i64; 2]) -> [f64; 2] {
        lattice.map(|x| x as f64 / self.fine as f64)
    }

    /// Returns the unit vector that points to the right of the line's direction.
    fn normal(&self) -> [f64; 2] {
        let [x, y] = self.direction.map(|d| d as f64);
        let length = (x * x + y * y).sqrt();
        [y / length, -x / length]
    }

    /// Returns a polygon on one side of the line: on the left if `side` is 1, on the right if `side` is -1. The common
    /// part of the polygon and the line is exactly the hull of the points `contact`.
    fn polygon(&self, random: &mut Random, side: i64, contact: &[i64]) -> Points {
        let mut points: Points = contact.iter().map(|&steps| self.point(steps)).collect();
        // At least two more points, so that the polygon has an area even if it has a single contact.
        let count = contact.len() + random.integer(2, 8 - contact.len() as i64) as usize;
        let reach = 12 * self.fine;
        while points.len() < count {
            let away = [random.integer(-reach, reach), random.integer(-reach, reach)];
            let cross = self.direction[0] * away[1] - self.direction[1] * away[0];
            if cross * side > 0 {
                points.push(self.unit([self.origin[0] + away[0], self.origin[1] + away[1]]));
            }
        }
        points
    }
}

/// Generates a pair of one of the kinds 0 to 4: A is to the left of a line and B is to the right. Both have edges or
/// vertices on the line.
fn contact(random: &mut Random, kind: u64, bits: u32) -> [Points; 2] {
    let line = Line::draw(random, bits);
    let choices: &[(&[i64], &[i64])] = match kind {
        0 => &[(&[0, 2], &[1, 4]), (&[0, 3], &[1, 2]), (&[0, 3], &[0, 2]), (&[1, 2], &[0, 4])],
        1 => &[(&[0, 1], &[0, 1]), (&[0, 3], &[0, 3])],
        2 => &[(&[0], &[0]), (&[1], &[1])],
        3 => &[(&[0, 3], &[1]), (&[0, 2], &[1])],
        _ => &[(&[0, 1], &[2, 3]), (&[0, 2], &[3]), (&[0], &[1])],
    };
    let (a, b) = choices[random.below(choices.len() as u64) as usize];
    [line.polygon(random, 1, a), line.polygon(random, -1, b)]
}

/// Generates a pair of kind 6: an edge or a vertex of A is on a line. A vertex of B is on the line, moved along the
/// line's normal.
fn gap(random: &mut Random, bits: u32) -> [Points; 2] {
    let line = Line::draw(random, bits);
    let (a, b): (&[i64], &[i64]) = if random.coin() { (&[0, 2], &[1]) } else { (&[1], &[1]) };
    let gap = match random.below(5) {
        0 => 0.0,
        1 | 2 => small(random, 1e-9, 4),
        _ => -small(random, 1e-9, 4),
    };
    let normal = line.normal();
    let first = line.polygon(random, 1, a);
    let mut second = line.polygon(random, -1, b);
    for point in &mut second {
        *point = [point[0] + gap * normal[0], point[1] + gap * normal[1]];
    }
    [first, second]
}

/// Returns a random number from `least` to 10^`decades` times `least`. Each decade is equally likely.
fn small(random: &mut Random, least: f64, decades: u64) -> f64 {
    let decade = (0..random.below(decades)).fold(least, |x, _| x * 10.0);
    decade * random.between(1.0, 10.0)
}

/// Generates a pair of kind 7: long thin polygons along a line.
fn slivers(random: &mut Random, bits: u32) -> [Points; 2] {
    let line = Line::draw(random, bits);
    let width = small(random, 1e-7, 4);
    let normal = line.normal();
    let (start, end) = (line.point(0), line.point(3));
    let at = |along: f64, across: f64| {
        [
            start[0] + along * (end[0] - start[0]) + across * width * normal[0],
            start[1] + along * (end[1] - start[1]) + across * width * normal[1],
        ]
    };
    let mut thin =
        |low: f64, high: f64| [at(random.between(0.1, 0.9), high), at(random.between(0.1, 0.9), low)];
    let [above, below] = thin(-0.5, 0.5);
    let first = vec![start, above, end, below];
    match random.below(8) {
        // A nearly parallel copy, moved across by up to 1.5 widths and along by up to a tenth of the length.
        0..=3 => {
            let (along, across) = (random.between(-0.1, 0.1), random.between(-1.5, 1.5));
            let copy = [(0.0, 0.0), (0.5, 0.5), (1.0, 0.0), (0.5, -0.5)]
                .map(|(x, y)| at(x + along, y + across + random.between(-0.1, 0.1)));
            [first, copy.to_vec()]
        }
        // Another sliver with the same tip. It is 0.5 to 1 times as long as the first sliver, and its far end is up to 2
        // widths away from the line.
        4..=6 => {
            let (turn, length) = (random.between(-2.0, 2.0), random.between(0.5, 1.0));
            let copy = [(0.5, 0.5), (1.0, 0.0), (0.5, -0.5)].map(|(x, y)| at(x * length, x * turn + y));
            [first, std::iter::once(start).chain(copy).collect()]
        }
        // A sliver along an edge of an ordinary polygon.
        _ => [line.polygon(random, 1, &[0, 3]), vec![start, at(random.between(0.1, 0.9), 1.0), end]],
    }
}
