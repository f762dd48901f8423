//! Sines, cosines, angles and lengths.
//!
//! On WebAssembly, the functions of the standard library have the code and the results of the package `libm`, which worlds
//! use. There, all code uses `libm`, so that the module that a browser loads has each function once.

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
