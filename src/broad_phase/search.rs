//! Searches a stored tree for the boxes that meet the caller's boxes.

use super::Candidates;
use super::lanes::LANES;
#[cfg(feature = "sim")]
use super::stream::Stream;
use super::tree::Tree;
use super::vectors::{Task, Vectors, on_widest};
use crate::Aabb;

impl Candidates {
    /// Drops the state and memory of the stream of pairs, and keeps the trees of the boxes.
    #[cfg(feature = "sim")]
    pub(crate) fn keep_boxes(&mut self) {
        self.stream = Stream::default();
    }

    /// Appends a pair `[query, target]` to `found` for each box of `queries` and each box of the tree that meet. The tree
    /// is the tree of the second set, or of the only set. The pairs are in the order of the queries, then in the order of
    /// the tree. After each query, stops if `found` has at least `enough` pairs. Returns the number of queries whose pairs
    /// were appended.
    #[cfg(any(feature = "sim", not(target_family = "wasm")))]
    pub(crate) fn search(&self, queries: &[Aabb], enough: usize, found: &mut Vec<[u32; 2]>) -> usize {
        search(self.sides.targets(), queries, enough, found)
    }
}

/// Searches a tree for the boxes that meet `queries`. See [`Candidates::search`].
pub(super) fn search(tree: &Tree, queries: &[Aabb], enough: usize, found: &mut Vec<[u32; 2]>) -> usize {
    on_widest(Search { tree, queries, enough, found })
}

struct Search<'a> {
    tree: &'a Tree,
    queries: &'a [Aabb],
    enough: usize,
    found: &'a mut Vec<[u32; 2]>,
}

impl Task for Search<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> usize {
        let Self { tree, queries, enough, found } = self;
        if tree.leaf_count() == 0 {
            return queries.len();
        }
        let top = tree.top();
        // For each level above the current one: the node, and the children that are left to visit. 8 levels of 16
        // children hold 2^32 boxes, so the array is long enough.
        let mut above = [(0u32, 0u32); 10];
        for (query, bounds) in (0u32..).zip(queries) {
            let (mut level, mut node) = (top, 0);
            let mut left = vectors.meeting(tree.lanes(level, node), bounds);
            loop {
                if left == 0 {
                    if level == top {
                        break;
                    }
                    level += 1;
                    (node, left) = above[level];
                    continue;
                }
                let child = node * LANES as u32 + left.trailing_zeros();
                left &= left - 1;
                if level == 0 {
                    found.push([query, tree.index(child)]);
                    continue;
                }
                above[level] = (node, left);
                (level, node) = (level - 1, child);
                left = vectors.meeting(tree.lanes(level, node), bounds);
            }
            if found.len() >= enough {
                return query as usize + 1;
            }
        }
        queries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{join, self_join};
    use super::*;

    #[test]
    fn a_search_finds_what_a_join_finds() {
        let aabb = |x: f64, y: f64, size: f64| Aabb { min: [x, y].into(), max: [x + size, y + size].into() };
        let at =
            |k: usize| [(k as f64 * 0.754_877_666).fract() * 60.0, (k as f64 * 0.569_840_291).fract() * 60.0];
        let boxes = |count: usize, size: f64| -> Vec<Aabb> {
            let all =
                (0..count).map(|k| if k % 11 == 5 { Aabb::EMPTY } else { aabb(at(k)[0], at(k)[1], size) });
            all.collect()
        };
        let queries = boxes(40, 7.0);
        for count in [0, 1, 7, 9, 70, 3000] {
            let targets = boxes(count, 1.0);
            let mut found = vec![[9, 9]];
            let tree = self_join(&targets, None).unwrap();
            assert_eq!(tree.search(&queries, usize::MAX, &mut found), queries.len());
            assert_eq!(found.remove(0), [9, 9], "what was there stays");
            let mut some = Vec::new();
            let searched = tree.search(&queries, 1, &mut some);
            let first = found.partition_point(|pair| (pair[0] as usize) < searched);
            assert_eq!(some, found[..first], "{count}");
            assert!(some.is_empty() || some.iter().all(|pair| pair[0] == some[0][0]), "{some:?}");
            assert!(found.is_sorted_by_key(|pair| pair[0]));
            found.sort_unstable();
            assert_eq!(found, join(&queries, &targets).unwrap().sorted(), "{count}");
            assert!(count < 3000 || found.len() > 500);
        }
    }
}
