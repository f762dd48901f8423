//! Specifications of the kernels that compute prefix sums (scans).

use Binding::{Input, Output, Uniform};

use super::kernels::{Name, Pass, Scanned};
use super::specs::{Spec, source};
use crate::gpu::device::Binding;
use crate::packed::wgsl::wgsl;

/// Returns the specification of the kernel that runs one pass of a scan.
pub(super) fn scan_spec(scanned: Scanned, pass: Pass, group_lanes: u32) -> Spec {
    use Name::{BodyCount, BucketCount, Buckets, FigureParams, PairStarts, Sums, TouchStarts};
    let (label, files) = match pass {
        Pass::Reduce => ("sat2d scan: reduce", wgsl!("sim/scan", "sim/scan_reduce")),
        Pass::Sums => ("sat2d scan: sums", wgsl!("sim/scan", "sim/scan_sums")),
        Pass::Values => ("sat2d scan: values", wgsl!("sim/scan", "sim/scan_values")),
    };
    let bindings: &'static [(Binding, Name)] = match (scanned, pass) {
        (Scanned::Buckets, Pass::Reduce) => &[(Uniform, BucketCount), (Input, Buckets), (Output, Sums)],
        (Scanned::Buckets, Pass::Sums) => &[(Uniform, BucketCount), (Output, Sums)],
        (Scanned::Buckets, Pass::Values) => &[(Uniform, BucketCount), (Input, Sums), (Output, Buckets)],
        (Scanned::PairStarts, Pass::Reduce) => &[(Uniform, BodyCount), (Input, PairStarts), (Output, Sums)],
        (Scanned::PairStarts, Pass::Sums) => &[(Uniform, BodyCount), (Output, Sums)],
        (Scanned::PairStarts, Pass::Values) => &[(Uniform, BodyCount), (Input, Sums), (Output, PairStarts)],
        // The manifold kernel's parameters begin with the number of pairs, which this scan needs.
        (Scanned::TouchStarts, Pass::Reduce) => {
            &[(Uniform, FigureParams), (Input, TouchStarts), (Output, Sums)]
        }
        (Scanned::TouchStarts, Pass::Sums) => &[(Uniform, FigureParams), (Output, Sums)],
        (Scanned::TouchStarts, Pass::Values) => {
            &[(Uniform, FigureParams), (Input, Sums), (Output, TouchStarts)]
        }
    };
    Spec { label, source: source("", files, group_lanes), bindings }
}
