use glam::DVec2;

use super::{MAX_COORDINATE, MIN_COORDINATE};
use crate::base::angles;
use crate::base::error::{Error, Result};

/// The pose of an instance of a shape. A pose is a counter-clockwise rotation about the shape's origin, then a
/// translation.
///
/// The posed polygon is the image of the shape under the map from `v` to `(cos v.x - sin v.y + x, sin v.x + cos v.y +
/// y)`, in real numbers. The map is affine, so a convex polygon stays convex. The library decides relations on the
/// exact image, before any rounding to f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    cos: f64,
    sin: f64,
    translation: DVec2,
}

impl Pose {
    /// The identity: no rotation and no translation.
    pub const IDENTITY: Self = Self { cos: 1.0, sin: 0.0, translation: DVec2::ZERO };

    /// Returns a counter-clockwise rotation by `angle` radians, followed by a translation in the caller's unit. The
    /// mathematical library of the platform computes the cosine and the sine, so their last bits may differ between
    /// platforms. If the magnitude of the sine is below 2^-142, the function uses 0 instead. To choose the cosine and
    /// the sine yourself, use [`Pose::from_cos_sin`].
    ///
    /// # Errors
    /// Returns [`Error::Pose`] if a value is NaN or infinite, or if a translation is outside the accepted range of
    /// coordinates.
    ///
    /// ```
    /// use sat2d::Pose;
    /// assert!(Pose::new(0.5, [3.0, 4.0]).is_ok());
    /// assert!(Pose::new(f64::NAN, [3.0, 4.0]).is_err());
    /// ```
    pub fn new(angle: f64, translation: impl Into<DVec2>) -> Result<Self> {
        if !angle.is_finite() {
            return Err(pose_error("angle", angle, "is not finite"));
        }
        let (sin, cos) = angles::sin_cos(angle);
        let sin = if sin.abs() < MIN_COORDINATE { 0.0 } else { sin };
        Self::from_cos_sin(cos, sin, translation)
    }

    /// Returns a rotation with the given cosine and sine, followed by a translation. The image is computed from the
    /// cosine and the sine exactly as given.
    ///
    /// # Errors
    /// Fails in the same cases as [`Pose::new`]. Also returns [`Error::Pose`] if `cos² + sin²` differs from 1 by more than
    /// 1e-9, or if the cosine or the sine is not 0 and has a magnitude below 2^-142.
    pub fn from_cos_sin(cos: f64, sin: f64, translation: impl Into<DVec2>) -> Result<Self> {
        let translation = translation.into();
        let norm = cos * cos + sin * sin;
        // The range does not contain NaN, so a NaN `norm` is an error.
        if !(1.0 - 1e-9..=1.0 + 1e-9).contains(&norm) {
            return Err(pose_error("cos² + sin²", norm, "is not 1; normalise it"));
        }
        for (name, value) in [("cos", cos), ("sin", sin), ("x", translation.x), ("y", translation.y)] {
            if !value.is_finite() {
                return Err(pose_error(name, value, "is not finite"));
            }
            if value != 0.0 && !(MIN_COORDINATE..=MAX_COORDINATE).contains(&value.abs()) {
                return Err(pose_error(
                    name,
                    value,
                    "is neither 0 nor from 2^-142 to 2^201 in magnitude; rescale, or give 0",
                ));
            }
        }
        Ok(Self { cos, sin, translation })
    }

    /// Returns a translation without a rotation.
    ///
    /// # Errors
    /// Returns [`Error::Pose`] if the translation is NaN or infinite, or outside the accepted range of coordinates.
    pub fn from_translation(translation: impl Into<DVec2>) -> Result<Self> {
        Self::from_cos_sin(1.0, 0.0, translation)
    }

    /// Returns the cosine of the angle.
    #[must_use]
    pub fn cos(&self) -> f64 {
        self.cos
    }

    /// Returns the sine of the angle.
    #[must_use]
    pub fn sin(&self) -> f64 {
        self.sin
    }

    /// Returns the translation, in the caller's unit.
    #[must_use]
    pub fn translation(&self) -> DVec2 {
        self.translation
    }

    /// Returns the image of `v`, rounded to f64. The error in x is at most `2^-51 (|cos v.x| + |sin v.y| + |x|)`. The
    /// error in y is at most `2^-51 (|sin v.x| + |cos v.y| + |y|)`.
    #[must_use]
    pub fn apply(&self, v: DVec2) -> DVec2 {
        DVec2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y) + self.translation
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

fn pose_error(name: &'static str, value: f64, problem: &'static str) -> Error {
    Error::Pose { instance: 0, name, value, problem }
}
