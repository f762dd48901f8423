//! Sines, cosines, angles and lengths.
//!
//! In most builds, these functions call the standard library. A build for WebAssembly with worlds calls the package
//! `libm` instead, because the worlds use `libm`, too. On WebAssembly, the standard library has the same code and gives
//! the same results. The module that a browser loads therefore has each function only once.

#[cfg(all(target_family = "wasm", feature = "sim"))]
pub(crate) use libm::{acos, atan2, hypot, sincos as sin_cos};

#[cfg(not(all(target_family = "wasm", feature = "sim")))]
pub(crate) use std_functions::{acos, atan2, hypot, sin_cos};

#[cfg(not(all(target_family = "wasm", feature = "sim")))]
mod std_functions {
    /// Returns the sine and the cosine of an angle in radians.
    #[inline]
    pub(crate) fn sin_cos(angle: f64) -> (f64, f64) {
        angle.sin_cos()
    }

    /// Returns the angle of the vector (x, y) from the x axis, in radians.
    #[inline]
    pub(crate) fn atan2(y: f64, x: f64) -> f64 {
        y.atan2(x)
    }

    /// Returns the angle, from 0 to pi, whose cosine is `cosine`.
    #[inline]
    pub(crate) fn acos(cosine: f64) -> f64 {
        cosine.acos()
    }

    /// Returns the length of the vector (x, y).
    #[inline]
    pub(crate) fn hypot(x: f64, y: f64) -> f64 {
        x.hypot(y)
    }
}
