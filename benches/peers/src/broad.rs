//! Measures the broad phase alone: from boxes in memory to candidate pairs in memory. It joins one set with itself, two
//! sets, and a small set with a large one. The boxes are uniformly distributed, in clusters, or of sizes that differ by
//! a factor of 1,000.

use geo_index::rtree::sort::HilbertSort;
use geo_index::rtree::{RTreeBuilder, RTreeIndex as _};
use parry2d::bounding_volume;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rayon::prelude::*;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use sat2d::scenes::Scene;
use sat2d::{Aabb, PolygonSet, broad_phase};
use serde::Serialize;

use crate::bars::{self, Bar, Verdict, threads};
use crate::machine::{self, Machine, version};
use crate::measure::{Times, timed};
use crate::{AnyError, Arguments, chosen, packed, unequal};

/// The smallest accepted ratio of sat2d's speed to the speed of the fastest other contender in the broad phase.
const BOUND: f64 = 1.0;
/// In joins of at least this many boxes, the benchmark leaves out the slow contenders: parry2d and rstar with one query for
/// each box. It measures these contenders only if the user names them.
const LARGE: usize = 500_000;
/// The number of boxes of the large set for each box of the small set, in a join of a small set with a large one.
const TIMES_AS_LARGE: usize = 100;

type Pair = [u32; 2];
type Leaf = GeomWithData<Rectangle<[f64; 2]>, u32>;
type Packed = geo_index::rtree::RTree<f64>;

/// A method of finding the pairs of boxes that meet, which the benchmark measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    Sat2d,
    /// parry2d: one traversal of both trees.
    Parry,
    /// parry2d: one query of the tree for each box.
    ParryQueries,
    /// rstar: one traversal of both trees.
    Rstar,
    /// rstar: one query of the tree for each box. In a self-join, the queries are in the order of the leaves.
    RstarQueries,
    /// geo-index: one traversal of both packed trees.
    GeoIndex,
    /// geo-index: one query of the packed tree for each box. In a self-join, the queries are in the order of the
    /// leaves.
    GeoIndexQueries,
    /// packed_spatial_index: one traversal of both trees.
    Packed,
    /// packed_spatial_index: one query of the tree for each box. In a self-join, the queries are in the order of the
    /// leaves.
    PackedQueries,
}

const ALL: [Contender; 9] = [
    Contender::Sat2d,
    Contender::Parry,
    Contender::ParryQueries,
    Contender::Rstar,
    Contender::RstarQueries,
    Contender::GeoIndex,
    Contender::GeoIndexQueries,
    Contender::Packed,
    Contender::PackedQueries,
];

