//! Makes the blocks of a colour from its contacts.

use super::{AHEAD, Block, Colour, NO_TOUCH, TASK};
use crate::base::parallel::prelude::*;
use crate::sim::bodies::{BodyTraits, DYNAMIC};
use crate::sim::cpu::touch::Touches;
use crate::simd::{LANES, greater};

/// The data from which blocks are made, for all touches of a step.
pub(super) struct Maker<'a> {
    pub(super) traits: &'a [BodyTraits],
    pub(super) touches: &'a Touches,
    /// The index of the row for lanes without a contact. No body has this row.
    pub(super) nobody: u32,
}

impl Maker<'_> {
    pub(super) fn fill(&self, pairs: &[u32], lanes: usize, colour: &mut Colour) {
        let Colour { blocks, list, .. } = colour;
        list.clear();
        list.extend(pairs.iter().filter(|&&pair| self.touches.counts[pair as usize] > 0));
        blocks.resize_with(list.len().div_ceil(lanes), Block::default);
        blocks.par_iter_mut().with_min_len(TASK).zip(list.par_chunks(lanes)).enumerate().for_each(
            |(k, (block, chunk))| {
                self.touches.prefetch(list, (k + AHEAD) * lanes, lanes);
                self.fill_block(chunk, block);
            },
        );
        colour.bounces = blocks.iter().any(|block| block.restitution.iter().any(|&r| r > 0.0));
        colour.rubs = blocks.iter().any(|block| block.friction.iter().any(|&f| f > 0.0));
    }

    fn fill_block(&self, list: &[u32], block: &mut Block) {
        let (bodies, touches) = ([[self.nobody; LANES]; 2], [NO_TOUCH; LANES]);
        *block = Block { bodies, touches, ..Block::default() };
        for (lane, &index) in list.iter().enumerate() {
            let touch = &self.touches.all[index as usize];
            let traits = [&self.traits[touch.bodies[0] as usize], &self.traits[touch.bodies[1] as usize]];
            block.touches[lane] = index;
            let masses = traits[0].inverse_mass + traits[1].inverse_mass;
            for (side, traits) in traits.into_iter().enumerate() {
                block.bodies[side][lane] = touch.bodies[side];
                block.moved[side] |= u8::from(traits.has(DYNAMIC)) << lane;
                block.share[side][lane] = traits.inverse_mass / masses;
                block.normal[side][lane] = touch.normal[side];
            }
            block.separation[lane] = touch.separation;
            block.friction[lane] = (traits[0].friction * traits[1].friction).sqrt();
            let mass = 1.0 / masses;
            block.mass[lane] = mass;
            let impulses = touch.points.iter().take(touch.point_count as usize);
            let impulse: f32 = impulses.clone().map(|point| point.normal_impulse).sum();
            block.pushed[lane] = impulse / mass;
            block.rubbed[lane] = impulses.map(|point| point.tangent_impulse).sum::<f32>() / mass;
            block.restitution[lane] = greater(traits[0].restitution, traits[1].restitution);
        }
    }
}
