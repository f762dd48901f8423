//! Keeps the nearest objects that a search has found so far.

use std::collections::{BinaryHeap, HashMap};

use crate::answers::distance::Distance;

/// An object of B that may be one of the nearest objects, and the nearest pair of pieces. Candidates are ordered by
/// distance, as in the result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// The bits of the distance as an f64. No distance is negative, so the bits have the order of the distances.
    pub(super) distance: u64,
    pub(super) object: u32,
    /// The indices of the piece of A and the piece of B. In a self-join, the lower index comes first.
    pub(super) pieces: [u32; 2],
    /// The index of the measurement in [`Found::measurements`].
    pub(super) place: u32,
    /// The index of the piece of B.
    pub(super) piece_b: u32,
}

/// The nearest objects of B that the search has found so far for an object of A.
pub(super) struct Found {
    /// The number of nearest objects to find for an object of A.
    most: usize,
    /// Whether to keep all objects at the distance of the last of the nearest objects, even if there are more than `most`.
    with_ties: bool,
    /// The candidates of the `most` nearest objects, the worst first. If objects have several pieces, the heap may also have
    /// outdated candidates, but its first candidate is not outdated.
    worst_first: BinaryHeap<Candidate>,
    /// The number of candidates in the heap that are not outdated.
    count: usize,
    /// The candidates at the same distance as the first candidate of the heap that come after it. If objects have several
    /// pieces, the list may also have outdated candidates.
    tied: Vec<Candidate>,
    /// For each object of B that is kept, its candidate. `None` if each object of A and B has one piece.
    of_objects: Option<HashMap<u32, Candidate>>,
    /// The measurements of the candidates. The field `place` of a candidate is an index in this list.
    pub(super) measurements: Vec<Distance>,
}

impl Found {
    /// Creates an empty list. `has_several` says whether an object of A or of B has several pieces.
    pub(super) fn new(most: usize, with_ties: bool, has_several: bool) -> Self {
        Self {
            most,
            with_ties,
            worst_first: BinaryHeap::new(),
            count: 0,
            tied: Vec::new(),
            of_objects: has_several.then(HashMap::new),
            measurements: Vec::new(),
        }
    }

    /// Returns the number of nearest objects to find.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Returns how many of the nearest objects are still missing.
    pub(super) fn missing_count(&self) -> usize {
        self.most.saturating_sub(self.count)
    }

    /// Returns whether an object of A or of B may have several pieces.
    pub(super) fn has_several_pieces(&self) -> bool {
        self.of_objects.is_some()
    }

    /// Returns the worst of the `most` nearest objects, or `None` if fewer objects have been found.
    pub(super) fn last(&self) -> Option<&Candidate> {
        if self.count < self.most { None } else { self.worst_first.peek() }
    }

    /// Returns the greatest index that the piece of B of a better candidate can have, or `None` if it can have any index. A
    /// limit exists if the worst of the nearest objects meets the object of A, because only an object with a lower index is then
    /// nearer. The same object can also get a pair of pieces with lower indices, but the index of its piece of B is then no greater.
    pub(super) fn index_limit(&self) -> Option<u32> {
        let meeting = self.last().filter(|last| last.distance == 0 && !self.with_ties);
        meeting.map(|last| last.piece_b)
    }

    /// Removes all candidates.
    pub(super) fn clear(&mut self) {
        self.worst_first.clear();
        self.count = 0;
        self.tied.clear();
        self.measurements.clear();
        if let Some(of_objects) = &mut self.of_objects {
            of_objects.clear();
        }
    }

    /// Adds a candidate if it is one of the nearest objects so far.
    pub(super) fn add(&mut self, candidate: Candidate) {
        let last = self.last().copied();
        let is_after_last = last.is_some_and(|last| candidate >= last);
        if is_after_last && !last.is_some_and(|last| self.is_tied(&candidate, &last)) {
            return;
        }
        let mut is_in_heap = false;
        if let Some(of_objects) = &mut self.of_objects {
            if let Some(known) = of_objects.get(&candidate.object) {
                if *known <= candidate {
                    return;
                }
                is_in_heap = last.is_none_or(|last| *known <= last);
            }
            of_objects.insert(candidate.object, candidate);
        }
        if is_after_last {
            self.tied.push(candidate);
            return;
        }
        self.count += usize::from(!is_in_heap);
        self.worst_first.push(candidate);
        self.remove_surplus();
    }

    /// Removes outdated candidates from the top of the heap, and the candidates that are no longer among the nearest.
    fn remove_surplus(&mut self) {
        let mut surplus = None;
        while let Some(&worst) = self.worst_first.peek() {
            let is_current = self.is_current(&worst);
            if is_current && self.count <= self.most {
                break;
            }
            self.worst_first.pop();
            if is_current {
                self.count -= 1;
                surplus = Some(worst);
            }
        }
        let Some(last) = self.last().copied() else { return };
        if self.tied.first().is_some_and(|tied| tied.distance != last.distance) {
            let mut tied = std::mem::take(&mut self.tied);
            tied.drain(..).for_each(|candidate| self.forget(&candidate));
            self.tied = tied;
        }
        if let Some(surplus) = surplus {
            if self.is_tied(&surplus, &last) {
                self.tied.push(surplus);
            } else {
                self.forget(&surplus);
            }
        }
    }

    fn is_tied(&self, candidate: &Candidate, last: &Candidate) -> bool {
        self.with_ties && candidate.distance == last.distance
    }

    /// Returns whether a candidate describes the nearest pair of pieces of its object. Otherwise, the candidate is outdated.
    fn is_current(&self, candidate: &Candidate) -> bool {
        let known = self.of_objects.as_ref().map(|of_objects| of_objects.get(&candidate.object));
        known.is_none_or(|known| known == Some(candidate))
    }

    /// Removes an object from the objects that are kept, if `candidate` is its current candidate.
    fn forget(&mut self, candidate: &Candidate) {
        if self.is_current(candidate)
            && let Some(of_objects) = &mut self.of_objects
        {
            of_objects.remove(&candidate.object);
        }
    }

    /// Returns whether a pair of pieces cannot change the result, because pieces of the same objects with lower indices
    /// are known to meet.
    pub(super) fn is_known_to_meet(&self, object: u32, pieces: [u32; 2]) -> bool {
        let known = self.of_objects.as_ref().and_then(|of_objects| of_objects.get(&object));
        known.is_some_and(|known| known.distance == 0 && known.pieces <= pieces)
    }

    /// Calls `work` with the nearest objects, the nearest first, and their measurements. [`Found::clear`] must be called before
    /// the next candidate is added.
    pub(super) fn with_sorted<R>(&mut self, work: impl FnOnce(&[Candidate], &[Distance]) -> R) -> R {
        let mut candidates = std::mem::take(&mut self.worst_first).into_vec();
        candidates.append(&mut self.tied);
        candidates.retain(|candidate| self.is_current(candidate));
        candidates.sort_unstable();
        let result = work(&candidates, &self.measurements);
        candidates.clear();
        self.worst_first = candidates.into();
        result
    }
}
