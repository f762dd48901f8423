//! Selects how the invocations of a workgroup combine their results.

use super::device::GpuDevice;
use crate::packed::wgsl::text;

/// The way in which the invocations of a workgroup combine their results. It selects one of two variants of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// Uses workgroup memory and barriers, and runs on any device.
    Workgroup,
    /// Uses subgroup operations. They give the right result for every subgroup size, and are faster if a subgroup has
    /// 16 or more invocations.
    Subgroup,
}

impl Lanes {
    /// Returns all variants that run on the device, including a variant that [`Lanes::for_codes`] and
    /// [`Lanes::for_sums`] would not choose.
    #[cfg(all(test, feature = "scenes"))]
    pub(crate) fn all(gpu: &GpuDevice) -> Vec<Self> {
        if gpu.has_subgroups() { vec![Self::Workgroup, Self::Subgroup] } else { vec![Self::Workgroup] }
    }

    /// Returns the variant for shaders that pack codes into words. Chooses subgroups only if one subgroup can fill a
    /// word. Never chooses subgroups on a software adapter, because Mesa's adapter executes branches that no lane
    /// takes, and the subgroup variant has a costly branch.
    pub fn for_codes(gpu: &GpuDevice) -> Self {
        let least = gpu.device.adapter_info().subgroup_min_size;
        if gpu.has_subgroups() && gpu.is_hardware() && least >= crate::packed::layout::CODES_PER_WORD {
            Self::Subgroup
        } else {
            Self::Workgroup
        }
    }

    /// Returns the variant for shaders that add up the values of the invocations of a workgroup.
    pub(crate) fn for_sums(gpu: &GpuDevice) -> Self {
        if gpu.has_subgroups() { Self::Subgroup } else { Self::Workgroup }
    }

    /// Returns the WGSL code that computes the lane of an invocation.
    const fn lanes(self) -> &'static str {
        match self {
            Self::Workgroup => text!("/shaders/lanes_workgroup.wgsl"),
            Self::Subgroup => text!("/shaders/lanes_subgroup.wgsl"),
        }
    }

    /// Returns the WGSL code that packs the codes of several invocations into words.
    pub(crate) fn codes(self) -> String {
        let codes = match self {
            Self::Workgroup => text!("/shaders/codes_workgroup.wgsl"),
            Self::Subgroup => text!("/shaders/codes_subgroup.wgsl"),
        };
        self.lanes().to_string() + codes
    }

    /// Returns the WGSL code that adds up the values of the invocations of a workgroup.
    pub(crate) fn sums(self) -> String {
        let sums = match self {
            Self::Workgroup => text!("/shaders/sums_workgroup.wgsl"),
            Self::Subgroup => text!("/shaders/sums_subgroup.wgsl"),
        };
        self.lanes().to_string() + sums
    }
}
