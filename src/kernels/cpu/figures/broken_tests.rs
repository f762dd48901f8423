//! Tests the measurement kernels against f64, with fault injection.

use super::checks::{MARGIN, Pair, TOLERANCE, manifold_of, motions, scenes};
use super::manifold::{self, Judged};
use super::{motion, moving};
use crate::answers::impact::TimeOfImpactOptions;
use crate::answers::pair::Motion;
use crate::kernels::faults::{Fault, Kernel, assert_caught, first_wrong};
use crate::kernels::impacts::answer;
use crate::kernels::measurements::Frame;
use crate::kernels::test_scenes::Pairs;
use crate::packed::grid::Grid;
use crate::packed::layout::{MotionRecord, UNCERTAIN_FIGURE};
use crate::packed::records::{Head, LANES, Records, View, most_vertices};
use crate::simd::{HALF, Plain};

const PLAIN: Plain<false> = Plain;

/// A scene, packed for the kernels that accept polygons with at most `vertices` vertices. If `vertices` is 0, the
/// kernels accept polygons with any number of vertices.
struct Packed {
    name: &'static str,
    pairs: Pairs,
    motions: [Vec<Motion>; 2],
    records: [Records; 2],
    grid: Grid,
    vertices: usize,
}

/// Packs every scene for each variant of the kernels that accepts the scene.
fn packed() -> Vec<Packed> {
    let mut all = Vec::new();
    for vertices in [4, LANES, 0] {
        for (name, pairs) in scenes() {
            let most = most_vertices(&pairs.a).max(most_vertices(&pairs.b));
            if vertices > 0 && most > vertices {
                continue;
            }
            let (records, grid) = (pairs.records(vertices == 0), pairs.packed.grid);
            all.push(Packed { name, motions: motions(&pairs), pairs, records, grid, vertices });
        }
    }
    all
}

impl Packed {
    fn view(&self, side: usize, index: usize) -> View<'_> {
        match &self.records[side] {
            Records::Small { records, .. } => records[index].view(),
            Records::Large(large) => large.get(index as u32),
        }
    }

    /// Returns the number of certain manifolds, and the number of wrong manifolds among them. Ends after `most` wrong ones.
    fn manifolds(&self, most: usize) -> [usize; 2] {
        let margin = (MARGIN / self.grid.quantum) as f32;
        let record = |a: View<'_>, b: View<'_>| match self.vertices {
            4 => manifold::record::<_, 4>(PLAIN, a, b, margin),
            LANES => manifold::record::<_, LANES>(PLAIN, a, b, margin),
            _ => manifold::record::<_, 0>(PLAIN, a, b, margin),
        };
        let mut verdict = [0; 2];
        for index in 0..self.pairs.truth.len() {
            let (a, b) = (self.view(0, index), self.view(1, index));
            let Judged { record, is_certain } = record(a, b);
            if is_certain {
                let origin = self.grid.position(a.head.anchor.into());
                let found = manifold_of(&record, Frame { origin, quantum: self.grid.quantum });
                verdict[0] += 1;
                verdict[1] += usize::from(Pair::new(&self.pairs, index).manifold_is_wrong(&found));
            }
            if verdict[1] == most {
                break;
            }
        }
        verdict
    }

    /// Returns the number of certain times of impact, and the number of wrong times among them. Ends after `most` wrong ones.
    fn impacts(&self, most: usize) -> [usize; 2] {
        const ROOM: usize = moving::MOST_VERTICES + 1;
        const BLOCKS: usize = moving::MOST_VERTICES / LANES;
        let tolerance = (TOLERANCE / self.grid.quantum) as f32;
        let options = TimeOfImpactOptions::new(TOLERANCE);
        let mut verdict = [0; 2];
        for index in 0..self.pairs.truth.len() {
            let views = (self.view(0, index), self.view(1, index));
            let pieces = (self.pairs.a.piece(index), self.pairs.b.piece(index));
            let [a, b] = [&self.motions[0][index], &self.motions[1][index]];
            let of = |piece, motion: &Motion, view: View<'_>| -> MotionRecord {
                let origin = self.grid.position(view.head.anchor.into());
                motion::record(piece, motion, 1.0, origin, self.grid.quantum)
            };
            let (of_a, of_b) = (of(pieces.0, a, views.0), of(pieces.1, b, views.1));
            let moving = (&of_a, &of_b);
            let record = match self.vertices {
                4 => moving::record::<_, 4, { LANES + 1 }, 1>(PLAIN, views, moving, tolerance),
                LANES => moving::record::<_, LANES, { LANES + 1 }, 1>(PLAIN, views, moving, tolerance),
                _ => moving::record::<_, 0, ROOM, BLOCKS>(PLAIN, views, moving, tolerance),
            };
            if record.word & UNCERTAIN_FIGURE == 0
                && let Some(found) = answer(&record, pieces, [a, b], &options)
            {
                verdict[0] += 1;
                verdict[1] += usize::from(Pair::new(&self.pairs, index).impact_is_wrong(&found, [a, b]));
            }
            if verdict[1] == most {
                break;
            }
        }
        verdict
    }
}

