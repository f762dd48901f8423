//! The compiled pipelines of the kernels of a step.

use std::sync::{Arc, Mutex, PoisonError};

use super::kernels::Kernel;
use super::specs::Spec;
use crate::base::error::Result;
use crate::gpu::device::GpuDevice;

/// A kernel with its specification and its compiled pipeline.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) kernel: Kernel,
    pub(super) spec: Spec,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) pipeline: wgpu::ComputePipeline,
}

/// The compiled kernels of a world. Each kernel is compiled when it is first needed.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) all: Vec<Compiled>,
    /// The kernels that worlds on the same device have compiled.
    shared: Arc<Mutex<Vec<Compiled>>>,
    /// The number of invocations in a workgroup of the kernels that use barriers.
    group_lanes: u32,
    /// The fault that tests inject into shaders: the text to replace, and its replacement. `None` if there is no fault.
    #[cfg(test)]
    fault: Option<(&'static str, &'static str)>,
    /// The kernels without a fault that worlds on the same device have compiled. `None` if no fault was injected yet.
    #[cfg(test)]
    right: Option<Arc<Mutex<Vec<Compiled>>>>,
}

impl Kernels {
    /// Returns the number of invocations in a workgroup of the kernels that use barriers.
    pub(super) fn group_lanes(&self) -> u32 {
        self.group_lanes
    }

    pub(super) fn new(group_lanes: u32) -> Self {
        Self {
            all: Vec::new(),
            shared: Arc::default(),
            group_lanes,
            #[cfg(test)]
            fault: None,
            #[cfg(test)]
            right: None,
        }
    }

    /// Returns the kernels of a new world on the same device. The two worlds share every kernel that one of them compiles.
    pub(super) fn beside(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), ..Self::new(self.group_lanes) }
    }

    /// Adds the compiled kernels of other worlds, and removes these kernels from `missing`.
    fn add_shared(&mut self, missing: &mut Vec<Kernel>) {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        missing.retain(|&kernel| {
            let found = shared.iter().find(|compiled| compiled.kernel == kernel);
            self.all.extend(found.cloned());
            found.is_none()
        });
    }

    fn spec(&self, kernel: Kernel) -> Spec {
        let spec = kernel.spec(self.group_lanes);
        #[cfg(test)]
        if let Some((original, broken)) = self.fault {
            return Spec { source: spec.source.replace(original, broken), ..spec };
        }
        spec
    }

    /// Injects a fault into shaders, or removes it.
    #[cfg(test)]
    pub(super) fn set_fault(&mut self, fault: Option<(&'static str, &'static str)>) {
        self.fault = fault;
        let right = Arc::clone(self.right.get_or_insert_with(|| Arc::clone(&self.shared)));
        let mut all = std::mem::take(&mut self.all);
        let has_its_source = |compiled: &Compiled| compiled.spec.source == self.spec(compiled.kernel).source;
        all.retain(has_its_source);
        // The kernels with the fault are compiled again. Other worlds do not get them.
        let mut shared = right.lock().unwrap_or_else(PoisonError::into_inner).clone();
        shared.retain(has_its_source);
        (self.all, self.shared) = (all, Arc::new(Mutex::new(shared)));
    }

    /// Compiles the kernels of `needed` that are not compiled yet. Returns a device error if the device rejects a
    /// kernel.
    pub(super) async fn compile(
        &mut self,
        gpu: &GpuDevice,
        needed: impl Iterator<Item = Kernel>,
    ) -> Result<()> {
        let mut missing: Vec<Kernel> = Vec::new();
        for kernel in needed {
            if !missing.contains(&kernel) && self.all.iter().all(|compiled| compiled.kernel != kernel) {
                missing.push(kernel);
            }
        }
        self.add_shared(&mut missing);
        if missing.is_empty() {
            return Ok(());
        }
        let make = |kernel: Kernel| {
            let spec = self.spec(kernel);
            let (pipeline, layout) = gpu.compute_kernel(spec.label, spec.source.clone());
            Compiled { kernel, spec, layout, pipeline }
        };
        let made: Vec<Compiled> = gpu.checked(0, || missing.into_iter().map(make).collect()).await?;
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).extend(made.iter().cloned());
        self.all.extend(made);
        Ok(())
    }

    pub(super) fn index(&self, kernel: Kernel) -> usize {
        self.all.iter().position(|compiled| compiled.kernel == kernel).expect("a plan compiles its kernels")
    }
}

#[cfg(test)]
mod tests {
    use super::super::step_tests::{DT, circle};
    use super::Compiled;
    use crate::Backend;
    use crate::sim::{BodyOptions, World, WorldOptions};

    fn compiled(world: &World) -> &[Compiled] {
        &world.gpu.as_ref().unwrap().kernels.all
    }

    #[test]
    fn worlds_beside_each_other_share_kernels() {
        // Other tests compile the kernels of the worlds that they share.
        let mut first = World::on(WorldOptions::default(), Backend::Gpu).unwrap();
        let mut second = first.beside(WorldOptions::default()).unwrap();
        for world in [&mut first, &mut second] {
            let ball = circle(world, 0.5);
            world.add(&BodyOptions::dynamic(ball, [0.0, 0.0])).unwrap();
            world.step(DT).unwrap();
        }
        assert!(!compiled(&first).is_empty());
        assert_eq!(compiled(&first).len(), compiled(&second).len());
        for of_first in compiled(&first) {
            assert!(compiled(&second).iter().any(|of_second| of_first.pipeline == of_second.pipeline));
        }
    }
}
