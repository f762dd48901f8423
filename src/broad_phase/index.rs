//! A search tree over boxes, which is built once and searched many times.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::check_count;
use super::search::search;
use super::tree::{Tree, TreeMemory};
use crate::base::parallel::prelude::*;
use crate::{Aabb, Result};

/// The maximum number of query boxes in one task.
const TASK: usize = 256;

/// A search tree over boxes. The tree is built once, and finds the boxes that meet given query boxes.
///
/// A join of two sets builds its trees anew. Use an index if many small sets are compared with the same large set, one after
/// another: find the objects of the large set that may meet the small set, and join the small set with a selection of these
/// objects ([`PolygonSet::select`](crate::PolygonSet::select)).
///
/// ```
/// use sat2d::broad_phase::BoxIndex;
/// use sat2d::{Engine, Backend, PolygonSet, Relations};
/// let square = |x: f64| vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
/// let large = PolygonSet::from_convex_rings(&(0..1000).map(|k| square(f64::from(k) * 1.5)).collect::<Vec<_>>())?;
/// let index = BoxIndex::new(&large.object_aabbs())?;
///
/// let small = PolygonSet::from_convex_rings(&[square(699.75)])?;
/// let near = index.near(&small.object_aabbs(), 100)?.expect("few squares");
/// assert_eq!(near, [466, 467]);
/// let pairs = Engine::new(Backend::Cpu)?.join(&small, &large.select(&near)?).query(Relations)?;
/// assert_eq!(near[pairs.items[0].b as usize], 466);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Debug)]
pub struct BoxIndex {
    tree: Tree,
}

impl BoxIndex {
    /// Builds the index. A box that contains no point, such as [`Aabb::EMPTY`], meets no box.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`](crate::Error::TooMany) for more than 2^32 - 1 boxes.
    pub fn new(boxes: &[Aabb]) -> Result<Self> {
        check_count(boxes)?;
        Ok(Self { tree: Tree::new(boxes, None, None, &mut TreeMemory::default()) })
    }

    /// Returns the box around all boxes, or [`Aabb::EMPTY`] if no box contains a point.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match self.tree.leaf_count() {
            0 => Aabb::EMPTY,
            _ => self.tree.lanes(self.tree.top(), 0).union(),
        }
    }

    /// Returns the indices of the boxes that meet any box of `queries`, each once, in ascending order. Returns `None` if the
    /// search finds more than `most` pairs of a query and a box. Each thread uses memory in proportion to `most` and to the
    /// number of boxes.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`](crate::Error::TooMany) for more than 2^32 - 1 queries.
    pub fn near(&self, queries: &[Aabb], most: usize) -> Result<Option<Vec<u32>>> {
        check_count(queries)?;
        let pair_count = AtomicUsize::new(0);
        let near_task = |queries: &[Aabb]| {
            let (mut found, mut next) = (Vec::new(), 0);
            while next < queries.len() && pair_count.load(Ordering::Relaxed) <= most {
                let before = found.len();
                next += search(&self.tree, &queries[next..], before + 1, &mut found);
                pair_count.fetch_add(found.len() - before, Ordering::Relaxed);
            }
            let mut targets: Vec<u32> = found.iter().map(|pair| pair[1]).collect();
            targets.sort_unstable();
            targets.dedup();
            targets
        };
        let near: Vec<Vec<u32>> = queries.par_chunks(TASK).map(near_task).collect();
        if pair_count.into_inner() > most {
            return Ok(None);
        }
        let mut near = near.concat();
        near.sort_unstable();
        near.dedup();
        Ok(Some(near))
    }
}

#[cfg(test)]
mod tests {
    use super::super::join;
    use super::*;

    #[test]
    fn an_index_finds_what_a_join_finds() {
        let boxes = |count: usize, step: usize, size: f64| -> Vec<Aabb> {
            let at = |k: usize| [(k * step % 83) as f64, (k * 31 % 71) as f64];
            let aabb = |[x, y]: [f64; 2]| Aabb { min: [x, y].into(), max: [x + size, y + size].into() };
            (0..count).map(|k| if k % 11 == 5 { Aabb::EMPTY } else { aabb(at(k)) }).collect()
        };
        for (count, others) in [(0, 3), (1, 0), (20, 1), (3000, 1), (3000, 2 * TASK + 7)] {
            let (targets, queries) = (boxes(count, 17, 1.5), boxes(others, 29, 4.0));
            let index = BoxIndex::new(&targets).unwrap();
            let around = targets.iter().fold(Aabb::EMPTY, |all, &aabb| all.union(aabb));
            assert_eq!(index.bounds(), around);
            let found = join(&queries, &targets).unwrap().sorted();
            let mut near: Vec<u32> = found.iter().map(|pair| pair[1]).collect();
            near.sort_unstable();
            near.dedup();
            assert_eq!(index.near(&queries, found.len()).unwrap(), Some(near), "{count}, {others}");
            if let Some(fewer) = found.len().checked_sub(1) {
                assert_eq!(index.near(&queries, fewer).unwrap(), None);
            }
        }
    }
}