impl Contender {
    fn name(self) -> &'static str {
        match self {
            Self::Sat2d => "sat2d",
            Self::Parry => "parry",
            Self::ParryQueries => "parry-query",
            Self::Rstar => "rstar",
            Self::RstarQueries => "rstar-query",
            Self::GeoIndex => "geo-index",
            Self::GeoIndexQueries => "geo-index-query",
            Self::Packed => "packed",
            Self::PackedQueries => "packed-query",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::Sat2d => "sat2d",
            Self::Parry | Self::ParryQueries => "parry2d",
            Self::Rstar | Self::RstarQueries => "rstar",
            Self::GeoIndex | Self::GeoIndexQueries => "geo-index",
            Self::Packed | Self::PackedQueries => "packed_spatial_index",
        }
    }

    fn is_for_large_sets(self) -> bool {
        !matches!(self, Self::ParryQueries | Self::RstarQueries)
    }

    /// Returns whether the contender supports this number of threads. A traversal of two trees has one thread, except
    /// parry2d's self-join.
    fn runs_on(self, thread_count: usize, is_self_join: bool) -> bool {
        match self {
            Self::Rstar | Self::GeoIndex | Self::Packed => thread_count == 1,
            Self::Parry => thread_count == 1 || is_self_join,
            _ => true,
        }
    }

    /// Returns all pairs of boxes that meet, in any order. If `b` is `None`, `a` is joined with itself.
    fn pairs(self, a: &[Aabb], b: Option<&[Aabb]>) -> Result<Vec<Pair>, AnyError> {
        match self {
            Self::Sat2d => {
                let mut candidates = match b {
                    None => broad_phase::self_join(a, None)?,
                    Some(b) => broad_phase::join(a, b)?,
                };
                let mut pairs = Vec::new();
                candidates.next_chunk(usize::MAX, &mut pairs);
                Ok(pairs)
            }
            Self::Parry => Ok(parry_walk(a, b)),
            Self::ParryQueries => {
                let sets = Sets::new(a, b);
                let tree = parry_tree(sets.tree);
                let search = |aabb: &Aabb, found: &mut Vec<u32>| {
                    found.extend(tree.intersect_aabb(&parry_box(aabb)));
                };
                Ok(asked(&sets, sets.in_order(), search))
            }
            Self::Rstar => {
                let (tree, other) = (rstar_tree(a), b.map(rstar_tree));
                let pairs = tree.intersection_candidates_with_other_tree(other.as_ref().unwrap_or(&tree));
                Ok(once(pairs.map(|(a, b)| [a.data, b.data]), b.is_none()))
            }
            Self::RstarQueries => {
                let sets = Sets::new(a, b);
                let tree = rstar_tree(sets.tree);
                let leaves = || tree.iter().map(|leaf| leaf.data).collect();
                let order = if b.is_none() { leaves() } else { sets.in_order() };
                Ok(asked(&sets, order, |aabb, found| {
                    let envelope = AABB::from_corners(aabb.min.to_array(), aabb.max.to_array());
                    found.extend(tree.locate_in_envelope_intersecting(envelope).map(|leaf| leaf.data));
                }))
            }
            Self::GeoIndex => {
                let (tree, other) = (packed_tree(a), b.map(packed_tree));
                let pairs = tree.intersection_candidates_with_other_tree(other.as_ref().unwrap_or(&tree));
                Ok(once(pairs.map(|(a, b)| [a, b]), b.is_none()))
            }
            Self::GeoIndexQueries => {
                let sets = Sets::new(a, b);
                let tree = packed_tree(sets.tree);
                let leaves = || (0..a.len()).map(|leaf| tree.indices().get(leaf) as u32).collect();
                let order = if b.is_none() { leaves() } else { sets.in_order() };
                Ok(asked(&sets, order, |aabb, found| {
                    *found = tree.search(aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y);
                }))
            }
            Self::Packed => {
                let tree = packed::tree(a.iter().map(corners));
                let mut pairs = Vec::new();
                match b {
                    None => packed::walk(&tree, |a, b| pairs.push([a.min(b), a.max(b)])),
                    Some(b) => {
                        let other = packed::tree(b.iter().map(corners));
                        pairs.extend(tree.join(&other).into_iter().map(|(a, b)| [a as u32, b as u32]));
                    }
                }
                Ok(pairs)
            }
            Self::PackedQueries => {
                let sets = Sets::new(a, b);
                let tree = packed::tree(sets.tree.iter().map(corners));
                let order = if b.is_none() { packed::order(&tree) } else { sets.in_order() };
                Ok(asked(&sets, order, |aabb, found| *found = packed::search(&tree, corners(aabb))))
            }
        }
    }
}

/// Returns the pairs of a traversal without repetitions. In a self-join, the traversal returns each pair twice, and each
/// box with itself, so only pairs in ascending order are kept.
fn once(pairs: impl Iterator<Item = Pair>, is_self_join: bool) -> Vec<Pair> {
    pairs.filter(|[a, b]| !is_self_join || a < b).collect()
}

/// The two sets of a join by queries: the boxes that are in the tree, and the boxes that query it.
struct Sets<'a> {
    tree: &'a [Aabb],
    asked: &'a [Aabb],
    is_self_join: bool,
    /// Whether the boxes of the tree are the boxes of the first set. A query then finds each pair in the opposite order, so the
    /// pairs must be swapped.
    is_turned: bool,
}

