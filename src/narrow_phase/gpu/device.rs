//! A device with its limits, and its errors as ours.

use std::sync::{Arc, Mutex};

use super::adapter;
use crate::error::{Error, Result};
use crate::layout::{Instance, Shape, WORKGROUP_SIZE};

/// A device and queue, the engine's own or the caller's.
#[derive(Debug)]
pub(crate) struct GpuDevice {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    /// Why the device was lost, once it is.
    lost: Arc<Mutex<Option<String>>>,
}

impl GpuDevice {
    /// A device with all that the adapter can give.
    pub(crate) async fn request(adapter: &wgpu::Adapter) -> Result<Self> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("sat2d"),
            required_limits: adapter.limits(),
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
        Self { limits: device.limits(), device, queue, lost: Arc::default() }
    }

    /// Refuses a device that cannot run the smallest chunk.
    pub(crate) fn check_limits(&self) -> Result<()> {
        let l = &self.limits;
        let least_binding =
            (3 * 2 * size_of::<[f32; 2]>()).max(2 * size_of::<Instance>()).max(2 * size_of::<Shape>());
        for (limit, available, needed) in [
            ("maxStorageBuffersPerShaderStage", u64::from(l.max_storage_buffers_per_shader_stage), 5),
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

    /// Whether this is a GPU rather than a program that plays one.
    pub(crate) fn is_hardware(&self) -> bool {
        adapter::is_hardware(&self.device.adapter_info())
    }

    /// The most bytes that one storage binding can hold.
    pub(crate) fn binding_bytes(&self) -> u64 {
        self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size)
    }

    /// Runs `work` and waits for what the device says of it. `bytes` is what it may allocate, for the message.
    pub(crate) async fn checked<T>(&self, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let (value, errors) = {
            // The guards end here: they are no part of what is awaited.
            let scopes =
                [OutOfMemory, Validation, Internal].map(|filter| self.device.push_error_scope(filter));
            let value = work();
            let [a, b, c] = scopes;
            let (c, b, a) = (c.pop(), b.pop(), a.pop());
            (value, (a, b, c))
        };
        let errors = [errors.0.await, errors.1.await, errors.2.await];
        match (errors.into_iter().flatten().next(), self.lost_reason()) {
            (Some(error), _) => Err(self.error_of(&error, bytes)),
            (None, Some(reason)) => Err(Error::DeviceLost { reason }),
            (None, None) => Ok(value),
        }
    }

    /// Why the device is lost, if it is.
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
            // A destroyed or lost device is told apart from a mistake only by the text.
            _ if reason.contains("lost") || reason.contains("destroyed") => Error::DeviceLost { reason },
            _ => Error::Device { reason },
        }
    }
}

/// An error and its causes in one line.
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
