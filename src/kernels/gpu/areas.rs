//! The area kernel. It decides relations as the relation kernel does, but leaves out pairs whose common area is certainly
//! below a threshold.
//!
//! # The common area
//!
//! Each edge that is not vertical is a line over a range of x. The *side* `s` of an edge is 1 if its polygon is below the
//! edge, and -1 if its polygon is above. The common area of A and B is
//!
//! ```text
//! sum over all edges i of A and j of B:  s_i s_j (integral of min(y_i, y_j) over the x of both edges)
//! ```
//!
//! where `y_i` and `y_j` are the heights of the two lines at x. Proof: at each x, a polygon is the sum over its edges of
//! `s` times the region below the edge, and the common part of the regions below two edges is the region below the lower
//! edge. The sum does not depend on the origin, because the sides of a polygon's edges at each x add up to 0.
//!
//! For the difference `d` of two heights, which goes from `d0` to `d1`, the mean of `min(d, 0)` is
//! `-(min(d0, 0) + min(d1, 0))^2 / (2 (|d0| + |d1|))`.
//!
//! # Bound
//!
//! Let `u` be [`ROUNDING`], `r` the lesser radius of the two polygons, and `R` a bound on the magnitude of all coordinates
//! relative to A's anchor. WGSL allows a quotient an error of `2.5 u`.
//!
//! - **Heights.** A slope has a relative error of `4.5 u`. The rise along an edge is at most `2 R`, so a height has an
//!   error of `15 u R`, and a difference of heights has an error of `32 u R`.
//! - **Means.** The mean of `min(d, 0)` changes by at most half the change of `d0` plus half the change of `d1`. Its own
//!   operations have a relative error of `8 u`, and its magnitude is at most `2 R`. With the mean of the two heights of one
//!   line, the error is at most `67 u R`.
//! - **Widths.** At each x there are two edges of A and two of B. Vertices that move by `e` ([packing](#packing)) may add
//!   edges at an x, over a width of `4 e` for each of the `n` vertices of a polygon. The widths of all pairs of edges add
//!   up to at most `8 r + 8 e (n_a + n_b) + 4 e n_a n_b`. The kernel decides a pair only if `128 e blocks_a blocks_b <= r`,
//!   and the sum of the widths is then less than `9 r`.
//! - **Sum.** The products of means and widths contribute `9 r 69 u R`. A sum of `m` vectors of four terms contributes
//!   `(m + 3) u 9 r R`, and there are four vectors for each pair of blocks. Both together are at most
//!   `(340 + 20 blocks_a blocks_b) u (2 r) R`.
//! - <a id="packing"></a>**Packing.** Each vertex is off by at most `e` in each coordinate.
//!   - An edge sweeps at most `e` times the sum of its extents in x and y, plus `2 e^2`. Within a box of side `2 r`, the
//!     extents of the edges of a convex polygon add up to at most `8 r`, so all edges sweep at most `8 e (r + blocks e)`.
//!   - A moved polygon is still closed, because the kernel uses the same value for the end of an edge and for the start of
//!     the next edge. The sum counts each point by the winding number of the polygon. For `n` vertices, it is less than
//!     `n / 2 <= 2 blocks`.
//!   - The area changes by at most the sweep of one polygon, plus the sweep of the other polygon times the winding number:
//!     `8 e (r + blocks e) (1 + 2 min(blocks_a, blocks_b))`. The code takes twice as much.
//! - **Vertical edges.** The slope of an edge with a width below `LEAST_WIDTH` may have any error. Its heights are off by
//!   at most `2 R`, over this width, for two edges of the other polygon.
//!
//! The area of one polygon is the sum over its edges of `s` times the area below the edge. Its error is at most
//! `(12 + 4 (blocks + 3)) u r^2`, plus the sweep of its edges. The code rounds both up.
//!
//! The test of broken shaders omits the term of vertical edges in one case, and all terms in another. The other terms are
//! not tested one by one: the terms for rounding and for packing grow equally, and either of them covers the errors that
//! occur. The bound on the area of one polygon, times the threshold, is much less than the bound on the common area. No pair
//! is known that needs `FLUSH` or the condition on `e`.
//!
//! The host computes areas with an error of less than 2^-44 of a box. The bound above is greater than the sum of its
//! terms by more than 2^-20 of the box of the smaller polygon, so a pair that the kernel drops is also below the
//! threshold by the host's area.

use super::relation_kernel::shader_with;
use super::{GpuNarrowPhase, Session};
use crate::answers::area::LeastAreas;
use crate::base::error::Result;
use crate::gpu::lanes::Lanes;
#[cfg(doc)]
use crate::packed::grid::ROUNDING;
use crate::packed::wgsl::wgsl;

/// A factor slightly below 1. It covers the rounding of the thresholds to f32, and of the products of the thresholds on
/// the device.
const ROUNDED_DOWN: f64 = 1.0 - 1.0 / (1 << 20) as f64;

/// Returns the WGSL source of the shader: the records, the shared geometry functions and the entry point. Rust adds the
/// constants later.
pub fn shader(lanes: Lanes) -> String {
    shader_with(wgsl!("area")[0], lanes)
}

/// Returns the two thresholds that the kernel reads, rounded down. The first is the least common area, in square
/// quanta. The second is the least ratio of the common area to the sum of the areas of the two polygons.
///
/// An intersection over union of at least `t` is a common area of at least `t / (1 + t)` times the sum of both areas.
pub(super) fn thresholds(least: LeastAreas, quantum: f64) -> [f32; 2] {
    let part = least.iou / (1.0 + least.iou);
    // The quantum is a power of two. Dividing twice avoids an overflow of its square.
    [least.area / quantum / quantum, part].map(|value| (value * ROUNDED_DOWN).min(f32::MAX.into()) as f32)
}

impl Session<'_> {
    /// Makes the kernel leave out pairs whose common area or intersection over union is certainly less than `least`. The
    /// session must use the area kernel. With `None`, the kernel leaves out no pairs.
    pub(crate) fn leave_out(&mut self, least: Option<LeastAreas>) {
        self.thresholds = least.map_or([0.0; 2], |least| thresholds(least, self.packed.grid.quantum));
    }
}

impl GpuNarrowPhase {
    /// Returns a backend on the same device that has the area kernel. The first call creates the kernel. Returns a
    /// device error if the device rejects the kernel.
    pub(crate) async fn for_areas(&self) -> Result<&Self> {
        if let Some(ready) = self.areas.get() {
            return Ok(ready);
        }
        let made = Self::on(self.device.clone(), &shader(Lanes::for_codes(&self.device))).await?;
        Ok(self.areas.get_or_init(|| Box::new(made)))
    }
}