impl<'a> Sets<'a> {
    /// Puts the smaller set into the tree, because building a tree costs more than its queries.
    fn new(a: &'a [Aabb], b: Option<&'a [Aabb]>) -> Self {
        let other = b.unwrap_or(a);
        let is_turned = a.len() < other.len();
        let (tree, asked) = if is_turned { (a, other) } else { (other, a) };
        Self { tree, asked, is_self_join: b.is_none(), is_turned }
    }

    fn in_order(&self) -> Vec<u32> {
        (0..self.asked.len() as u32).collect()
    }
}

/// Searches a tree once for each box in `sets.asked`, in the current thread pool. `order` has the indices of these boxes in the
/// order of the searches. `search` appends the indices of the boxes that it finds to a list. Returns each meeting pair once, in
/// any order. A pair is the index in the first set, then the index in the second set.
fn asked(sets: &Sets<'_>, order: Vec<u32>, search: impl Fn(&Aabb, &mut Vec<u32>) + Sync) -> Vec<Pair> {
    let &Sets { asked, is_self_join, is_turned, .. } = sets;
    let ask = |(mut pairs, mut found): (Vec<Pair>, Vec<u32>), index: u32| {
        found.clear();
        search(&asked[index as usize], &mut found);
        let new = found.iter().filter(|&&other| !is_self_join || index < other);
        pairs.extend(new.map(|&other| if is_turned { [other, index] } else { [index, other] }));
        (pairs, found)
    };
    let lists = order.into_par_iter().with_min_len(1024).fold(Default::default, ask);
    let lists = lists.map(|(pairs, _)| pairs);
    lists.reduce(Vec::new, |mut a, b| {
        a.extend(b);
        a
    })
}

/// Returns the corners of a box as least x, least y, greatest x, greatest y.
fn corners(aabb: &Aabb) -> [f64; 4] {
    [aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y]
}

fn parry_box(aabb: &Aabb) -> bounding_volume::Aabb {
    let corner = |v: [f64; 2]| Vector::new(v[0] as f32, v[1] as f32);
    bounding_volume::Aabb::new(corner(aabb.min.to_array()), corner(aabb.max.to_array()))
}

fn parry_tree(boxes: &[Aabb]) -> Bvh {
    let boxes: Vec<_> = boxes.par_iter().map(parry_box).collect();
    Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes)
}

fn parry_walk(a: &[Aabb], b: Option<&[Aabb]>) -> Vec<Pair> {
    let tree = parry_tree(a);
    match b.map(parry_tree) {
        Some(other) => {
            let pairs = tree.leaf_pairs(&other, |a, b| a.intersects(b));
            pairs.map(|(a, b)| [a, b]).collect()
        }
        None if rayon::current_num_threads() > 1 => {
            let pairs = tree.traverse_bvtt_single_tree_parallel::<false>();
            pairs.into_iter().map(|(a, b)| [a.min(b), a.max(b)]).collect()
        }
        None => {
            let mut pairs = Vec::new();
            let mut keep = |a: u32, b: u32| pairs.push([a.min(b), a.max(b)]);
            tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut keep);
            pairs
        }
    }
}

fn rstar_tree(boxes: &[Aabb]) -> RTree<Leaf> {
    let leaf = |(index, aabb): (usize, &Aabb)| {
        let envelope = AABB::from_corners(aabb.min.to_array(), aabb.max.to_array());
        GeomWithData::new(Rectangle::from_aabb(envelope), index as u32)
    };
    RTree::bulk_load(boxes.iter().enumerate().map(leaf).collect())
}

fn packed_tree(boxes: &[Aabb]) -> Packed {
    let mut builder = RTreeBuilder::<f64>::new(boxes.len() as u32);
    for aabb in boxes {
        builder.add(aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y);
    }
    builder.finish::<HilbertSort>()
}

