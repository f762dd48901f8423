//! Divides contacts into colours by greedy graph colouring. Contacts of one colour share no dynamic body, so they can
//! be solved in parallel.
//!
//! A pair gets a colour when it first touches, and keeps the colour until the next full search for pairs. A contact
//! that appears or disappears therefore does not change the order in which the other contacts are solved.

/// The number of colours of contacts. Contacts without a colour are solved one after another.
pub(crate) const COLOURS: usize = 31;
/// The first colour for contacts between a body that contacts move and a body that contacts do not move, such as the
/// ground. The solver solves these contacts after the other contacts with a colour, because a contact that is solved
/// later is satisfied more exactly. At the end of a sub-step, bodies are therefore hardly pressed into the ground.
pub(crate) const FIRST_FIXED: usize = 24;
/// The number of pairs in a run. [`Colours::add`] skips a run if none of its pairs needs a colour.
const RUN: usize = 64;

/// The lists of the pairs that touch: one list for each colour, and one list for the pairs without a colour.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    /// For each body that contacts move, a mask with one bit for each colour of its contacts. The mask of any other
    /// body is 0.
    taken: Vec<u32>,
    /// For each pair, 1 if the pair is in one of `lists`, and 0 otherwise.
    is_listed: Vec<u8>,
    /// For each colour, the indices of its pairs. After these lists, one more list has the pairs without a colour.
    pub(crate) lists: Vec<Vec<u32>>,
}

impl Colours {
    /// Removes all pairs from the lists, and makes all colours free for all bodies.
    pub(crate) fn clear(&mut self, body_count: usize) {
        self.taken.clear();
        self.taken.resize(body_count, 0);
        self.is_listed.clear();
        self.lists.resize(COLOURS + 1, Vec::new());
        for list in &mut self.lists {
            list.clear();
        }
    }

    /// Gives a colour to each pair that has contact points and is not listed yet, and adds the pair to the list of the
    /// colour. Neither body of the pair has a contact of this colour already ([`free_colour`]). A body that contacts do
    /// not move may have any number of contacts of one colour.
    pub(crate) fn add(&mut self, pairs: &[[u32; 2]], points: &[u8], is_moved: impl Fn(u32) -> bool) {
        self.is_listed.resize(pairs.len(), 0);
        let (is_listed, points) = (&mut self.is_listed[..], &points[..pairs.len()]);
        for (first, (listed, points)) in
            (0..).step_by(RUN).zip(is_listed.chunks_mut(RUN).zip(points.chunks(RUN)))
        {
            // Usually, no pair of the run is new.
            let is_new = |(&listed, &points): (&u8, &u8)| listed == 0 && points > 0;
            if !listed.iter().zip(points).fold(false, |any, lane| any | is_new(lane)) {
                continue;
            }
            for (index, lane) in (first..).zip(listed.iter_mut().zip(points)) {
                if !is_new((lane.0, lane.1)) {
                    continue;
                }
                *lane.0 = 1;
                let pair: [u32; 2] = pairs[index];
                let moved = pair.map(&is_moved);
                let taken = [
                    if moved[0] { self.taken[pair[0] as usize] } else { 0 },
                    if moved[1] { self.taken[pair[1] as usize] } else { 0 },
                ];
                let colour = free_colour(taken[0] | taken[1], moved[0] && moved[1]);
                self.lists[colour].push(index as u32);
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
}

/// Returns the colour of a contact. `taken` has one bit for each colour that a contact of either body already has.
/// Returns the first free colour of the kind of the contact, which `moves_both` selects. If no such colour is free,
/// returns the first free colour of the other kind. If no colour is free at all, returns [`COLOURS`].
pub(crate) fn free_colour(taken: u32, moves_both: bool) -> usize {
    const FREE: u32 = (1 << FIRST_FIXED) - 1;
    let of_kind = if moves_both { taken | !FREE } else { taken | FREE };
    let colour = of_kind.trailing_ones() as usize;
    if colour < COLOURS { colour } else { (taken.trailing_ones() as usize).min(COLOURS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_moved_body_has_a_colour_twice_and_no_contact_is_lost() {
        // Body 0 is static and meets all bodies. Body 1 meets more bodies than there are colours.
        let mut pairs: Vec<[u32; 2]> = (1..100).map(|b| [0, b]).collect();
        pairs.extend((2..60).map(|b| [1, b]));
        pairs.extend((2..99).map(|b| [b, b + 1]));
        let mut colours = Colours::default();
        // Every third pair gets points later. Pairs that lose their points keep their place.
        let points =
            |later: usize| -> Vec<u8> { (0..pairs.len()).map(|k| u8::from(k % 3 / 2 == later)).collect() };
        colours.clear(100);
        colours.add(&pairs[..150], &points(0), |body| body != 0);
        let before = colours.lists.clone();
        colours.add(&pairs, &points(1), |body| body != 0);
        assert!(colours.lists.iter().zip(&before).all(|(now, before)| now.starts_with(before)));
        colours.add(&pairs, &points(0), |body| body != 0);
        let mut all: Vec<u32> = colours.lists.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..pairs.len() as u32).collect::<Vec<_>>());
        assert!(!colours.lists[COLOURS].is_empty());
        let is_fixed = |k: &u32| pairs[*k as usize][0] == 0;
        assert!(colours.lists[..FIRST_FIXED].iter().flatten().all(|k| !is_fixed(k)));
        let has_many = |k: &u32| pairs[*k as usize].contains(&1);
        assert!(colours.lists[FIRST_FIXED..].iter().flatten().all(|k| is_fixed(k) || has_many(k)));
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
