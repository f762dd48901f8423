//! Sorts the edges of a ring by height.

/// The edges of a ring in horizontal slabs. Each edge is listed in every slab that it meets.
pub(super) struct Slabs {
    /// The least height of the ring.
    bottom: f64,
    /// The number of slabs per unit of height.
    scale: f64,
    /// The start of each slab in `edges`, and, as the last entry, the length of `edges`.
    starts: Vec<u32>,
    /// The edges of each slab, slab after slab. An edge is named by the index of its first vertex.
    edges: Vec<u32>,
}

impl Slabs {
    /// Sorts the edges of a closed ring into slabs. The ring must lie between the heights `bottom` and `top`. The index
    /// of an edge is the index of its first vertex. The memory is proportional to the number of vertices.
    pub(super) fn new(ring: &[[f64; 2]], bottom: f64, top: f64) -> Self {
        /// The largest mean number of slabs per edge: the number of entries in `edges` is at most this number times the number
        /// of edges.
        const MOST_ENTRIES: usize = 8;
        let mut count = (ring.len() / 4).clamp(1, 1 << 16);
        loop {
            let mut slabs = Self {
                bottom,
                scale: count as f64 / (top - bottom),
                starts: vec![0; count + 1],
                edges: Vec::new(),
            };
            let ranges = (0..ring.len()).map(|edge| slabs.range(ring, edge));
            let entries: usize = ranges.map(|range| range.len()).sum();
            if entries > MOST_ENTRIES * ring.len() && count > 1 {
                count /= 2;
                continue;
            }
            for edge in 0..ring.len() {
                for slab in slabs.range(ring, edge) {
                    slabs.starts[slab] += 1;
                }
            }
            // At first, the entry of each slab is the end of the slab. Filling the slab moves the entry down to its
            // start.
            let mut end = 0;
            for start in &mut slabs.starts {
                end += *start;
                *start = end;
            }
            slabs.edges = vec![0; entries];
            for edge in 0..ring.len() {
                for slab in slabs.range(ring, edge) {
                    slabs.starts[slab] -= 1;
                    slabs.edges[slabs.starts[slab] as usize] = edge as u32;
                }
            }
            return slabs;
        }
    }

    /// Returns the edges in the slab that contains the height `y`. All edges that meet this height are among them.
    pub(super) fn at(&self, y: f64) -> &[u32] {
        let slab = self.slab(y);
        &self.edges[self.starts[slab] as usize..self.starts[slab + 1] as usize]
    }

    /// Returns the index of the slab of a height. The index does not decrease with the height.
    fn slab(&self, y: f64) -> usize {
        (((y - self.bottom) * self.scale) as usize).min(self.starts.len() - 2)
    }

    fn range(&self, ring: &[[f64; 2]], edge: usize) -> std::ops::Range<usize> {
        let next = if edge + 1 == ring.len() { 0 } else { edge + 1 };
        let [from, to] = [ring[edge][1], ring[next][1]];
        self.slab(from.min(to))..self.slab(from.max(to)) + 1
    }
}
