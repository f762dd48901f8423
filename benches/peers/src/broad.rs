//! The broad phase alone: from boxes in memory to candidate pairs in memory, of one set with itself and of two sets, on
//! uniform places, on clusters, and on sizes that differ by 1,000 times.

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
use crate::{AnyError, Arguments, chosen, unequal};

/// How many times as fast as the fastest other sat2d is to be.
const BOUND: f64 = 1.0;

type Pair = [u32; 2];
type Leaf = GeomWithData<Rectangle<[f64; 2]>, u32>;
type Packed = geo_index::rtree::RTree<f64>;

/// A way to find the boxes that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    Sat2d,
    /// parry2d's trees walked together.
    Parry,
    /// parry2d's tree, asked for each box.
    ParryQueries,
    /// rstar's trees walked together.
    Rstar,
    /// rstar's tree, asked for each box.
    RstarQueries,
    /// geo-index's packed trees walked together.
    GeoIndex,
    /// geo-index's packed tree, asked for each box.
    GeoIndexQueries,
}

const ALL: [Contender; 7] = [
    Contender::Sat2d,
    Contender::Parry,
    Contender::ParryQueries,
    Contender::Rstar,
    Contender::RstarQueries,
    Contender::GeoIndex,
    Contender::GeoIndexQueries,
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
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::Sat2d => "sat2d",
            Self::Parry | Self::ParryQueries => "parry2d",
            Self::Rstar | Self::RstarQueries => "rstar",
            Self::GeoIndex | Self::GeoIndexQueries => "geo-index",
        }
    }

    /// Walks of two trees have one thread, but for parry2d's of a tree with itself.
    fn runs_on(self, thread_count: usize, is_self_join: bool) -> bool {
        match self {
            Self::Rstar | Self::GeoIndex => thread_count == 1,
            Self::Parry => thread_count == 1 || is_self_join,
            _ => true,
        }
    }

    /// All pairs of boxes that meet, in any order; `b` is none where `a` is joined with itself.
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
                let tree = parry_tree(b.unwrap_or(a));
                Ok(asked(a, b.is_none(), |aabb, found| found.extend(tree.intersect_aabb(&parry_box(aabb)))))
            }
            Self::Rstar => {
                let (tree, other) = (rstar_tree(a), b.map(rstar_tree));
                let pairs = tree.intersection_candidates_with_other_tree(other.as_ref().unwrap_or(&tree));
                Ok(once(pairs.map(|(a, b)| [a.data, b.data]), b.is_none()))
            }
            Self::RstarQueries => {
                let tree = rstar_tree(b.unwrap_or(a));
                Ok(asked(a, b.is_none(), |aabb, found| {
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
                let tree = packed_tree(b.unwrap_or(a));
                Ok(asked(a, b.is_none(), |aabb, found| {
                    *found = tree.search(aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y);
                }))
            }
        }
    }
}

/// The pairs of a walk of two trees. Of a tree with itself each comes twice, and each box with itself.
fn once(pairs: impl Iterator<Item = Pair>, is_self_join: bool) -> Vec<Pair> {
    pairs.filter(|[a, b]| !is_self_join || a < b).collect()
}

/// The pairs that a tree names when it is asked for each box, in the thread pool.
fn asked(a: &[Aabb], is_self_join: bool, search: impl Fn(&Aabb, &mut Vec<u32>) + Sync) -> Vec<Pair> {
    let ask = |(mut pairs, mut found): (Vec<Pair>, Vec<u32>), (index, aabb): (usize, &Aabb)| {
        found.clear();
        search(aabb, &mut found);
        let index = index as u32;
        pairs.extend(found.iter().filter(|&&b| !is_self_join || index < b).map(|&b| [index, b]));
        (pairs, found)
    };
    let lists = a.par_iter().enumerate().with_min_len(1024).fold(Default::default, ask);
    let lists = lists.map(|(pairs, _)| pairs);
    lists.reduce(Vec::new, |mut a, b| {
        a.extend(b);
        a
    })
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

/// One contender; times in milliseconds.
#[derive(Debug, Serialize)]
struct Row {
    scene: &'static str,
    join: &'static str,
    count: usize,
    threads: usize,
    contender: &'static str,
    pairs: usize,
    median: f64,
    least: f64,
    cpu_median: f64,
    /// Pairs that it misses, and that do not meet, by the exact comparison of f64.
    missed: usize,
    invented: usize,
}

/// Measures every scene, size and number of threads; whether every answer of sat2d is right.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let contenders = chosen(&arguments.contender, &ALL, |c| c.name())?;
    let machine = Machine::here();
    println!("{machine}\nthe broad phase: boxes in memory to candidate pairs in memory, in any order");
    println!("seed {}, medians of {} runs in turn; times in ms", arguments.seed, arguments.repeats);
    println!("join: of two sets, each of so many");
    let (seed, repeats) = (arguments.seed, arguments.repeats);
    let mut report = Report { stage: "broad", machine, seed, repeats, rows: Vec::new(), bars: Vec::new() };
    for count in arguments.count.clone().unwrap_or_else(|| vec![100_000]) {
        for scene in ["ngons", "clustered", "unequal"] {
            // In random spatial order, so that either half is such a scene.
            let boxes = boxes(scene, 2 * count, seed)?;
            let (a, b) = boxes.split_at(count);
            for (join, b) in [("self-join", None), ("join", Some(b))] {
                let exact = sorted(Contender::RstarQueries.pairs(a, b)?);
                for thread_count in arguments.thread_counts() {
                    let runs_on = |c: &Contender| c.runs_on(thread_count, b.is_none());
                    let contenders: Vec<_> = contenders.iter().copied().filter(runs_on).collect();
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(thread_count).build()?;
                    let rows = pool.install(|| measure(repeats, &contenders, a, b, &exact))?;
                    let rows =
                        rows.into_iter().map(|row| Row { scene, join, count, threads: thread_count, ..row });
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

/// Runs every contender once untimed, then all in turn, in the current thread pool.
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
    /// Takes up one scene with one number of threads, and prints it.
    fn add(&mut self, rows: Vec<Row>) {
        let Some(first) = rows.first() else { return };
        let title = format!("{} {} {}, {}", first.scene, first.join, first.count, threads(first.threads));
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
        for b in [None, Some(b)] {
            let others = b.unwrap_or(a);
            let meets = |a: &Aabb, b: &Aabb| {
                a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y
            };
            let all = (0..a.len()).flat_map(|i| (0..others.len()).map(move |k| [i, k]));
            let is_pair = |&[i, k]: &[usize; 2]| (b.is_some() || i < k) && meets(&a[i], &others[k]);
            let expected: Vec<Pair> = all.filter(is_pair).map(|pair| pair.map(|i| i as u32)).collect();
            assert!(expected.len() > 100);
            for contender in ALL {
                assert_eq!(sorted(contender.pairs(a, b).unwrap()), expected, "{}", contender.name());
            }
        }
    }
}
