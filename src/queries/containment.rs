//! Containment of given pairs, and of all pairs of one set or two.

use std::borrow::Cow;

use crate::answers::backend::Backend;
use crate::answers::containment::{Containment, ContainmentJoin, Containments};
use crate::answers::results::{Counts, Join, ObjectPair, Relation, Timings};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::limits::check_sizes;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::kernels::Side;
use crate::kernels::backends::Backends;
use crate::kernels::containment::decide;
use crate::kernels::containment::filter::ContainmentFilter;
use crate::queries::options::Progress;

/// Candidate pairs that go through a stage at once.
const CHUNK: usize = 1 << 18;

impl Backends {
    /// Decides which object of each given pair covers the other.
    pub(crate) async fn containments(
        &self,
        a: &PolygonSet,
        b: &PolygonSet,
        pairs: &[[u32; 2]],
    ) -> Result<Containments> {
        for indices in pairs {
            for (index, set) in indices.iter().zip([a, b]) {
                if *index as usize >= set.object_count() {
                    return Err(Error::UnknownObject { index: *index as usize, count: set.object_count() });
                }
            }
        }
        let other = (!std::ptr::eq(a, b)).then_some(b);
        check_sizes(a, other)?;
        let count = pairs.len() as u64;
        let choice = self.choice_for(count, |_| count);
        let mut work = Work::new(self, choice.backend, a, other);
        let (containments, counts, timings) = (Vec::new(), Counts::default(), Timings::default());
        let mut out = Containments { containments, choice, counts, timings };
        for chunk in pairs.chunks(CHUNK) {
            let found = work.decide(chunk, &mut out.counts, &mut out.timings).await?;
            out.containments.extend(found);
        }
        out.counts.candidate_pairs = count;
        out.counts.candidate_object_pairs = count;
        Ok(out)
    }

    /// Finds the pairs in which one object covers the other.
    pub(crate) async fn containment_join(
        &self,
        a: &PolygonSet,
        other: Option<&PolygonSet>,
        progress: Option<&dyn Progress>,
    ) -> Result<ContainmentJoin> {
        let stage = |name| progress.inspect(|p| p.stage(name));
        check_sizes(a, other)?;
        let (mut counts, mut timings) = (Counts::default(), Timings::default());
        stage("broad phase");
        let start = Instant::now();
        let (boxes_a, boxes_b) = (object_boxes(a), other.map(object_boxes));
        let mut candidates = match &boxes_b {
            None => broad_phase::self_join(&boxes_a, None)?,
            Some(boxes_b) => broad_phase::join(&boxes_a, boxes_b)?,
        };
        let choice = self.choice_for(0, |most| candidates.count_up_to(most));
        timings.broad_phase += start.elapsed();
        let others = boxes_b.as_deref().unwrap_or(&boxes_a);
        let exact_boxes = has_exact_boxes(a) && other.is_none_or(has_exact_boxes);
        let one_covers = |&[i, j]: &[u32; 2]| {
            let (a, b) = (boxes_a[i as usize], others[j as usize]);
            a.covers(b) || b.covers(a)
        };
        stage("narrow phase");
        let mut work = Work::new(self, choice.backend, a, other);
        let mut found: Vec<(ObjectPair, Containment)> = Vec::new();
        let mut pairs = Vec::new();
        loop {
            let start = Instant::now();
            if !candidates.next_chunk(CHUNK, &mut pairs) {
                break;
            }
            counts.candidate_object_pairs += pairs.len() as u64;
            if other.is_none() {
                pairs.iter_mut().for_each(|pair| pair.sort_unstable());
            }
            if exact_boxes {
                pairs = pairs.into_par_iter().filter(one_covers).collect();
            }
            timings.broad_phase += start.elapsed();
            counts.candidate_pairs += pairs.len() as u64;
            let containments = work.decide(&pairs, &mut counts, &mut timings).await?;
            let start = Instant::now();
            let kept = || containments.iter().zip(&pairs).filter(|(c, _)| **c != Containment::Neither);
            let needed_bytes = (found.len() + kept().count()) * size_of::<(ObjectPair, Containment)>();
            crate::base::memory::try_reserve(&mut found, kept().count())
                .map_err(|_| Error::OutOfMemory { needed_bytes })?;
            found.extend(kept().map(|(&containment, &[a, b])| {
                // Its interior is in the other's.
                (ObjectPair { a, b, relation: Relation::Overlapping }, containment)
            }));
            timings.collect += start.elapsed();
            progress.inspect(|p| p.decided(counts.candidate_object_pairs));
        }
        stage("sorting");
        let start = Instant::now();
        found.par_sort_unstable_by_key(|(pair, _)| (pair.a, pair.b));
        let (pairs, containments): (Vec<ObjectPair>, Vec<Containment>) = found.into_iter().unzip();
        counts.overlapping = pairs.len() as u64;
        timings.collect += start.elapsed();
        let join = Join { choice, pairs, counts, timings, timeline: Vec::new(), check: None };
        Ok(ContainmentJoin { join, containments })
    }
}

