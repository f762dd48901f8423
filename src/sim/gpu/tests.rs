//! Compares the device with the CPU: the shaders with the Rust code, the candidate pairs, and whole steps.

use std::mem::offset_of;

use naga::{Module, TypeInner};

use super::kernels::Kernel;
use super::records::*;
use crate::gpu::bindings::{Binding, assert_declarations, declarations};
use crate::packed::layout::{FigureParams, ManifoldRecord};
use crate::sim::Solver;
use crate::sim::bodies::{BodyState, BodyTraits};

fn parsed(source: &str) -> Module {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    // The least capabilities that WebGPU guarantees.
    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    module
}

#[test]
fn shaders_have_the_bindings_that_they_are_given_and_no_more_than_webgpu_promises() {
    let both = [Kernel::all(Solver::Rigid), Kernel::all(Solver::Push)];
    let all = || both.iter().flatten().copied();
    let of = |lanes: u32| all().map(move |kernel| (kernel, kernel.spec(lanes)));
    for (kernel, spec) in of(GROUP_LANES).chain(of(SOFTWARE_GROUP_LANES)) {
        let module = parsed(&spec.source);
        assert_declarations(&spec.source, &module);
        let declared = declarations(&spec.source);
        assert_eq!(spec.bound.len(), declared.len(), "{kernel:?}");
        let storage = declared.iter().filter(|declared| declared.kind != Binding::Uniform).count();
        assert!(storage <= 8, "{kernel:?} has {storage} storage buffers");
    }
}

fn record(module: &Module, name: &str) -> (Vec<(String, usize, usize)>, usize) {
    let (_, ty) =
        module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect("the record exists");
    let TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    let size = |ty| module.types[ty].inner.size(module.to_ctx()) as usize;
    let members = members.iter().map(|m| (m.name.clone().unwrap(), m.offset as usize, size(m.ty)));
    (members.collect(), *span as usize)
}

macro_rules! assert_record {
    ($module:expr, $record:ident { $($field:ident),* }) => {{
        fn size_of_field<R, F>(_: fn(&R) -> &F) -> usize { size_of::<F>() }
        let (members, span) = record($module, stringify!($record));
        let expected: Vec<(String, usize, usize)> = vec![
            $((stringify!($field).into(), offset_of!($record, $field), size_of_field(|r: &$record| &r.$field))),*
        ];
        assert_eq!(members, expected, stringify!($record));
        assert_eq!(span, size_of::<$record>(), stringify!($record));
    }};
}

#[test]
fn records_have_the_same_fields_at_the_same_offsets() {
    let of = |kernel: Kernel| parsed(&kernel.spec(GROUP_LANES).source);
    let module = of(Kernel::Clear);
    assert_record!(
        &module,
        BodyState { anchor, offset, rotation, velocity, angular_velocity, preferred_velocity, padding }
    );
    assert_record!(
        &module,
        BodyTraits {
            inverse_mass,
            inverse_inertia,
            friction,
            restitution,
            linear_damping,
            angular_damping,
            preference,
            shape,
            layers,
            flags,
            extent
        }
    );
    assert_record!(&module, ShapeRecord { first_block, vertex_count, radius, padding });
    assert_record!(
        &module,
        StepParams {
            gravity,
            dt,
            h,
            inverse_h,
            push_out_speed,
            restitution_threshold,
            margin,
            quantum,
            per_quantum,
            body_count,
            bucket_mask,
            pair_capacity,
            contact_capacity,
            bounce_reach,
            pull,
            slop,
            aside,
            half_kick,
            fall,
            aside_share,
            deep,
            softness
        }
    );
    assert_record!(&module, MovingBody { velocity, angular_velocity, turning_time, displacement, turn });
    assert_record!(&module, ManifoldRecord { normal, separation, edge, points });
    assert_record!(&module, TouchRecord { bodies, normal, separation, point_count, kept, place, points });
    assert_record!(
        &module,
        KeptTouch { bodies, features, arms_a, normal_impulses, tangent_impulses, colour_and_moved, padding }
    );
    assert_record!(&module, FigureParams { pair_count, groups_x, b_offset, parameter, motion_offset });
}
