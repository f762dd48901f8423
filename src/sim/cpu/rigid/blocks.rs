//! Blocks of eight contacts: the data that a step needs for each contact, and the construction of this data from
//! touches.

use super::{PARALLEL, TASK};
use crate::base::parallel::prelude::*;
use crate::sim::bodies::BodyTraits;
use crate::sim::cpu::rows::Rows;
use crate::sim::cpu::touch::{Touch, TouchPoint, Touches};
use crate::simd::{LANES, dot, greater};

pub(super) type Eight = [f32; LANES];

/// Eight contacts of `POINTS` points each that share no dynamic body. The block holds only the data that the solver
/// reads many times in a step, so that the data of all contacts takes less room in the caches.
#[repr(C, align(32))]
#[derive(Clone, Debug)]
pub(super) struct Block<const POINTS: usize> {
    pub(super) bodies: [[u32; LANES]; 2],
    pub(super) inverse_inertia: [Eight; 2],
    pub(super) normal: [Eight; 2],
    pub(super) friction: Eight,
    pub(super) points: [Point; POINTS],
}

/// For each of eight contacts, the data of one of its contact points.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) arm_a: [Eight; 2],
    pub(super) arm_b: [Eight; 2],
    /// The separation of the point when the block was filled, minus the component of `arm_b - arm_a` along the normal.
    /// To get the current gap, the solver adds the component along the normal of the current vector between the ends of
    /// the two arms.
    pub(super) separation: Eight,
    pub(super) normal_mass: Eight,
    pub(super) tangent_mass: Eight,
    pub(super) normal_impulse: Eight,
    pub(super) tangent_impulse: Eight,
}

/// The data of a block that the solver reads once or twice in a step.
#[derive(Clone, Debug)]
pub(super) struct Record<const POINTS: usize> {
    /// The indices of the touches. Lanes without a contact have [`NO_TOUCH`].
    pub(super) touches: [u32; LANES],
    pub(super) restitution: Eight,
    /// For each point, its gap at the start of the step.
    pub(super) gaps: [Eight; POINTS],
    /// For each point, the sum of its impulses along the normal over all sub-steps and bounces.
    pub(super) total_impulses: [Eight; POINTS],
    /// Whether any of the eight contacts bounced or waited in the last round of bouncing.
    pub(super) bounced: bool,
}

impl<const POINTS: usize> Default for Block<POINTS> {
    fn default() -> Self {
        Self {
            bodies: Default::default(),
            inverse_inertia: Default::default(),
            normal: Default::default(),
            friction: Eight::default(),
            points: std::array::from_fn(|_| Point::default()),
        }
    }
}

impl<const POINTS: usize> Default for Record<POINTS> {
    fn default() -> Self {
        Self {
            touches: [NO_TOUCH; LANES],
            restitution: Eight::default(),
            gaps: [Eight::default(); POINTS],
            total_impulses: [Eight::default(); POINTS],
            bounced: false,
        }
    }
}

const NO_TOUCH: u32 = u32::MAX;

/// The blocks of one colour of contacts, or the blocks of the contacts without a colour.
#[derive(Debug, Default)]
pub(super) struct Colour {
    pub(super) ones: Blocks<1>,
    pub(super) twos: Blocks<2>,
    /// The indices of the pairs of this colour: first the pairs that touch in one point, then the pairs that touch in
    /// two points.
    lists: [Vec<u32>; 2],
}

/// The blocks of contacts with `POINTS` points each, and one record for each block.
#[derive(Debug, Default)]
pub(super) struct Blocks<const POINTS: usize> {
    pub(super) blocks: Vec<Block<POINTS>>,
    pub(super) records: Vec<Record<POINTS>>,
}

impl Colour {
    pub(super) fn block_count(&self) -> usize {
        self.ones.blocks.len() + self.twos.blocks.len()
    }

    /// Returns true if any contact of these blocks bounced or waited in the last round of bouncing.
    pub(super) fn bounced(&self) -> bool {
        self.ones.records.iter().any(|record| record.bounced)
            || self.twos.records.iter().any(|record| record.bounced)
    }
}

/// Prefetch distance in blocks: touches are prefetched this many blocks before they are read.
const AHEAD: usize = 2;

/// The data from which blocks are made, for all touches of a step.
pub(super) struct Maker<'a> {
    pub(super) traits: &'a [BodyTraits],
    pub(super) touches: &'a Touches,
    /// The index of the row for lanes without a contact. No body has this row.
    pub(super) nobody: u32,
}

