//! Lists the adapters of the machine, and selects the adapter that the GPU backend uses.

use crate::base::error::{Error, Result};

/// A GPU adapter: a hardware GPU, or a software renderer that runs on the CPU. `sat2d info` lists the adapters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Adapter {
    /// Name of the adapter, from the driver.
    pub name: String,
    /// Name of the graphics interface: Vulkan, Metal, Dx12 or BrowserWebGpu.
    pub interface: String,
    /// Name and version of the driver.
    pub driver: String,
    /// Whether the adapter is a hardware GPU. An adapter of unknown kind counts as software. In a browser, an adapter
    /// counts as software only if the browser reports that it is.
    pub is_hardware: bool,
    /// The highest limits that the adapter supports.
    pub limits: wgpu::Limits,
}

/// Returns all adapters, in the order of preference of the GPU backend. Hardware adapters come first.
pub async fn adapters() -> Vec<Adapter> {
    described().await.into_iter().map(|(description, _)| description).collect()
}

/// Returns all adapters in the order of [`adapters`]. Each entry also has the wgpu adapter, from which devices are
/// created.
pub(crate) async fn described() -> Vec<(Adapter, wgpu::Adapter)> {
    let describe = |adapter: wgpu::Adapter| {
        let info = adapter.get_info();
        let description = Adapter {
            is_hardware: is_hardware(&info),
            interface: info.backend.to_string(),
            driver: driver_of(&info),
            name: info.name,
            limits: adapter.limits(),
        };
        (description, adapter)
    };
    let found = enumerate().await.into_iter().map(describe);
    let (mut found, software): (Vec<_>, Vec<_>) = found.partition(|(description, _)| description.is_hardware);
    found.extend(software);
    found
}

/// Returns the first hardware adapter, or `None` if there is no hardware adapter. Discrete GPUs come first, then
/// integrated GPUs, then virtual GPUs.
pub async fn hardware() -> Option<wgpu::Adapter> {
    preferred().await.filter(|adapter| is_hardware(&adapter.get_info()))
}

/// Returns a hardware adapter, or any adapter if there is no hardware adapter. Returns [`Error::NoAdapter`] if there
/// is no adapter.
pub async fn any() -> Result<wgpu::Adapter> {
    preferred().await.ok_or_else(|| Error::NoAdapter {
        reason: "no Vulkan, Metal, Direct3D 12 or WebGPU adapter was found".into(),
    })
}

async fn preferred() -> Option<wgpu::Adapter> {
    use wgpu::DeviceType::{DiscreteGpu, IntegratedGpu, VirtualGpu};
    // Among adapters of the same kind, the first adapter in the system's order wins.
    enumerate().await.into_iter().min_by_key(|adapter| match adapter.get_info().device_type {
        DiscreteGpu => 0,
        IntegratedGpu => 1,
        VirtualGpu => 2,
        _ => 3,
    })
}

async fn enumerate() -> Vec<wgpu::Adapter> {
    let backends = wgpu::Backends::PRIMARY;
    let descriptor = wgpu::InstanceDescriptor {
        backends,
        flags: flags(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(descriptor);
    let found = instance.enumerate_adapters(backends).await;
    // Compute shaders are the only required feature that an adapter may lack.
    found
        .into_iter()
        .filter(|a| a.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS))
        .collect()
}

/// Returns the flags for wgpu. In release builds, wgpu does not check indirect dispatches. Each check would add a dispatch
/// and two barriers. In a world of 10,000 bodies on a fast device, the checks take half of the time. The checks are not
/// needed, because every size of an indirect dispatch is within the limits of every device. Each size is 0, or a result of
/// `groups_of` in a shader of this crate, or a copy of such a size.
fn flags() -> wgpu::InstanceFlags {
    let flags = wgpu::InstanceFlags::default();
    if cfg!(debug_assertions) { flags } else { flags - wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL }
}

pub(crate) fn is_hardware(info: &wgpu::AdapterInfo) -> bool {
    use wgpu::DeviceType::{DiscreteGpu, IntegratedGpu, Other, VirtualGpu};
    match info.device_type {
        DiscreteGpu | IntegratedGpu | VirtualGpu => true,
        // A browser reports only whether an adapter is software.
        Other => info.backend == wgpu::Backend::BrowserWebGpu,
        wgpu::DeviceType::Cpu => false,
    }
}

fn driver_of(info: &wgpu::AdapterInfo) -> String {
    format!("{} {}", info.driver, info.driver_info).trim().to_string()
}

/// Returns the name, the interface, the driver and the kind of an adapter in one line.
pub(crate) fn describe(info: &wgpu::AdapterInfo) -> String {
    let kind = if is_hardware(info) { "hardware" } else { "software" };
    format!("{} ({}, {}, {kind})", info.name, info.backend, driver_of(info))
}
