//! A sequence that can be searched, and changed in the middle. It consists of chunks of bounded length.

/// The greatest length of a chunk. A change moves the items of one chunk.
const CHUNK: usize = 512;

/// The items of a sweep line, from below to above.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// The chunks of the sequence, in order. No chunk is empty.
    chunks: Vec<Vec<u32>>,
    /// For each chunk, its last item.
    lasts: Vec<u32>,
}

/// A position in a [`Status`]: before an item, or at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    chunk: usize,
    index: usize,
}

impl Status {
    /// Returns the position of the first item for which `is_before` is false. `is_before` must be false for all items
    /// after it, too.
    pub(super) fn search(&self, is_before: impl Fn(u32) -> bool) -> Place {
        let chunk = self.lasts.partition_point(|&last| is_before(last));
        let index = self.chunks.get(chunk).map_or(0, |items| items.partition_point(|&item| is_before(item)));
        Place { chunk, index }
    }

    /// Returns the item after a position, or `None` at the end of the sequence.
    pub(super) fn get(&self, place: Place) -> Option<u32> {
        self.chunks.get(place.chunk).and_then(|chunk| chunk.get(place.index)).copied()
    }

    /// Returns the item before a position, or `None` at the beginning of the sequence.
    pub(super) fn before(&self, place: Place) -> Option<u32> {
        match place.index.checked_sub(1) {
            Some(index) => self.chunks.get(place.chunk)?.get(index).copied(),
            None => self.chunks.get(place.chunk.checked_sub(1)?)?.last().copied(),
        }
    }

    /// Returns the position one item after a position.
    pub(super) fn after(&self, place: Place) -> Place {
        self.normal(Place { index: place.index + 1, ..place })
    }

    /// Returns an equal position that is not at the end of a chunk. For a position at the end of a chunk, this is the
    /// beginning of the next chunk. Returns any other position unchanged.
    fn normal(&self, place: Place) -> Place {
        match self.chunks.get(place.chunk) {
            Some(chunk) if place.index == chunk.len() => Place { chunk: place.chunk + 1, index: 0 },
            _ => place,
        }
    }

    /// Replaces the `count` items after a position by the items `with`. Returns the positions before and after the new
    /// items.
    pub(super) fn replace(&mut self, place: Place, count: usize, with: &[u32]) -> [Place; 2] {
        let after = place.index + count;
        let room = self.chunks.get_mut(place.chunk).and_then(|chunk| chunk.get_mut(place.index..after));
        if let Some(room) = room
            && count == with.len()
        {
            room.copy_from_slice(with);
            self.note_last(place.chunk);
            return [place, self.normal(Place { index: after, ..place })];
        }
        let place = self.remove(place, count);
        if with.is_empty() { [place; 2] } else { self.insert(place, with) }
    }

    /// Removes the `count` items after a position. Returns the position of the gap.
    fn remove(&mut self, mut place: Place, mut count: usize) -> Place {
        while count > 0 {
            let chunk = &mut self.chunks[place.chunk];
            let end = chunk.len().min(place.index + count);
            count -= end - place.index;
            chunk.drain(place.index..end);
            if chunk.is_empty() {
                self.chunks.remove(place.chunk);
                self.lasts.remove(place.chunk);
            } else {
                self.note_last(place.chunk);
            }
            place = self.normal(place);
        }
        place
    }

    /// Inserts items at a position. Returns the positions before and after them.
    fn insert(&mut self, mut place: Place, items: &[u32]) -> [Place; 2] {
        if place.index == 0 && place.chunk > 0 {
            place = Place { chunk: place.chunk - 1, index: self.chunks[place.chunk - 1].len() };
        } else if self.chunks.is_empty() {
            self.chunks.push(Vec::with_capacity(CHUNK));
            self.lasts.push(0);
        }
        let chunk = &mut self.chunks[place.chunk];
        chunk.splice(place.index..place.index, items.iter().copied());
        let (mut size, length) = (usize::MAX, chunk.len());
        if length > CHUNK {
            size = length.div_ceil(length.div_ceil(CHUNK));
            let rest = chunk.split_off(size);
            let pieces = || rest.chunks(size);
            let next = place.chunk + 1;
            self.lasts.splice(next..next, pieces().map(|piece| piece[piece.len() - 1]));
            self.chunks.splice(next..next, pieces().map(<[u32]>::to_vec));
        }
        self.note_last(place.chunk);
        [place.index, place.index + items.len()]
            .map(|index| self.normal(Place { chunk: place.chunk + index / size, index: index % size }))
    }

    /// Returns all items, from below to above.
    pub(super) fn items(&self) -> Vec<u32> {
        self.chunks.concat()
    }

    /// Updates the entry of a changed chunk in `lasts`.
    fn note_last(&mut self, chunk: usize) {
        if let Some(&last) = self.chunks[chunk].last() {
            self.lasts[chunk] = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::draw::Draw;

    #[test]
    fn places_are_right_as_chunks_grow_and_vanish() {
        let (mut status, mut plain, mut draw) = (Status::default(), Vec::<u32>::new(), Draw(1));
        let mut draw = |below: usize| draw.below(below as u64) as usize;
        for step in 0..40_000 {
            let at = draw(plain.len() + 1);
            let low = at.checked_sub(1).map_or(0, |before| plain[before]);
            let place = status.search(|item| at > 0 && item <= low);
            let count = draw(3).min(plain.len() - at) * usize::from(step > 9_000 || draw(3) == 0);
            let high = plain.get(at + count).copied().unwrap_or(u32::MAX);
            let many = if step < 20_000 { draw(4) } else { draw(2) } as u32;
            let many = if step % 5000 == 0 { 3 * CHUNK as u32 } else { many };
            let gap = (high - low) / (many + 1);
            let with: Vec<u32> = (1..=many).map(|k| low + k * gap).filter(|_| gap > 0).collect();
            let [first, end] = status.replace(place, count, &with);
            plain.splice(at..at + count, with.iter().copied());
            assert_eq!(status.get(first), plain.get(at).copied());
            assert_eq!(status.before(first), at.checked_sub(1).map(|k| plain[k]));
            assert_eq!(status.get(end), plain.get(at + with.len()).copied());
            assert_eq!(status.before(end), (at + with.len()).checked_sub(1).map(|k| plain[k]));
            if status.get(first).is_some() {
                assert_eq!(status.before(status.after(first)), status.get(first));
            }
            assert!(status.chunks.iter().all(|chunk| !chunk.is_empty() && chunk.len() <= CHUNK));
            assert!(status.chunks.iter().map(|chunk| chunk.last()).eq(status.lasts.iter().map(Some)));
        }
        assert_eq!(status.items(), plain);
    }
}