impl Maker<'_> {
    /// Fills the blocks of a colour with the pairs at the indices `pairs` that touch. Each block gets at most `lanes`
    /// contacts.
    pub(super) fn fill(&self, pairs: &[u32], lanes: usize, colour: &mut Colour) {
        let Colour { ones, twos, lists } = colour;
        lists.iter_mut().for_each(Vec::clear);
        for &pair in pairs {
            if let count @ 1.. = self.touches.counts[pair as usize] {
                lists[count as usize - 1].push(pair);
            }
        }
        self.fill_blocks(&lists[0], lanes, ones);
        self.fill_blocks(&lists[1], lanes, twos);
    }

    fn fill_blocks<const POINTS: usize>(&self, list: &[u32], lanes: usize, all: &mut Blocks<POINTS>) {
        let Blocks { blocks, records } = all;
        blocks.resize_with(list.len().div_ceil(lanes), Block::default);
        records.resize_with(blocks.len(), Record::default);
        let blocks = blocks.par_iter_mut().with_min_len(TASK).zip(records);
        blocks.zip(list.par_chunks(lanes)).enumerate().for_each(|(k, ((block, record), chunk))| {
            self.touches.prefetch(list, (k + AHEAD) * lanes, lanes);
            self.fill_block(chunk, block, record);
        });
    }

    fn fill_block<const POINTS: usize>(
        &self,
        list: &[u32],
        block: &mut Block<POINTS>,
        record: &mut Record<POINTS>,
    ) {
        for lane in 0..LANES {
            let Some(&index) = list.get(lane) else {
                block.clear(lane, self.nobody);
                record.clear(lane);
                continue;
            };
            let touch = &self.touches.all[index as usize];
            record.touches[lane] = index;
            let traits = [&self.traits[touch.bodies[0] as usize], &self.traits[touch.bodies[1] as usize]];
            for (side, traits) in traits.into_iter().enumerate() {
                block.bodies[side][lane] = touch.bodies[side];
                block.inverse_inertia[side][lane] = traits.inverse_inertia;
                block.normal[side][lane] = touch.normal[side];
            }
            block.friction[lane] = (traits[0].friction * traits[1].friction).sqrt();
            record.restitution[lane] = greater(traits[0].restitution, traits[1].restitution);
            for (k, of) in touch.points[..POINTS].iter().enumerate() {
                self.fill_point(touch, traits, of, lane, &mut block.points[k]);
                record.gaps[k][lane] = of.separation;
                record.total_impulses[k][lane] = 0.0;
            }
        }
    }

    fn fill_point(
        &self,
        touch: &Touch,
        [a, b]: [&BodyTraits; 2],
        of: &TouchPoint,
        lane: usize,
        point: &mut Point,
    ) {
        let normal = touch.normal;
        let tangent = [normal[1], -normal[0]];
        for axis in 0..2 {
            point.arm_a[axis][lane] = of.arm_a[axis];
            point.arm_b[axis][lane] = of.arm_b[axis];
        }
        let between = [of.arm_b[0] - of.arm_a[0], of.arm_b[1] - of.arm_a[1]];
        point.separation[lane] = of.separation - dot(between, normal);
        let masses = a.inverse_mass + b.inverse_mass;
        let mass_along = |direction: [f32; 2]| {
            let (arm_a, arm_b) = (cross(of.arm_a, direction), cross(of.arm_b, direction));
            let k = masses + a.inverse_inertia * arm_a * arm_a + b.inverse_inertia * arm_b * arm_b;
            if k > 0.0 { 1.0 / k } else { 0.0 }
        };
        point.normal_mass[lane] = mass_along(normal);
        point.tangent_mass[lane] = mass_along(tangent);
        point.normal_impulse[lane] = of.normal_impulse;
        point.tangent_impulse[lane] = of.tangent_impulse;
    }
}

fn cross(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[1] - a[1] * b[0]
}

impl<const POINTS: usize> Block<POINTS> {
    /// Clears the contact in lane `lane` of the block, so that the lane has no effect on any body.
    fn clear(&mut self, lane: usize, nobody: u32) {
        for side in 0..2 {
            self.bodies[side][lane] = nobody;
            self.inverse_inertia[side][lane] = 0.0;
            self.normal[side][lane] = 0.0;
        }
        self.friction[lane] = 0.0;
        for point in &mut self.points {
            for axis in 0..2 {
                point.arm_a[axis][lane] = 0.0;
                point.arm_b[axis][lane] = 0.0;
            }
            point.separation[lane] = 0.0;
            point.normal_mass[lane] = 0.0;
            point.tangent_mass[lane] = 0.0;
            point.normal_impulse[lane] = 0.0;
            point.tangent_impulse[lane] = 0.0;
        }
    }
}

impl<const POINTS: usize> Record<POINTS> {
    /// Clears the record of the contact in lane `lane`, so that the lane has no effect on any touch.
    fn clear(&mut self, lane: usize) {
        self.touches[lane] = NO_TOUCH;
        self.restitution[lane] = 0.0;
        for point in 0..POINTS {
            self.gaps[point][lane] = 0.0;
            self.total_impulses[point][lane] = 0.0;
        }
    }
}

impl<const POINTS: usize> Blocks<POINTS> {
    /// Copies the impulses from the blocks to the touches.
    pub(super) fn store(&self, touches: Rows<'_, Touch>) {
        let blocks = self.blocks.par_iter().with_min_len(PARALLEL).zip(&self.records);
        blocks.for_each(|(block, record)| store_block(block, record, touches));
    }
}

#[allow(unsafe_code)]
fn store_block<const POINTS: usize>(
    block: &Block<POINTS>,
    record: &Record<POINTS>,
    touches: Rows<'_, Touch>,
) {
    for (lane, &index) in record.touches.iter().enumerate().filter(|&(_, &index)| index != NO_TOUCH) {
        let store = |touch: &mut Touch| {
            let totals = block.points.iter().zip(&record.total_impulses);
            for (to, (point, total_impulse)) in touch.points.iter_mut().zip(totals) {
                to.normal_impulse = point.normal_impulse[lane];
                to.tangent_impulse = point.tangent_impulse[lane];
                to.total_impulse = total_impulse[lane];
            }
        };
        // SAFETY: each touch is in only one lane of one block.
        unsafe { touches.change(index, store) };
    }
}