#[derive(Debug, Serialize)]
struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    repeats: u32,
    rows: Vec<Row>,
    bars: Vec<Bar>,
}

/// The results of one contender in one join. Times are in milliseconds.
#[derive(Debug, Serialize)]
struct Row {
    scene: &'static str,
    join: &'static str,
    count: usize,
    /// The number of boxes of the second set, or `None` in a self-join.
    other_count: Option<usize>,
    threads: usize,
    contender: &'static str,
    pairs: usize,
    median: f64,
    least: f64,
    cpu_median: f64,
    /// The number of meeting pairs that the contender does not return, by exact comparison of f64.
    missed: usize,
    /// The number of returned pairs that do not meet, by exact comparison of f64.
    invented: usize,
}

/// Measures every scene, every size and every number of threads. Returns whether every answer of sat2d is right.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let contenders = chosen(&arguments.contender, &ALL, |c| c.name())?;
    let machine = Machine::here();
    println!("{machine}\nthe broad phase: boxes in memory to candidate pairs in memory, in any order");
    println!("seed {}, medians of {} runs in turn; times in ms", arguments.seed, arguments.repeats);
    println!("join: of two sets, of so many each");
    let (seed, repeats) = (arguments.seed, arguments.repeats);
    let mut report = Report { stage: "broad", machine, seed, repeats, rows: Vec::new(), bars: Vec::new() };
    let is_slow =
        |c: &Contender, count| arguments.contender.is_empty() && count >= LARGE && !c.is_for_large_sets();
    for count in arguments.count.clone().unwrap_or_else(|| vec![100_000]) {
        for scene in ["ngons", "clustered", "unequal"] {
            // The order of the boxes is random in space, so each half of them is a scene of the same kind.
            let boxes = boxes(scene, 2 * count, seed)?;
            let (a, b) = boxes.split_at(count);
            let few = &a[..count.div_ceil(TIMES_AS_LARGE)];
            for (join, a, b) in [("self-join", a, None), ("join", a, Some(b)), ("join", few, Some(b))] {
                let exact = sorted(Contender::RstarQueries.pairs(a, b)?);
                for thread_count in arguments.thread_counts() {
                    let is_chosen =
                        |c: &Contender| !is_slow(c, count) && c.runs_on(thread_count, b.is_none());
                    let contenders: Vec<_> = contenders.iter().copied().filter(is_chosen).collect();
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(thread_count).build()?;
                    let rows = pool.install(|| measure(repeats, &contenders, a, b, &exact))?;
                    let rows = rows.into_iter().map(|row| Row { scene, join, threads: thread_count, ..row });
                    report.add(rows.collect());
                }
            }
        }
    }
    bars::print(&report.bars);
    let named: Vec<_> = contenders
        .iter()
        .map(|c| format!("{}: {} {}", c.name(), c.package(), version(c.package())))
        .collect();
    println!("\n{}", named.join("\n"));
    machine::write_json(arguments.json.as_deref(), &report)?;
    let ours = report.rows.iter().filter(|row| row.contender == Contender::Sat2d.name());
    let is_right = ours.into_iter().all(|row| row.missed + row.invented == 0);
    Ok(Verdict::new(is_right, &report.bars))
}

fn boxes(scene: &str, count: usize, seed: u64) -> Result<Vec<Aabb>, AnyError> {
    let rings = match scene {
        "unequal" => unequal::generate(count, seed),
        "clustered" => Scene::Clustered.generate(count, seed),
        _ => Scene::Ngons.generate(count, seed),
    };
    Ok(PolygonSet::from_convex_rings(&rings)?.piece_aabbs())
}

fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.par_sort_unstable();
    pairs
}

