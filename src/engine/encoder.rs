//! Creates encoders that run the relation kernel in the caller's own command encoder.

use super::Engine;
use crate::base::error::{Error, Result};
use crate::geometry::PolygonSet;
use crate::kernels::gpu::encoder::RelationEncoder;

impl Engine {
    /// Uploads the polygons of two sets, and returns an encoder that records passes into the caller's command encoders.
    /// You can pass the same set twice. The first index of a pair is the index of a piece of `a`. The second index is
    /// the index of a piece of `b`. In a set of convex polygons, each object is one piece, and the piece has the index
    /// of the object.
    ///
    /// The caller's buffers must belong to the device of the engine, so create the engine with [`Engine::from_device`].
    ///
    /// # Errors
    /// - [`Error::Option`] if the engine runs on the CPU.
    /// - [`Error::DeviceLimit`] if the polygons do not fit in one buffer binding.
    /// - The errors of [`PolygonSet::check_pieces`].
    /// - [`Error::TooMany`] if the sets have too many items for 32-bit indices.
    /// - A device error, such as [`Error::OutOfDeviceMemory`].
    pub async fn encoder_for(&self, a: &PolygonSet, b: &PolygonSet) -> Result<RelationEncoder<'_>> {
        let Some(gpu) = &self.backends.gpu else {
            let problem = "needs an engine on a GPU; use `Engine::from_device`";
            return Err(Error::Option { option: "backend", value: "cpu".into(), problem });
        };
        RelationEncoder::new(gpu, a, b).await
    }
}
