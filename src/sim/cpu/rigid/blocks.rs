//! Contacts in eights: what a step knows of them, and how it is made of touches.

use super::{Softness, TASK};
use crate::parallel::prelude::*;
use crate::sim::bodies::{BodyTraits, DYNAMIC};
use crate::sim::cpu::rows::Rows;
use crate::sim::cpu::touch::{Touch, TouchPoint, Touches};
use crate::vector::{Both, LANES};

pub(super) type Eight = [f32; LANES];

/// Eight contacts of `POINTS` points each that share no body that moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Block<const POINTS: usize>
where
    [Point; POINTS]: Default,
{
    /// Indices of the touches; beyond the last one [`NO_TOUCH`].
    pub(super) touches: [u32; LANES],
    pub(super) bodies: [[u32; LANES]; 2],
    /// Which bodies contacts move: a bit a lane.
    pub(super) moved: [u8; 2],
    pub(super) inverse_mass: [Eight; 2],
    pub(super) inverse_inertia: [Eight; 2],
    pub(super) normal: [Eight; 2],
    pub(super) friction: Eight,
    pub(super) restitution: Eight,
    pub(super) bias: Eight,
    pub(super) mass_scale: Eight,
    pub(super) impulse_scale: Eight,
    pub(super) points: [Point; POINTS],
    /// Whether any of them bounced in the last round.
    pub(super) bounced: bool,
}

/// A point of each of eight contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) arm_a: [Eight; 2],
    pub(super) arm_b: [Eight; 2],
    /// The separation, less what the arms are apart along the normal.
    pub(super) separation: Eight,
    pub(super) normal_mass: Eight,
    pub(super) tangent_mass: Eight,
    pub(super) normal_impulse: Eight,
    pub(super) tangent_impulse: Eight,
    /// The gap at the start.
    pub(super) gap: Eight,
    /// Of all sub-steps and bounces.
    pub(super) total_impulse: Eight,
}

const NO_TOUCH: u32 = u32::MAX;

/// Contacts of one colour.
#[derive(Debug, Default)]
pub(super) struct Colour {
    pub(super) ones: Vec<Block<1>>,
    pub(super) twos: Vec<Block<2>>,
    /// Of the colour's pairs those that touch in one point, and in two.
    lists: [Vec<u32>; 2],
}

/// Blocks between asking for their touches and filling them.
const AHEAD: usize = 2;

/// What blocks are made of.
pub(super) struct Maker<'a> {
    pub(super) traits: &'a [BodyTraits],
    pub(super) touches: &'a Touches,
    /// Of two bodies that contacts move, and of one with another that they do not.
    pub(super) softness: [Softness; 2],
    /// The row of no body.
    pub(super) nobody: u32,
}

impl Maker<'_> {
    /// Blocks of at most `lanes` contacts.
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

    fn fill_blocks<const POINTS: usize>(&self, list: &[u32], lanes: usize, blocks: &mut Vec<Block<POINTS>>)
    where
        [Point; POINTS]: Default,
    {
        blocks.resize_with(list.len().div_ceil(lanes), Block::default);
        blocks.par_iter_mut().with_min_len(TASK).zip(list.par_chunks(lanes)).enumerate().for_each(
            |(k, (block, chunk))| {
                self.touches.prefetch(list, (k + AHEAD) * lanes, lanes);
                self.fill_block(chunk, block);
            },
        );
    }

    fn fill_block<const POINTS: usize>(&self, list: &[u32], block: &mut Block<POINTS>)
    where
        [Point; POINTS]: Default,
    {
        block.moved = [0; 2];
        for lane in 0..LANES {
            let Some(&index) = list.get(lane) else {
                block.clear(lane, self.nobody);
                continue;
            };
            let touch = &self.touches.all[index as usize];
            block.touches[lane] = index;
            let traits = touch.bodies.both(|body| &self.traits[body as usize]);
            for (side, traits) in traits.into_iter().enumerate() {
                block.bodies[side][lane] = touch.bodies[side];
                block.moved[side] |= u8::from(traits.has(DYNAMIC)) << lane;
                block.inverse_mass[side][lane] = traits.inverse_mass;
                block.inverse_inertia[side][lane] = traits.inverse_inertia;
                block.normal[side][lane] = touch.normal[side];
            }
            block.friction[lane] = (traits[0].friction * traits[1].friction).sqrt();
            block.restitution[lane] = traits[0].restitution.max(traits[1].restitution);
            let one_moves = traits.iter().any(|traits| !traits.has(DYNAMIC));
            let softness = self.softness[usize::from(one_moves)];
            block.bias[lane] = softness.bias;
            block.mass_scale[lane] = softness.mass_scale;
            block.impulse_scale[lane] = softness.impulse_scale;
            for (point, of) in block.points.iter_mut().zip(&touch.points) {
                self.fill_point(touch, traits, of, lane, point);
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
        let between = [0, 1].both(|axis| of.arm_b[axis] - of.arm_a[axis]);
        point.separation[lane] = of.separation - dot(between, normal);
        let masses = a.inverse_mass + b.inverse_mass;
        let mass_along = |direction: [f32; 2]| {
            let (arm_a, arm_b) = (cross(of.arm_a, direction), cross(of.arm_b, direction));
            let k = masses + a.inverse_inertia * arm_a * arm_a + b.inverse_inertia * arm_b * arm_b;
            if k > 0.0 { 1.0 / k } else { 0.0 }
        };
        point.normal_mass[lane] = mass_along(normal);
        point.tangent_mass[lane] = mass_along(tangent);
        point.gap[lane] = of.separation;
        point.normal_impulse[lane] = of.normal_impulse;
        point.tangent_impulse[lane] = of.tangent_impulse;
        point.total_impulse[lane] = 0.0;
    }
}

fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[1] - a[1] * b[0]
}

impl<const POINTS: usize> Block<POINTS>
where
    [Point; POINTS]: Default,
{
    /// A lane that does nothing.
    fn clear(&mut self, lane: usize, nobody: u32) {
        self.touches[lane] = NO_TOUCH;
        for side in 0..2 {
            self.bodies[side][lane] = nobody;
            self.inverse_mass[side][lane] = 0.0;
            self.inverse_inertia[side][lane] = 0.0;
            self.normal[side][lane] = 0.0;
        }
        self.restitution[lane] = 0.0;
        self.friction[lane] = 0.0;
        for point in &mut self.points {
            for axis in 0..2 {
                point.arm_a[axis][lane] = 0.0;
                point.arm_b[axis][lane] = 0.0;
            }
            point.separation[lane] = 0.0;
            point.normal_mass[lane] = 0.0;
            point.tangent_mass[lane] = 0.0;
            point.gap[lane] = 0.0;
            point.normal_impulse[lane] = 0.0;
            point.tangent_impulse[lane] = 0.0;
            point.total_impulse[lane] = 0.0;
        }
    }

    #[allow(unsafe_code)]
    pub(super) fn store(&self, touches: Rows<'_, Touch>) {
        for (lane, &index) in self.touches.iter().enumerate().filter(|&(_, &index)| index != NO_TOUCH) {
            let store = |touch: &mut Touch| {
                for (to, point) in touch.points.iter_mut().zip(&self.points) {
                    to.normal_impulse = point.normal_impulse[lane];
                    to.tangent_impulse = point.tangent_impulse[lane];
                    to.total_impulse = point.total_impulse[lane];
                }
            };
            // SAFETY: a touch is in one lane of one block.
            unsafe { touches.change(index, store) };
        }
    }
}