/// A closed box around each object.
fn object_boxes(set: &PolygonSet) -> Cow<'_, [Aabb]> {
    if has_objects_for_pieces(set) {
        return set.piece_boxes();
    }
    Cow::Owned(set.object_aabbs())
}

/// Whether every object is one piece, so that both have the same numbers.
fn has_objects_for_pieces(set: &PolygonSet) -> bool {
    set.has_one_piece_an_object() && set.piece_count() == set.object_count()
}

/// What is known, and of the rest what exact arithmetic says.
fn decide_open(
    a: &PolygonSet,
    b: &PolygonSet,
    pairs: &[[u32; 2]],
    known: Vec<Option<Containment>>,
    timings: &mut Timings,
) -> Result<Vec<Containment>> {
    let start = Instant::now();
    let decided = pairs.par_iter().zip(known).map(|(&[i, j], known)| match known {
        Some(containment) => Ok(containment),
        None => decide(a, i as usize, b, j as usize),
    });
    let decided: Vec<Result<Containment>> = decided.collect();
    timings.exact += start.elapsed();
    decided.into_iter().collect()
}

/// Two sets, or one, and the filter once it is needed.
struct Work<'a> {
    backends: &'a Backends,
    backend: Backend,
    a: &'a PolygonSet,
    other: Option<&'a PolygonSet>,
    filter: Option<ContainmentFilter<'a>>,
}

impl<'a> Work<'a> {
    fn new(
        backends: &'a Backends,
        backend: Backend,
        a: &'a PolygonSet,
        other: Option<&'a PolygonSet>,
    ) -> Self {
        Self { backends, backend, a, other, filter: None }
    }

    /// The containment of each pair of objects.
    async fn decide(
        &mut self,
        pairs: &[[u32; 2]],
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<Vec<Containment>> {
        let (a, b) = (self.a, self.other.unwrap_or(self.a));
        if [a, b].into_iter().all(has_objects_for_pieces) {
            let known = self.filter(pairs, counts, timings).await?;
            return decide_open(a, b, pairs, known, timings);
        }
        // Objects of one piece each go through the filter.
        let pieces: Vec<Option<[u32; 2]>> = pairs
            .par_iter()
            .map(|&[i, j]| {
                let (i, j) = (a.object_pieces(i as usize), b.object_pieces(j as usize));
                (i.len() == 1 && j.len() == 1).then_some([i.start as u32, j.start as u32])
            })
            .collect();
        let convex: Vec<[u32; 2]> = pieces.iter().flatten().copied().collect();
        let found =
            if convex.is_empty() { Vec::new() } else { self.filter(&convex, counts, timings).await? };
        let mut found = found.into_iter();
        let known = pieces.iter().map(|pieces| pieces.and_then(|_| found.next().flatten())).collect();
        decide_open(a, b, pairs, known, timings)
    }

    async fn filter(
        &mut self,
        pairs: &[[u32; 2]],
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<Vec<Option<Containment>>> {
        if self.filter.is_none() {
            let start = Instant::now();
            let (boxes_a, boxes_b) = (self.a.piece_boxes(), self.other.map(PolygonSet::piece_boxes));
            timings.pack += start.elapsed();
            let side_a = Side { pieces: Pieces::of(self.a), boxes: &boxes_a };
            let side_b = self.other.zip(boxes_b.as_deref());
            let side_b = side_b.map(|(set, boxes)| Side { pieces: Pieces::of(set), boxes });
            let filter = ContainmentFilter::new(self.backends, self.backend, side_a, side_b, timings).await?;
            self.filter = Some(filter);
        }
        match &mut self.filter {
            Some(filter) => filter.decide(pairs, counts, timings).await,
            None => Ok(vec![None; pairs.len()]),
        }
    }
}

/// Whether a set's boxes are exact, so that of what covers another the box does too.
fn has_exact_boxes(set: &PolygonSet) -> bool {
    set.is_static()
}
