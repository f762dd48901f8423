//! Selects the colours whose touches are solved in dispatches of their own (the wide colours). One workgroup solves the
//! touches of all other colours.
//!
//! With or without a dispatch of its own, each colour is solved in the same order, so the selection has no effect on
//! the result. A dispatch costs about as much as two rounds of a workgroup, even if the colour has no touches. The
//! selection uses the latest counts that the host knows, because the counts of the colours change slowly.

use super::plan::MANY_BODIES;
use super::records::{self, COLOURS, WIDE_FIXED, WIDE_FREE, control};
use crate::sim::cpu::FIRST_FIXED;

/// A colour needs a dispatch of its own if it has more touches than this number times the number of invocations in a
/// workgroup.
const MOST_ROUNDS: u32 = 2;
/// For each of the two kinds of colours, the number of unneeded dispatches that a plan may have before a new plan replaces it. A
/// plan with fewer dispatches would save little, and building it costs as much as hundreds of dispatches. Without this tolerance,
/// plans would change often, because the counts of some colours are always near the limit.
const SPARE: u32 = 3;

/// A selection of the colours with a dispatch of their own. They are the first colours of both kinds, so the selection
/// is two numbers. The first number counts colours for touches between two bodies that contacts move. The second number
/// counts colours for touches with a body that contacts do not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide(pub(super) [u32; 2]);

impl Wide {
    /// Returns the selection for a world in which the host does not know yet how many touches the colours have.
    pub(super) fn of_bodies(body_count: u32) -> Self {
        if body_count >= MANY_BODIES {
            Self([WIDE_FREE, WIDE_FIXED])
        } else {
            Self([records::FEWER_WIDE_FREE, records::FEWER_WIDE_FIXED])
        }
    }

    /// Returns the selection for the next steps, from the counts of touches in a step that has ended. `words` are the
    /// control words of that step, and `lanes` is the number of invocations of the workgroup that solves the other
    /// colours. A selection with only a few colours too many stays ([`SPARE`]).
    pub(super) fn after(self, words: &[u32], lanes: u32) -> Self {
        let start = |colour: u32| words[(control::COLOUR_STARTS + colour) as usize];
        let needed = |first: u32, most: u32| {
            let is_many = |k: &u32| start(first + k + 1) - start(first + k) > MOST_ROUNDS * lanes;
            (0..most).rev().find(is_many).map_or(0, |last| last + 1)
        };
        let needed = [needed(0, WIDE_FREE), needed(FIRST_FIXED as u32, WIDE_FIXED)];
        let Self(current) = self;
        let suffices = |kind: usize| (needed[kind]..=needed[kind] + SPARE).contains(&current[kind]);
        Self([0, 1].map(|kind| if suffices(kind) { current[kind] } else { needed[kind] }))
    }
}

const _: () = assert!(COLOURS + 1 < control::BOUNCE_ROUND - control::COLOUR_STARTS);

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the control words of a step. `free` and `fixed` have the numbers of touches of the free and of the fixed
    /// colours.
    fn words(free: &[u32], fixed: &[u32]) -> Vec<u32> {
        let mut words = vec![0; control::WORDS as usize];
        let mut start = 0;
        for colour in 0..COLOURS {
            words[(control::COLOUR_STARTS + colour) as usize] = start;
            let (of, k) = if colour < FIRST_FIXED as u32 {
                (free, colour)
            } else {
                (fixed, colour - FIRST_FIXED as u32)
            };
            start += of.get(k as usize).copied().unwrap_or(0);
        }
        words[(control::COLOUR_STARTS + COLOURS) as usize] = start;
        words
    }

    #[test]
    fn colours_up_to_the_last_one_with_many_touches_have_their_own_dispatch() {
        let all = Wide([WIDE_FREE, WIDE_FIXED]);
        let counts = words(&[9000, 700, 0, 513, 512, 3], &[512, 1]);
        assert_eq!(all.after(&counts, 256), Wide([4, 0]));
        assert_eq!(Wide([0, 0]).after(&counts, 256), Wide([4, 0]));
        // A plan with at most [`SPARE`] unneeded dispatches of each kind is kept.
        assert_eq!(Wide([7, 3]).after(&counts, 256), Wide([7, 3]));
        assert_eq!(Wide([8, 4]).after(&counts, 256), Wide([4, 0]));
        assert_eq!(all.after(&words(&[600; 20], &[600; 9]), 256), all);
        assert_eq!(all.after(&words(&[], &[]), 16), Wide([0, 0]));
    }
}
