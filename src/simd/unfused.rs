//! Vectors without fused operations: every product is rounded before an addition. The results have the same bits on
//! every machine, with or without fused instructions.

use super::{HalfRow, Instructions, LANES, Lanes, Row, Vectorised, vectorised};

/// The vector instructions of `I`, without fused operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfused<I>(I);

#[derive(Clone, Copy, Debug)]
pub(crate) struct UnfusedLanes<L>(L);

/// Runs the work with the instructions that [`vectorised`] selects, but without fused operations. The result has the
/// same bits for every instruction set.
#[inline]
pub(crate) fn vectorised_alike<V: Vectorised>(work: V) -> V::Output {
    #[cfg(test)]
    if only_plain() {
        return work.run(super::Plain::<false>);
    }
    // The vectors of WebAssembly have no fused operations.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return vectorised(work);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    vectorised(Alike(work))
}

struct Alike<V>(V);

impl<V: Vectorised> Vectorised for Alike<V> {
    type Output = V::Output;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> V::Output {
        self.0.run(Unfused(instructions))
    }
}

#[cfg(test)]
static PLAIN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

#[cfg(test)]
fn only_plain() -> bool {
    PLAIN.load(std::sync::atomic::Ordering::Relaxed)
}

/// Makes [`vectorised_alike`] use scalar code from now on if `plain` is set, or vectors otherwise. The results have
/// the same bits in both cases, so other tests may run at the same time.
#[cfg(all(test, feature = "scenes"))]
pub(crate) fn set_only_plain(plain: bool) {
    PLAIN.store(plain, std::sync::atomic::Ordering::Relaxed);
}

impl<I: Instructions> Instructions for Unfused<I> {
    type Lanes = UnfusedLanes<I::Lanes>;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::Lanes {
        UnfusedLanes(self.0.splat(x))
    }

    #[inline(always)]
    fn load(self, row: &[f32], start: usize) -> Self::Lanes {
        UnfusedLanes(self.0.load(row, start))
    }

    #[inline(always)]
    fn columns(self, rows: [&Row; LANES]) -> [Self::Lanes; LANES] {
        let [a, b, c, d, e, f, g, h] = self.0.columns(rows);
        [
            UnfusedLanes(a),
            UnfusedLanes(b),
            UnfusedLanes(c),
            UnfusedLanes(d),
            UnfusedLanes(e),
            UnfusedLanes(f),
            UnfusedLanes(g),
            UnfusedLanes(h),
        ]
    }

    #[inline(always)]
    fn half_columns(self, rows: [&HalfRow; LANES]) -> [Self::Lanes; 4] {
        let [a, b, c, d] = self.0.half_columns(rows);
        [UnfusedLanes(a), UnfusedLanes(b), UnfusedLanes(c), UnfusedLanes(d)]
    }

    #[inline(always)]
    fn half_rows(self, [a, b, c, d]: [Self::Lanes; 4]) -> [HalfRow; LANES] {
        self.0.half_rows([a.0, b.0, c.0, d.0])
    }

    #[inline(always)]
    fn splat_halves(self, lower: f32, upper: f32) -> Self::Lanes {
        UnfusedLanes(self.0.splat_halves(lower, upper))
    }

    #[inline(always)]
    fn load_halves(self, lower: &[f32], upper: &[f32], start: usize) -> Self::Lanes {
        UnfusedLanes(self.0.load_halves(lower, upper, start))
    }

    #[inline]
    fn apart<V: Vectorised>(self, part: V) -> V::Output {
        self.0.apart(Alike(part))
    }
}

/// Implements operations of [`UnfusedLanes`] by the same operations of the vectors that it contains.
macro_rules! as_lanes {
    ($(fn $name:ident($($other:ident),*);)*) => {
        $(
            #[inline(always)]
            fn $name(self, $($other: Self),*) -> Self {
                Self(self.0.$name($($other.0),*))
            }
        )*
    };
}

impl<L: Lanes> Lanes for UnfusedLanes<L> {
    as_lanes! {
        fn add(other);
        fn sub(other);
        fn mul(other);
        fn div(other);
        fn sqrt();
        fn abs();
        fn min(other);
        fn max(other);
        fn where_less(a, b, others);
        fn least();
        fn greatest();
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        self.mul(factor).add(addend)
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        self.0.any_above(other.0)
    }

    #[inline(always)]
    fn any_at_least(self, other: Self) -> bool {
        self.0.any_at_least(other.0)
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> u32 {
        self.0.at_least(other.0)
    }

    #[inline(always)]
    fn first(self) -> f32 {
        self.0.first()
    }

    #[inline(always)]
    fn of_half<const LANE: usize>(self) -> Self {
        Self(self.0.of_half::<LANE>())
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        self.0.to_array()
    }
}
