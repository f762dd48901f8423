//! The buffers of a world on a device.

use std::collections::HashMap;

use super::kernels::Name;
use super::records::{self, lists};
use crate::base::error::{Error, Result};
use crate::gpu::device::GpuDevice;
use crate::packed::layout::{Block, FigureParams, ManifoldRecord, Placement, Polygon};
use crate::sim::bodies::{BodyState, BodyTraits};

/// The distance in bytes between the parameters of two consecutive spans of colours in [`Name::Which`]. It is the
/// greatest alignment that a device may require.
const WHICH_STRIDE: u64 = 256;

/// The numbers of bodies, shapes and other items for which the buffers of a world have room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) bodies: u32,
    pub(super) shapes: u32,
    pub(super) blocks: u32,
    /// The number of words of [`Name::Seams`].
    pub(super) seams: u32,
    pub(super) pairs: u32,
    pub(super) touches: u32,
}

impl Capacity {
    /// Returns the greatest number of pairs and the greatest number of touches whose buffers still fit in a binding of
    /// the device. All other numbers of the result are 0.
    pub(super) fn most(gpu: &GpuDevice) -> Self {
        let most = |bytes: usize| (gpu.binding_bytes() / bytes as u64).min(i32::MAX as u64) as u32;
        Self {
            pairs: most(size_of::<ManifoldRecord>()),
            touches: most(size_of::<records::TouchRecord>().max(records::CONSTRAINT_BYTES as usize)),
            ..Self::default()
        }
    }

    /// Returns the number of buckets of the grid's hash table: a power of two, at least twice the number of bodies.
    pub(super) fn buckets(self) -> u32 {
        (2 * u64::from(self.bodies)).next_power_of_two().clamp(64, 1 << 31) as u32
    }

    /// Returns the size of a buffer in bytes. A buffer may hold several kinds of data ([`Name::held_in`]), and the
    /// largest of them determines the size.
    fn buffer_bytes(self, name: Name) -> u64 {
        let held = ALL.into_iter().filter(|held| held.held_in() == name);
        // A binding must hold at least one record.
        held.map(|held| self.bytes(held)).fold(256, u64::max)
    }

    fn bytes(self, name: Name) -> u64 {
        let [bodies, pairs, touches] =
            [u64::from(self.bodies), u64::from(self.pairs), u64::from(self.touches)];
        let scanned = u64::from(self.buckets()).max(bodies).max(pairs) + 1;
        match name {
            Name::Params => size_of::<records::StepParams>() as u64,
            Name::BucketCount | Name::BodyCount => 16,
            Name::Which => WHICH_STRIDE * records::SPANS.len() as u64,
            Name::FigureParams => size_of::<FigureParams>() as u64,
            Name::Control => 4 * u64::from(records::control::WORDS),
            Name::Lists => 16 * u64::from(lists::COUNT),
            Name::Shapes => size_of::<records::ShapeRecord>() as u64 * u64::from(self.shapes),
            Name::Blocks => size_of::<Block>() as u64 * u64::from(self.blocks),
            Name::Seams => 4 * u64::from(self.seams),
            Name::States => size_of::<BodyState>() as u64 * bodies,
            Name::Traits => size_of::<BodyTraits>() as u64 * bodies,
            Name::Polygons => size_of::<Polygon>() as u64 * bodies,
            Name::Placements => size_of::<Placement>() as u64 * bodies,
            Name::Boxes | Name::CellBoxes | Name::BodyColours => 16 * bodies,
            Name::Moving => size_of::<records::MovingBody>() as u64 * bodies,
            Name::CellBodies => 4 * bodies,
            Name::Buckets => 4 * (u64::from(self.buckets()) + 1),
            // The starts of all bodies, followed by the list of the bodies that own many pairs.
            Name::PairStarts => 4 * (2 * bodies + 1),
            Name::KeptStarts => 4 * (bodies + 1),
            Name::Sums => 4 * scanned.div_ceil(u64::from(records::SCAN_LENGTH)),
            Name::Pairs => 8 * pairs,
            Name::Followed => 16 * (pairs + 1),
            Name::TouchStarts => 4 * (pairs + 1),
            Name::Manifolds => size_of::<ManifoldRecord>() as u64 * pairs,
            Name::Constraints => records::CONSTRAINT_BYTES * touches,
            Name::Touches => size_of::<records::TouchRecord>() as u64 * touches,
            Name::Kept => size_of::<records::KeptTouch>() as u64 * touches,
            Name::Ends | Name::Totals => 8 * touches,
            Name::Colours | Name::Order => 4 * touches,
        }
    }
}

pub(super) const ALL: [Name; 34] = {
    use Name::*;
    [
        Params,
        BucketCount,
        BodyCount,
        Which,
        FigureParams,
        Control,
        Lists,
        Shapes,
        Blocks,
        Seams,
        States,
        Traits,
        Polygons,
        Placements,
        Boxes,
        Buckets,
        CellBoxes,
        CellBodies,
        PairStarts,
        Moving,
        BodyColours,
        KeptStarts,
        Sums,
        Pairs,
        TouchStarts,
        Manifolds,
        Constraints,
        Touches,
        Followed,
        Kept,
        Ends,
        Totals,
        Colours,
        Order,
    ]
};

