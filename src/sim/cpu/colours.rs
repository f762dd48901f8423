//! Which contacts can be solved side by side: those of one colour share no body that moves (graph colouring, greedy).
//!
//! Pairs of bodies that are near each other are coloured, in contact or not: colours last as long as these pairs do, and a
//! contact that comes and goes does not change in which order the others are solved.

/// Colours; contacts beyond them are solved one after another.
pub(crate) const COLOURS: usize = 31;

/// Pairs by colour.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    /// One bit a colour for each body.
    taken: Vec<u32>,
    /// Indices of pairs for each colour; last those that have none.
    pub(crate) lists: Vec<Vec<u32>>,
}

impl Colours {
    /// Gives each pair of bodies the first colour that neither has; bodies that contacts do not move have none.
    pub(crate) fn update(
        &mut self,
        body_count: usize,
        pairs: impl Iterator<Item = [u32; 2]>,
        is_moved: impl Fn(u32) -> bool,
    ) {
        self.taken.clear();
        self.taken.resize(body_count, 0);
        self.lists.resize(COLOURS + 1, Vec::new());
        for list in &mut self.lists {
            list.clear();
        }
        for (index, pair) in (0u32..).zip(pairs) {
            let moved = pair.map(&is_moved);
            let taken = [0, 1].map(|k| if moved[k] { self.taken[pair[k] as usize] } else { 0 });
            let colour = (taken[0] | taken[1]).trailing_ones() as usize;
            let colour = colour.min(COLOURS);
            self.lists[colour].push(index);
            if colour < COLOURS {
                for k in 0..2 {
                    if moved[k] {
                        self.taken[pair[k] as usize] |= 1 << colour;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_moved_body_has_a_colour_twice_and_no_contact_is_lost() {
        // Body 0 is static and meets all; body 1 meets more bodies than there are colours.
        let mut pairs: Vec<[u32; 2]> = (1..100).map(|b| [0, b]).collect();
        pairs.extend((2..60).map(|b| [1, b]));
        pairs.extend((2..99).map(|b| [b, b + 1]));
        let mut colours = Colours::default();
        colours.update(100, pairs.iter().copied(), |body| body != 0);
        let mut all: Vec<u32> = colours.lists.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..pairs.len() as u32).collect::<Vec<_>>());
        assert!(!colours.lists[COLOURS].is_empty());
        for list in &colours.lists[..COLOURS] {
            let mut bodies: Vec<u32> =
                list.iter().flat_map(|&k| pairs[k as usize]).filter(|&body| body != 0).collect();
            let count = bodies.len();
            bodies.sort_unstable();
            bodies.dedup();
            assert_eq!(bodies.len(), count);
        }
    }
}