#[test]
fn what_is_certain_is_right() {
    for packed in packed() {
        for (what, [certain, wrong]) in
            [("manifolds", packed.manifolds(usize::MAX)), ("times", packed.impacts(usize::MAX))]
        {
            let name = format!("{what} of {} by {}", packed.name, packed.vertices);
            assert_eq!(wrong, 0, "{name}, of {certain}");
            let count = packed.pairs.truth.len();
            assert!(packed.name == "slivers" || 10 * certain > 9 * count, "{name}: {certain} of {count}");
        }
    }
}

#[test]
fn the_form_of_any_number_says_what_those_of_few_vertices_say() {
    let count = |head: &Head| head.vertex_count as usize;
    let mut compared = [0; 2];
    for packed in packed().iter().filter(|packed| packed.vertices > 0) {
        let margin = (MARGIN / packed.grid.quantum) as f32;
        for index in 0..packed.pairs.truth.len() {
            let (a, b) = (packed.view(0, index), packed.view(1, index));
            let any = manifold::record::<_, 0>(PLAIN, a, b, margin);
            let is_small = count(a.head).max(count(b.head)) <= HALF;
            let few = if is_small {
                manifold::record::<_, HALF>(PLAIN, a, b, margin)
            } else {
                manifold::record::<_, LANES>(PLAIN, a, b, margin)
            };
            if few.record.normal[0].is_nan() {
                // Packing has shrunk an edge of this pair to a point, so the kernel must report the pair as uncertain.
                assert!(!any.is_certain && !few.is_certain, "{} {index}", packed.name);
                continue;
            }
            let [any_bytes, few_bytes] = [&any, &few].map(|judged| bytemuck::bytes_of(&judged.record));
            assert_eq!((any_bytes, any.is_certain), (few_bytes, few.is_certain), "{} {index}", packed.name);
            compared[usize::from(is_small)] += 1;
        }
    }
    assert!(compared.iter().all(|&count| count > 500), "{compared:?}");
}

#[test]
fn broken_kernels_are_caught() {
    let all = packed();
    // Each variant is tested on the scenes that it accepts.
    let caught = |what: &str, verdict: fn(&Packed, usize) -> [usize; 2], faults: &[Fault]| {
        for &fault in faults {
            for vertices in [4, LANES, 0] {
                let of_variant = all.iter().filter(|packed| packed.vertices == vertices);
                let wrong = || first_wrong(of_variant.map(|packed| verdict(packed, 1)[1]));
                assert_caught(Kernel::Figures, fault, &format!("{what}, variant for {vertices}"), wrong);
            }
        }
    };
    use Fault::{FlippedSign, Hasty, Lines, NextEdge, NoCuts, NoErrors, NoLastEdges};
    let in_manifolds = [FlippedSign, NoLastEdges, NoErrors, NextEdge, NoCuts];
    caught("manifolds", Packed::manifolds, &in_manifolds);
    caught("times", Packed::impacts, &[FlippedSign, NoLastEdges, Lines, Hasty]);
}
