//! The bindings that several kernels of a step share.

use Binding::{Input, Output, Uniform};

use super::kernels::Name;
use crate::gpu::device::Binding;

pub(super) const COLOURING: &[(Binding, Name)] =
    &[(Input, Name::Control), (Input, Name::Ends), (Output, Name::Colours), (Output, Name::BodyColours)];

pub(super) const LEFT_COLOURING: &[(Binding, Name)] = &[
    (Output, Name::Control),
    (Input, Name::Ends),
    (Output, Name::Colours),
    (Output, Name::BodyColours),
    (Output, Name::Order),
];

pub(super) const PREPARE: &[(Binding, Name)] = &[
    (Uniform, Name::Params),
    (Input, Name::Control),
    (Input, Name::Traits),
    (Output, Name::Touches),
    (Input, Name::Order),
    (Output, Name::Constraints),
    (Input, Name::Kept),
    (Output, Name::Totals),
];

/// The bindings of [`PREPARE`] without the last one, [`Name::Totals`]. The push solver does not need it, because it
/// keeps the total impulses in its constraints.
pub(super) const PUSH_PREPARE: &[(Binding, Name)] = PREPARE.split_at(PREPARE.len() - 1).0;

pub(super) const CONTACT: &[(Binding, Name)] = &[
    (Uniform, Name::Params),
    (Uniform, Name::Which),
    (Output, Name::Control),
    (Output, Name::Constraints),
    (Output, Name::Moving),
    (Output, Name::Totals),
];

pub(super) const PUSH_CONTACT: &[(Binding, Name)] = CONTACT.split_at(CONTACT.len() - 1).0;

pub(super) const KEEP: &[(Binding, Name)] = &[
    (Uniform, Name::Params),
    (Input, Name::Control),
    (Input, Name::Touches),
    (Input, Name::Colours),
    (Input, Name::Constraints),
    (Output, Name::Kept),
];
