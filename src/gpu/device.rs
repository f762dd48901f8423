//! A wgpu device with its limits. The module also converts device errors to errors of this library.

use std::sync::{Arc, Mutex};

use super::adapter;
use super::bindings::{Binding, declarations};
use super::patience::Watch;
use crate::base::error::{Error, Result};
use crate::packed::layout::{Block, Placement, Polygon, WORKGROUP_SIZE};

/// A wgpu device and its queue. Either the engine or the caller created them.
#[derive(Clone, Debug)]
pub struct GpuDevice {
    /// The wgpu device.
    pub device: wgpu::Device,
    /// The queue of the device.
    pub queue: wgpu::Queue,
    /// The limits of the device.
    pub limits: wgpu::Limits,
    /// The reason why the device was lost, or `None` if it is not lost.
    lost: Arc<Mutex<Option<String>>>,
    /// The progress of the device, and the limit on the time that a wait may take without progress.
    pub watch: Arc<Watch>,
}

impl GpuDevice {
    /// Requests a device with the highest limits of the adapter. Returns [`Error::Device`] if the adapter gives no
    /// device.
    pub(crate) async fn request(adapter: &wgpu::Adapter) -> Result<Self> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("sat2d"),
            required_limits: adapter.limits(),
            // Timestamps measure the kernel's own time. Subgroups allow faster variants of the shaders.
            required_features: adapter.features()
                & (wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP),
            ..Default::default()
        };
        let (device, queue) =
            adapter.request_device(&descriptor).await.map_err(|e| Error::Device { reason: one_line(&e) })?;
        let own = Self::of_caller(device, queue);
        let lost = Arc::clone(&own.lost);
        own.device.set_device_lost_callback(move |reason, message| {
            if let Ok(mut lost) = lost.lock() {
                *lost = Some(format!("{reason:?}: {message}"));
            }
        });
        Ok(own)
    }

    pub(crate) fn of_caller(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        Self { limits: device.limits(), device, queue, lost: Arc::default(), watch: Arc::default() }
    }

    /// Checks that the limits of the device are large enough for the smallest chunk of a join. Returns
    /// [`Error::DeviceLimit`] for the first limit that is too small.
    pub(crate) fn check_limits(&self) -> Result<()> {
        let l = &self.limits;
        let least_binding = 2 * size_of::<Block>().max(size_of::<Polygon>()).max(size_of::<Placement>());
        for (limit, available, needed) in [
            ("maxStorageBuffersPerShaderStage", u64::from(l.max_storage_buffers_per_shader_stage), 6),
            (
                "maxComputeInvocationsPerWorkgroup",
                l.max_compute_invocations_per_workgroup.into(),
                WORKGROUP_SIZE.into(),
            ),
            ("maxComputeWorkgroupSizeX", l.max_compute_workgroup_size_x.into(), WORKGROUP_SIZE.into()),
            (
                "maxComputeWorkgroupStorageSize",
                l.max_compute_workgroup_storage_size.into(),
                u64::from(WORKGROUP_SIZE) * 4,
            ),
            ("maxComputeWorkgroupsPerDimension", l.max_compute_workgroups_per_dimension.into(), 1),
            ("maxStorageBufferBindingSize", self.binding_bytes(), least_binding as u64),
        ] {
            if available < needed {
                return Err(Error::DeviceLimit { limit, available, needed });
            }
        }
        Ok(())
    }

    /// Returns true if the device is a GPU and not a software renderer.
    pub fn is_hardware(&self) -> bool {
        adapter::is_hardware(&self.device.adapter_info())
    }

    /// Returns true if the device can report when a compute pass began and ended.
    pub(crate) fn has_timestamps(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Returns true if shaders may use subgroups. The result is false in a browser, because a browser requires the directive
    /// `enable subgroups;`, which naga rejects.
    pub(crate) fn has_subgroups(&self) -> bool {
        self.device.features().contains(wgpu::Features::SUBGROUP)
            && self.device.adapter_info().backend != wgpu::Backend::BrowserWebGpu
    }

    /// Compiles WGSL. The compiled code has wgpu's run-time checks of indices and loops.
    pub fn shader_module(&self, label: &str, source: String) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        })
    }

    /// Creates a compute pipeline whose shader has one group of bindings. The entry point of the shader is `main`.
    pub fn compute_pipeline(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        module: &wgpu::ShaderModule,
    ) -> wgpu::ComputePipeline {
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &[Some(layout)],
            immediate_size: 0,
        });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: Some(&layout),
            module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Shaders write every word of workgroup memory before they read it.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        })
    }

    /// Compiles a shader with one group of bindings. Returns its pipeline, and the layout of the bindings.
    pub fn compute_kernel(
        &self,
        label: &str,
        source: String,
    ) -> (wgpu::ComputePipeline, wgpu::BindGroupLayout) {
        let layout = self.bind_group_layout(label, &source);
        (self.compute_pipeline(label, &layout, &self.shader_module(label, source)), layout)
    }

    /// Returns the layout of the bindings that the source of a shader declares.
    pub fn bind_group_layout(&self, label: &str, source: &str) -> wgpu::BindGroupLayout {
        let entries: Vec<_> = (0..)
            .zip(declarations(source))
            .map(|(binding, declared)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match declared.kind {
                        Binding::Uniform => wgpu::BufferBindingType::Uniform,
                        Binding::Input => wgpu::BufferBindingType::Storage { read_only: true },
                        Binding::Output => wgpu::BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
    }

    /// Creates a bind group. `buffers` are the buffers, or parts of buffers, for the bindings, in order.
    pub fn bind_group(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        buffers: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries };
        self.device.create_bind_group(&descriptor)
    }

    /// Returns the size of a dispatch with at least `count` invocations: the number of workgroups in a row, and the
    /// number of rows. A workgroup has `WORKGROUP_SIZE` invocations.
    pub fn groups(&self, count: u64) -> [u32; 2] {
        let groups = count.div_ceil(WORKGROUP_SIZE.into()) as u32;
        let groups_x = groups.min(self.limits.max_compute_workgroups_per_dimension).max(1);
        [groups_x, groups.div_ceil(groups_x)]
    }

    /// Returns the greatest number of bytes that one storage binding of a shader can hold.
    pub fn binding_bytes(&self) -> u64 {
        // Shaders compute byte offsets with 32 bits.
        const MOST: u64 = u32::MAX as u64 & !3;
        self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size).min(MOST)
    }

    /// Runs `work`, and waits for the errors that the device reports. Returns the result of `work`. If there are
    /// errors, returns one of them as a *device error*: [`Error::DeviceLost`], [`Error::OutOfDeviceMemory`] or
    /// [`Error::Device`]. Also returns [`Error::DeviceLost`] if the device is lost. `bytes` is the number of bytes that
    /// `work` may allocate, for the error message.
    pub fn checked<T>(&self, bytes: u64, work: impl FnOnce() -> T) -> impl Future<Output = Result<T>> {
        let scopes = self.open_scopes();
        let value = work();
        self.unless_failed(value, closed(scopes), bytes)
    }

    /// Returns the value, or the device error that [`GpuDevice::checked`] returns. This part is a function of its own,
    /// so that it is compiled once for each type of value, and not for each closure.
    async fn unless_failed<T>(
        &self,
        value: T,
        errors: [impl Future<Output = Option<wgpu::Error>>; 3],
        bytes: u64,
    ) -> Result<T> {
        self.none_of(errors, bytes).await?;
        Ok(value)
    }

    fn open_scopes(&self) -> [wgpu::ErrorScopeGuard; 3] {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        [
            self.device.push_error_scope(OutOfMemory),
            self.device.push_error_scope(Validation),
            self.device.push_error_scope(Internal),
        ]
    }

    /// Waits for the errors that the device reports. Returns one of them as a device error. If there is no error and
    /// the device is lost, returns [`Error::DeviceLost`].
    async fn none_of(
        &self,
        errors: [impl Future<Output = Option<wgpu::Error>>; 3],
        bytes: u64,
    ) -> Result<()> {
        let [a, b, c] = errors;
        let errors = [a.await, b.await, c.await];
        match (errors.into_iter().flatten().next(), self.lost_reason()) {
            (Some(error), _) => Err(self.error_of(&error, bytes)),
            (None, Some(reason)) => Err(Error::DeviceLost { reason }),
            (None, None) => Ok(()),
        }
    }

    /// Returns the reason why the device is lost, or `None` if it is not lost.
    pub(crate) fn lost_reason(&self) -> Option<String> {
        self.lost.lock().ok().and_then(|lost| lost.clone())
    }

    fn error_of(&self, error: &wgpu::Error, needed_bytes: u64) -> Error {
        if let Some(reason) = self.lost_reason() {
            return Error::DeviceLost { reason };
        }
        let reason = one_line(error);
        match error {
            wgpu::Error::OutOfMemory { .. } => Error::OutOfDeviceMemory { needed_bytes, reason },
            // Only the text distinguishes a destroyed or lost device from other errors.
            _ if reason.contains("lost") || reason.contains("destroyed") => Error::DeviceLost { reason },
            _ => Error::Device { reason },
        }
    }
}

/// Returns the messages of an error and of its causes in one line.
pub(crate) fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Closes nested error scopes, from the innermost to the outermost. Returns a future for each scope, in the given
/// order. A future yields the error that its scope has caught, or `None`.
fn closed([a, b, c]: [wgpu::ErrorScopeGuard; 3]) -> [impl Future<Output = Option<wgpu::Error>> + use<>; 3] {
    let (c, b, a) = (c.pop(), b.pop(), a.pop());
    [a, b, c]
}
