//! Measures the areas of the pairs of objects that a caller passes.

use super::areas::{Area, Objects, PieceSum, Sums, are_same};
use super::given::{ObjectPairs, ObjectQuery, PiecePairs, PieceQuery};
use super::kinds::Relations;
use super::kinds_of_areas::{IntersectionArea, Iou};
use crate::answers::area::{MeasuredObjects, Overlap};
use crate::answers::backend::Backend;
use crate::answers::envelope::Answers;
use crate::answers::results::Relation;
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::limits::check_sizes;
use crate::geometry::{Aabb, PolygonSet};
use crate::kernels::area::overlaps;
use crate::kernels::log::Log;
use crate::kernels::proposer::{Hint, Lists};
use crate::queries::prepared::Prepared;

/// The number of pairs of pieces that a CPU measures at once. The number is small, so that the query reports its
/// progress often, even if the pieces have many vertices.
const CHUNK_IN_CACHE: usize = 1 << 14;
/// The number of pairs of pieces that a GPU measures at once.
const CHUNK_IN_FLIGHT: usize = 1 << 16;

impl ObjectQuery for IntersectionArea {
    type Item = f64;

    async fn run(self, pairs: &ObjectPairs<'_>) -> Result<Answers<f64>> {
        areas(self, pairs).await
    }
}

impl ObjectQuery for Iou {
    type Item = Overlap;

    async fn run(self, pairs: &ObjectPairs<'_>) -> Result<Answers<Overlap>> {
        areas(self, pairs).await
    }
}

async fn areas<Q>(query: Q, given: &ObjectPairs<'_>) -> Result<Answers<<Q as Area>::Output>>
where
    Q: Area + PieceQuery<Output = Answers<<Q as Area>::Output>>,
{
    query.check()?;
    let ObjectPairs { backends, sets, pairs, drive } = *given;
    let [a, b] = sets;
    given.check_objects()?;
    check_sizes(a, (!std::ptr::eq(a, b)).then_some(b))?;
    let is_simple =
        |set: &PolygonSet| set.has_one_piece_an_object() && set.piece_count() == set.object_count();
    if is_simple(a) && is_simple(b) {
        // Object `i` is piece `i`, so no sums over pieces are needed.
        return PiecePairs { backends, a, b, pairs, drive }.query_async(query).await;
    }
    let count = pairs.len() as u64;
    let choice = backends.choice_for(count, |_| count);
    let chunk = if choice.backend == Backend::Gpu { CHUNK_IN_FLIGHT } else { CHUNK_IN_CACHE };
    let hint = Hint { relations: true, ..Hint::default() };
    let mut log = Log::new();
    let mut prepared = backends.prepare_on(choice.clone(), sets, Lists::One, hint).await?;
    let mut measured = Measured { sets, objects: Objects::of(sets), sums: Sums::new() };

    // A pair that is given several times is measured once.
    let mut distinct = pairs.to_vec();
    distinct.par_sort_unstable();
    distinct.dedup();
    let pieces = sets.map(Pieces::of);
    let mut of_pieces = Vec::new();
    for (done, &pair) in distinct.iter().enumerate() {
        pieces[0].meeting(&pieces[1], pair, &mut of_pieces);
        if of_pieces.len() >= chunk {
            measured.add(&of_pieces, &mut prepared).await?;
            of_pieces.clear();
            drive.report(done as u64);
        }
    }
    measured.add(&of_pieces, &mut prepared).await?;
    let Measured { mut objects, sums, .. } = measured;
    // Some measurements include the areas of the two objects, even if the objects do not meet.
    let named: &[[u32; 2]] = if Q::NEEDS_OBJECTS { &distinct } else { &[] };
    let found = sums.finish(sets, &mut objects, named, Q::NEEDS_OBJECTS)?;
    drive.report(count);

    let start = Instant::now();
    let item = |&[i, j]: &[u32; 2]| {
        let place = found.binary_search_by_key(&[i, j], |found: &MeasuredObjects<f64>| [found.a, found.b]);
        let area = place.map_or(0.0, |place| found[place].measurement);
        query.measured(area, objects.areas([i, j]), objects.is_rounded([i, j]), || are_same(sets, [i, j]))
    };
    let items = pairs.par_iter().with_min_len(256).map(item).collect();
    log.timings.measure += start.elapsed();
    log.counts.candidate_pairs = count;
    log.counts.candidate_object_pairs = count;
    Ok(log.answers(items, &choice))
}

/// The pieces of the objects of a set, and their boxes.
struct Pieces<'a> {
    /// The index of the first piece of each object. The last entry is the number of pieces.
    starts: Vec<u32>,
    boxes: std::borrow::Cow<'a, [Aabb]>,
}

impl<'a> Pieces<'a> {
    fn of(set: &'a PolygonSet) -> Self {
        let mut starts = vec![0; set.object_count() + 1];
        (0..set.piece_count()).for_each(|piece| starts[set.piece_object(piece) + 1] += 1);
        (1..starts.len()).for_each(|object| starts[object] += starts[object - 1]);
        Self { starts, boxes: set.piece_boxes() }
    }

    /// Appends the pairs of a piece of object `i` and a piece of object `j` whose bounding boxes meet.
    fn meeting(&self, other: &Self, [i, j]: [u32; 2], pairs: &mut Vec<[u32; 2]>) {
        let range =
            |pieces: &Self, object: u32| pieces.starts[object as usize]..pieces.starts[object as usize + 1];
        let others = range(other, j);
        let whole = Aabb::around_all(&other.boxes[others.start as usize..others.end as usize]);
        for piece in range(self, i) {
            let aabb = self.boxes[piece as usize];
            if aabb.meets(whole) {
                let meeting =
                    others.clone().filter(|&other_piece| aabb.meets(other.boxes[other_piece as usize]));
                pairs.extend(meeting.map(|other_piece| [piece, other_piece]));
            }
        }
    }
}

/// The sums of the common areas that were measured so far, one sum for each pair of objects.
struct Measured<'a> {
    sets: [&'a PolygonSet; 2],
    objects: Objects,
    sums: Sums,
}

impl Measured<'_> {
    /// Measures pairs of pieces, and adds their areas to the sums. Returns the errors of the query of relations, and an error
    /// if the sums do not fit in memory.
    async fn add(&mut self, pairs: &[[u32; 2]], prepared: &mut Prepared<'_>) -> Result<()> {
        let relations = prepared.piece_pairs(pairs).query_async(Relations).await?.items;
        let meets = |k: &usize| relations[*k] != Relation::Disjoint;
        let meeting: Vec<[u32; 2]> = (0..pairs.len()).filter(meets).map(|k| pairs[k]).collect();
        let relations: Vec<Relation> = (0..pairs.len()).filter(meets).map(|k| relations[k]).collect();
        let mut areas = vec![0.0; meeting.len()];
        let (sets, objects) = (self.sets, &self.objects);
        let objects_of =
            |pair: [u32; 2]| [0, 1].map(|side| sets[side].piece_object(pair[side] as usize) as u32);
        overlaps(sets, &meeting, &relations, |pair| Some(objects.share(objects_of(pair))), &mut areas);
        let sums = meeting.iter().zip(&areas).map(|(&pair, &area)| {
            let of = objects_of(pair);
            PieceSum::of(of, area, objects.smaller(of))
        });
        self.sums.add(meeting.len(), sums)
    }
}