/// Iterates over the names that have a buffer of their own. The other names share these buffers.
fn buffers() -> impl Iterator<Item = Name> {
    ALL.into_iter().filter(|name| name.held_in() == *name)
}

/// The buffers whose contents are needed after the step that wrote them. Among them is the buffer that holds
/// [`Name::Totals`], because the host reads the total impulses after the step.
const PERSISTENT: [Name; 5] =
    [Name::Control, Name::States, Name::KeptStarts, Name::Kept, Name::Totals.held_in()];

/// The buffers of a world, by name.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) capacity: Capacity,
    all: HashMap<Name, wgpu::Buffer>,
}

impl Buffers {
    pub(super) fn get(&self, name: Name) -> &wgpu::Buffer {
        &self.all[&name.held_in()]
    }

    /// Returns the total size of all buffers of the world in bytes.
    pub(super) fn total_bytes(&self) -> u64 {
        self.all.values().map(wgpu::Buffer::size).sum()
    }

    /// Makes room for at least this capacity. A buffer that is too small is replaced: the new buffer gets the contents
    /// of the old one if they are needed after a step, and otherwise the contents are lost. Returns true if any buffer
    /// was replaced. Returns [`Error::DeviceLimit`] if a buffer would not fit in a binding, or another device error.
    pub(super) async fn reserve(&mut self, gpu: &GpuDevice, capacity: Capacity) -> Result<bool> {
        let old = self.capacity;
        let capacity = Capacity {
            bodies: capacity.bodies.max(old.bodies),
            shapes: capacity.shapes.max(old.shapes),
            blocks: capacity.blocks.max(old.blocks),
            seams: capacity.seams.max(old.seams),
            pairs: capacity.pairs.max(old.pairs),
            touches: capacity.touches.max(old.touches),
        };
        let is_small = |name: &Name| {
            self.all.get(name).is_none_or(|buffer| buffer.size() < capacity.buffer_bytes(*name))
        };
        let small: Vec<Name> = buffers().filter(is_small).collect();
        let available = gpu.binding_bytes();
        let mut sizes = small.iter().map(|name| capacity.buffer_bytes(*name));
        if let Some(needed) = sizes.find(|&bytes| bytes > available) {
            return Err(Error::DeviceLimit { limit: "maxStorageBufferBindingSize", available, needed });
        }
        for &name in &small {
            if !PERSISTENT.contains(&name) {
                // Drops the old buffer first, so that both buffers are never in memory at once.
                self.all.remove(&name);
            }
            let size = capacity.buffer_bytes(name);
            let descriptor = wgpu::BufferDescriptor {
                label: Some("sat2d world"),
                size,
                usage: usage_of(name),
                mapped_at_creation: false,
            };
            let buffer = gpu.checked(size, || gpu.device.create_buffer(&descriptor)).await?;
            if let Some(old) = self.all.remove(&name) {
                gpu.checked(0, || {
                    let mut encoder =
                        gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                    encoder.copy_buffer_to_buffer(&old, 0, &buffer, 0, old.size());
                    gpu.submit(encoder);
                })
                .await?;
            } else if name == Name::Which {
                for (offset, span) in (0..).step_by(WHICH_STRIDE as usize).zip(&records::SPANS) {
                    gpu.queue.write_buffer(&buffer, offset, bytemuck::bytes_of(span));
                }
            }
            self.all.insert(name, buffer);
        }
        self.capacity = capacity;
        Ok(!small.is_empty())
    }

    pub(super) fn bound(&self, name: Name, span: u32) -> wgpu::BindingResource<'_> {
        if name != Name::Which {
            return self.get(name).as_entire_binding();
        }
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.get(name),
            offset: WHICH_STRIDE * u64::from(span),
            size: std::num::NonZeroU64::new(WHICH_STRIDE),
        })
    }
}

fn usage_of(name: Name) -> wgpu::BufferUsages {
    use wgpu::BufferUsages as Usage;
    match name {
        Name::Params | Name::BucketCount | Name::BodyCount | Name::Which => Usage::UNIFORM | Usage::COPY_DST,
        Name::FigureParams => Usage::UNIFORM | Usage::STORAGE,
        Name::Lists => Usage::STORAGE | Usage::INDIRECT,
        Name::States => Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC | Usage::VERTEX,
        Name::Kept
        | Name::KeptStarts
        | Name::Control
        | Name::Polygons
        | Name::Traits
        | Name::Shapes
        | Name::Blocks
        | Name::Seams => Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
        _ => Usage::STORAGE | Usage::COPY_SRC,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_bodies_of_six_contacts_each_take_less_than_a_kilobyte_each() {
        let bodies = 1_000_000;
        // The capacity includes some spare room.
        let capacity = Capacity {
            bodies,
            shapes: 100,
            blocks: 200,
            seams: 0,
            pairs: 4 * bodies,
            touches: 16 * bodies / 5,
        };
        let bytes: u64 = buffers().map(|name| capacity.buffer_bytes(name)).sum();
        assert!(bytes / u64::from(bodies) < 1024, "{} bytes a body", bytes / u64::from(bodies));
    }
}