/// Runs every contender once untimed, then all contenders in turn. All runs use the current thread pool. Returns a row for each
/// contender.
fn measure(
    repeats: u32,
    contenders: &[Contender],
    a: &[Aabb],
    b: Option<&[Aabb]>,
    exact: &[Pair],
) -> Result<Vec<Row>, AnyError> {
    let mut found = Vec::new();
    for contender in contenders {
        found.push((sorted(contender.pairs(a, b)?), Times::default()));
    }
    for _ in 0..repeats {
        for (contender, (pairs, times)) in contenders.iter().zip(&mut found) {
            let again = timed(times, || contender.pairs(a, b))?;
            if again.len() != pairs.len() {
                return Err(format!("{}: two runs give different answers", contender.name()).into());
            }
        }
    }
    let row = |(contender, (pairs, times)): (&Contender, &(Vec<Pair>, Times))| {
        let right = pairs.iter().filter(|pair| exact.binary_search(pair).is_ok()).count();
        Row {
            scene: "",
            join: "",
            count: a.len(),
            other_count: b.map(<[Aabb]>::len),
            threads: 0,
            contender: contender.name(),
            pairs: pairs.len(),
            median: times.median() * 1e3,
            least: times.least() * 1e3,
            cpu_median: times.cpu_median() * 1e3,
            missed: exact.len() - right,
            invented: pairs.len() - right,
        }
    };
    Ok(contenders.iter().zip(&found).map(row).collect())
}

impl Report {
    /// Adds the results of one scene with one number of threads, and prints them.
    fn add(&mut self, rows: Vec<Row>) {
        let Some(first) = rows.first() else { return };
        let others = match first.other_count {
            Some(other_count) if other_count != first.count => format!(" with {other_count}"),
            _ => String::new(),
        };
        let Row { scene, join, count, .. } = first;
        let title = format!("{scene} {join} {count}{others}, {}", threads(first.threads));
        println!("\n{title}, {} pairs", first.pairs);
        println!(
            "  {:<18} {:>9} {:>9} {:>9} {:>8} {:>7}  answers",
            "", "median", "least", "cpu", "ns/pair", "ratio"
        );
        let ours = rows.iter().find(|row| row.contender == Contender::Sat2d.name()).map(|row| row.median);
        for row in &rows {
            let each = row.median * 1e6 / row.pairs.max(1) as f64;
            let ratio = ours.map_or(String::new(), |ours| format!("{:.2}", row.median / ours));
            let answers = match (row.missed, row.invented) {
                (0, 0) => "exact".into(),
                (missed, invented) => format!("{missed} missed, {invented} invented"),
            };
            println!(
                "  {:<18} {:>9.2} {:>9.2} {:>9.2} {each:>8.1} {ratio:>7}  {answers}",
                row.contender, row.median, row.least, row.cpu_median
            );
        }
        let others = rows.iter().filter(|row| row.contender != Contender::Sat2d.name());
        let fastest = others.min_by(|a, b| a.median.total_cmp(&b.median));
        if let (Some(ours), Some(fastest)) = (ours, fastest) {
            let what = format!("{title}: {} over sat2d", fastest.contender);
            self.bars.push(Bar::at_least(what, fastest.median / ours, BOUND));
        }
        self.rows.extend(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_find_the_same_pairs_where_boxes_are_f32() {
        let boxes = boxes("ngons", 400, 1).unwrap();
        let (a, b) = boxes.split_at(200);
        for (a, b) in [(a, None), (a, Some(b)), (&a[..30], Some(b)), (a, Some(&b[..30]))] {
            let others = b.unwrap_or(a);
            let meets = |a: &Aabb, b: &Aabb| {
                a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y
            };
            let all = (0..a.len()).flat_map(|i| (0..others.len()).map(move |k| [i, k]));
            let is_pair = |&[i, k]: &[usize; 2]| (b.is_some() || i < k) && meets(&a[i], &others[k]);
            let expected: Vec<Pair> = all.filter(is_pair).map(|pair| pair.map(|i| i as u32)).collect();
            assert!(expected.len() > 20);
            for contender in ALL {
                assert_eq!(sorted(contender.pairs(a, b).unwrap()), expected, "{}", contender.name());
            }
        }
    }
}
