//! Items that the crates `sat2d-io` and `sat2d-cli` use. They can change in any version.

use crate::Engine;
pub use crate::base::clock::Instant;
pub use crate::base::error::Number;
pub use crate::base::large_pages::ask_for_large_pages;
pub use crate::base::memory::{may_be_refused, try_reserve};
pub use crate::base::shown::{Shown, ShownValue, drives_terminals, escaped, shortened};
pub use crate::geometry::limits::{check_points, checked_distance};
pub use crate::geometry::predicates::orientation;
pub use crate::geometry::{Piece, RingParts, Rounded, SetParts, set_of_outlines};
pub use crate::kernels::cpu::exact::relation as exact_relation;
pub use crate::kernels::measurements::size_of_pair;
#[cfg(not(target_family = "wasm"))]
pub use crate::points::PointsWithin;
pub use crate::points::{PointCheck, PointDisagreement};
#[cfg(not(target_family = "wasm"))]
pub use crate::queries::near_check::{NearCheck, NearFault};
#[cfg(not(target_family = "wasm"))]
pub use crate::queries::outline_join::EdgePairs;
#[cfg(feature = "scenes")]
pub use crate::scenes::random::{Purpose, Random};

/// Creates an engine on the CPU. Its answers state `reason` as the reason for the choice of the backend.
#[must_use]
pub fn engine_on_cpu(reason: &str) -> Engine {
    Engine::cpu(reason)
}

/// Returns the objects of a set whose rings cross, in ascending order. The vertices of their pieces may be rounded.
#[must_use]
pub fn crossed_objects(set: &crate::PolygonSet) -> &[u32] {
    set.crossed_objects()
}

/// The records that kernels read.
#[cfg(feature = "gpu")]
pub mod packed {
    pub use crate::geometry::Pieces;
    pub use crate::packed::grid::Grid;
    pub use crate::packed::layout::{
        BITS_PER_CODE, Block, CODES_PER_WORD, DISJOINT, OVERLAPPING, Placement, Polygon, RelationParams,
        UNCERTAIN,
    };
    pub use crate::packed::pack::{Packed, Records};
    pub use crate::packed::wgsl::{shortened, shortened_length};
}

/// Parts of the GPU backend that benchmarks time one by one.
#[cfg(feature = "gpu")]
pub mod device {
    use crate::{Adapter, Engine, Result};

    pub use crate::gpu::adapter::{any, hardware};
    pub use crate::gpu::buffers::PolygonBuffers;
    pub use crate::gpu::device::GpuDevice;
    pub use crate::gpu::lanes::Lanes;
    pub use crate::gpu::timestamps::{TIMESTAMP_BYTES, Timestamps, ticks_of};
    pub use crate::kernels::gpu::GpuNarrowPhase;
    #[cfg(not(target_family = "wasm"))]
    pub use crate::kernels::gpu::areas::shader as area_shader;
    pub use crate::kernels::gpu::relation_kernel::{RelationKernel, Variant, shader};
    pub use crate::kernels::gpu::sorted::{Part, Sorted, Sorter};

    /// Returns the kernels on the device of an engine, or `None` if the engine has no device.
    #[must_use]
    pub fn of(engine: &Engine) -> Option<&GpuNarrowPhase> {
        engine.backends.gpu.as_ref()
    }

    /// Returns each adapter with an engine on it, or with an error if the adapter provides no device.
    pub async fn engines() -> Vec<(Adapter, Result<Engine>)> {
        Engine::on_every_adapter().await
    }
}
