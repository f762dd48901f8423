//! Readback of the data that the host requests from the device.

use bytemuck::{Pod, pod_collect_to_vec};

use super::kernels::Name;
use super::records::{ConstraintRecord, PushRecord, TouchRecord};
use super::{Counts, GpuWorld, Step};
use crate::error::Result;
use crate::grid::Grid;
use crate::sim::bodies::Bodies;
use crate::sim::cpu::{Touch, TouchPoint};
use crate::sim::shapes::Shapes;
use crate::sim::{Solver, WorldOptions};

impl GpuWorld {
    /// The states of all bodies, to the host.
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

    /// The touches of the last step, without those of bodies that are gone or elsewhere since.
    pub(in crate::sim) async fn touches(&self) -> Result<Vec<Touch>> {
        let found: Vec<TouchRecord> = self.read_some(Name::Touches, self.last.touches as usize).await?;
        let totals = self.totals(&found).await?;
        let mut touches: Vec<Touch> = found.iter().zip(totals).map(touch_of).collect();
        touches.retain(|touch| !touch.bodies.iter().any(|&body| self.is_elsewhere(body)));
        Ok(touches)
    }

    /// The impulses of all parts of the step at each point.
    async fn totals(&self, touches: &[TouchRecord]) -> Result<Vec<[f32; 2]>> {
        let count = touches.len();
        if self.solver == Solver::Rigid {
            let found: Vec<ConstraintRecord> = self.read_some(Name::Manifolds, count).await?;
            return Ok(found.iter().map(|record| record.points.map(|point| point.total_impulse)).collect());
        }
        let found: Vec<PushRecord> = self.read_some(Name::Manifolds, count).await?;
        let each = |(record, touch): (&PushRecord, &TouchRecord)| {
            [record.total * record.mass / touch.point_count as f32; 2]
        };
        Ok(found.iter().zip(touches).map(each).collect())
    }

    /// The candidate pairs of the last step, without bodies that are gone or elsewhere since, sorted.
    pub(in crate::sim) async fn pairs(&self) -> Result<Vec<[u32; 2]>> {
        let mut pairs: Vec<[u32; 2]> = self.read_some(Name::Pairs, self.last.pairs as usize).await?;
        pairs.retain(|pair| !pair.iter().any(|&body| self.is_elsewhere(body)));
        crate::sorting::sort_unstable(&mut pairs);
        Ok(pairs)
    }

    #[cfg(target_family = "wasm")]
    pub(in crate::sim) fn is_current(&self) -> bool {
        self.is_current && self.pending == 0
    }

    pub(in crate::sim) fn description(&self) -> String {
        crate::narrow_phase::gpu::adapter::describe(&self.gpu.device.adapter_info())
    }

    async fn read_some<T: Pod>(&self, name: Name, count: usize) -> Result<Vec<T>> {
        if count == 0 { Ok(Vec::new()) } else { self.read(name, count).await }
    }

    /// The first records of a buffer.
    pub(super) async fn read<T: Pod>(&self, name: Name, count: usize) -> Result<Vec<T>> {
        let size = (count * size_of::<T>()) as u64;
        let copy = |encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(self.buffers.get(name), 0, to, 0, size);
        };
        let bytes = self.gpu.read_back(size, copy).await?;
        Ok(pod_collect_to_vec(&bytes))
    }
}

fn touch_of((record, totals): (&TouchRecord, [f32; 2])) -> Touch {
    let points =
        [(record.points[0], totals[0]), (record.points[1], totals[1])].map(|(point, total_impulse)| {
            TouchPoint {
                total_impulse,
                arm_a: point.arm_a,
                arm_b: point.arm_b,
                separation: point.separation,
                feature: point.feature,
                normal_impulse: point.normal_impulse,
                tangent_impulse: point.tangent_impulse,
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
