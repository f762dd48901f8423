//! The speed at which bodies bounce. The GPU twin is shaders/sim/restitution.wgsl.

use crate::simd::{Instructions, Lanes};

/// How bodies bounce at contact points, for eight contacts.
pub(super) struct Back<L> {
    /// The speed at which the bodies part.
    pub(super) speed: L,
    /// The distance by which the bodies must be moved together along the normal before they bounce. It is 0 if they bounce
    /// at their current positions.
    pub(super) way: L,
}

impl<L: Lanes> Back<L> {
    /// Computes the bounce of bodies that approach each other at the speed `-speed`. `fall` is half of the change of `speed` by
    /// gravity in a sub-step. `inverse_h` is 1 divided by the duration of a sub-step.
    ///
    /// The bodies first close their gap, then bounce with the restitution, and then move apart again. On the way to the
    /// bounce, gravity reduces the square of their speed by `4 gap fall inverse_h`, and on the way back it adds the
    /// same amount. If the bodies come back to their current positions, the result is the speed that they have there.
    /// If gravity stops them earlier, the bodies are moved together by the gap, and the result is the speed directly
    /// after the bounce.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn new<I: Instructions<Lanes = L>>(
        i: I,
        speed: L,
        fall: L,
        gap: L,
        restitution: L,
        inverse_h: f32,
    ) -> Self {
        let zero = i.splat(0.0);
        let gap = gap.max(zero);
        let taken = gap.mul(fall).mul(i.splat(4.0 * inverse_h));
        let square = speed.mul(speed).sub(taken).mul(restitution).mul(restitution);
        let square_here = square.add(taken);
        Self {
            speed: square_here.where_less(zero, square_here, square.max(zero)).sqrt(),
            way: zero.where_less(zero, square_here, gap),
        }
    }
}
