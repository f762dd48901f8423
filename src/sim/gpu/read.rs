//! Reads back the data that the host requests from the device.

use bytemuck::{Pod, pod_collect_to_vec};

use super::kernels::Name;
use super::records::{PLANE_BYTES, TouchRecord, push_planes, rigid_planes};
use super::{Counts, GpuWorld, Step};
use crate::base::error::Result;
use crate::packed::grid::Grid;
use crate::sim::bodies::Bodies;
use crate::sim::cpu::{Touch, TouchPoint};
use crate::sim::shapes::Shapes;
use crate::sim::{Solver, WorldOptions};

impl GpuWorld {
    /// Settles the recorded steps. If the host's states are then outdated, copies the states of all bodies to the host. Returns
    /// the errors of [`GpuWorld::settle`], or a device error.
    pub(in crate::sim) async fn sync(
        &mut self,
        bodies: &mut Bodies,
        shapes: &Shapes,
        grid: &Grid,
        options: &WorldOptions,
    ) -> Result<Counts> {
        let step = Step { bodies, shapes, grid, options, dt: 0.0 };
        let counts = self.settle(step).await?;
        if !self.is_current {
            self.flush(step).await?;
            bodies.states = self.read(Name::States, bodies.states.len()).await?;
            self.is_current = true;
        }
        Ok(counts)
    }

    /// Reads back the touches of the last step. Leaves out the touches of bodies that were removed or moved after this
    /// step. Returns a device error if the device fails.
    pub(in crate::sim) async fn touches(&self) -> Result<Vec<Touch>> {
        let found: Vec<TouchRecord> = self.read_some(Name::Touches, self.last.touches as usize).await?;
        let impulses = self.impulses(&found).await?;
        let mut touches: Vec<Touch> = found.iter().zip(impulses).map(touch_of).collect();
        touches.retain(|touch| !touch.bodies.iter().any(|&body| self.is_elsewhere(body)));
        Ok(touches)
    }

    /// Reads back the impulses of the last step at the two points of each touch. Returns a device error if the device
    /// fails.
    async fn impulses(&self, touches: &[TouchRecord]) -> Result<Vec<[Impulses; 2]>> {
        let count = touches.len();
        if self.solver == Solver::Rigid {
            let impulses = self.plane(rigid_planes::IMPULSES, count).await?;
            let totals: Vec<[f32; 2]> = self.read_some(Name::Totals, count).await?;
            let of = |touch: &TouchRecord| {
                let (found, totals) = (impulses[touch.place as usize], totals[touch.place as usize]);
                [0, 1].map(|at| Impulses {
                    normal: found[2 * at],
                    tangent: found[2 * at + 1],
                    total: totals[at],
                })
            };
            return Ok(touches.iter().map(of).collect());
        }
        let surfaces = self.plane(push_planes::SURFACE, count).await?;
        let pushes = self.plane(push_planes::PUSHES, count).await?;
        let of = |touch: &TouchRecord| {
            let (mass, pushes) = (surfaces[touch.place as usize][2], pushes[touch.place as usize]);
            let [normal, tangent, total, _] = pushes.map(|push| push * mass / touch.point_count as f32);
            let each = Impulses { normal, tangent, total };
            [each, if touch.point_count == 2 { each } else { Impulses::default() }]
        };
        Ok(touches.iter().map(of).collect())
    }

    /// Reads back the first `count` entries of one plane of the buffer of constraints, as the last step left it. The
    /// entries are in the order of colours. [`super::records::rigid_planes`] names the planes. Returns a device error
    /// if the device fails.
    async fn plane(&self, plane: u32, count: usize) -> Result<Vec<[f32; 4]>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let start = PLANE_BYTES * u64::from(plane) * u64::from(self.plane_length);
        self.read_from(Name::Constraints, start, count).await
    }

    /// Reads back the candidate pairs of the last step in sorted order. Leaves out the pairs of bodies that were
    /// removed or moved after this step. Returns a device error if the device fails.
    pub(in crate::sim) async fn pairs(&self) -> Result<Vec<[u32; 2]>> {
        let mut pairs: Vec<[u32; 2]> = self.read_some(Name::Pairs, self.last.pairs as usize).await?;
        pairs.retain(|pair| !pair.iter().any(|&body| self.is_elsewhere(body)));
        crate::base::sorting::sort_unstable(&mut pairs);
        Ok(pairs)
    }

    #[cfg(target_family = "wasm")]
    pub(in crate::sim) fn is_current(&self) -> bool {
        self.is_current && self.pending == 0
    }

    pub(in crate::sim) fn description(&self) -> String {
        crate::gpu::adapter::describe(&self.gpu.device.adapter_info())
    }

    async fn read_some<T: Pod>(&self, name: Name, count: usize) -> Result<Vec<T>> {
        if count == 0 { Ok(Vec::new()) } else { self.read(name, count).await }
    }

    /// Reads back the first `count` records of a buffer. Returns a device error if the device fails.
    pub(super) async fn read<T: Pod>(&self, name: Name, count: usize) -> Result<Vec<T>> {
        self.read_from(name, 0, count).await
    }

    /// Reads back `count` records of a buffer, which begin at byte `start`. Returns a device error if the device
    /// fails.
    async fn read_from<T: Pod>(&self, name: Name, start: u64, count: usize) -> Result<Vec<T>> {
        let size = (count * size_of::<T>()) as u64;
        let copy = |encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(self.buffers.get(name), start, to, 0, size);
        };
        let bytes = self.gpu.read_back(size, copy).await?;
        Ok(pod_collect_to_vec(&bytes))
    }
}

/// The impulses of the last step at a point of a touch. The first two are the impulses along the normal and along the
/// tangent in the last sub-step. The third is the sum of the impulses along the normal over all sub-steps and bounces.
#[derive(Clone, Copy, Default)]
struct Impulses {
    normal: f32,
    tangent: f32,
    total: f32,
}

fn touch_of((record, impulses): (&TouchRecord, [Impulses; 2])) -> Touch {
    let points = [0, 1].map(|at| {
        let (point, impulses) = (record.points[at], impulses[at]);
        TouchPoint {
            arm_a: point.arm_a,
            arm_b: point.arm_b,
            separation: point.separation,
            feature: point.feature,
            normal_impulse: impulses.normal,
            tangent_impulse: impulses.tangent,
            total_impulse: impulses.total,
        }
    });
    Touch {
        bodies: record.bodies,
        normal: record.normal,
        separation: record.separation,
        point_count: record.point_count,
        points,
    }
}
