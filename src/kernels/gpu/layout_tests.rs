//! Compares the shipped shaders with the Rust code: records, constants, bindings and workgroup size.

use std::mem::offset_of;

use naga::{AddressSpace, Literal, Module, ShaderStage, TypeInner};

use super::relation_kernel::{Variant, shader};
use super::{areas, containment, figures, hits_kernel, points_kernel};
use crate::gpu::bindings::assert_declarations;
use crate::gpu::lanes::Lanes;
use crate::kernels::cpu::filter;
use crate::kernels::impacts::TimesOfImpact;
use crate::kernels::measurements::{SoleEdges, WorldManifolds};
use crate::packed::grid::ROUNDING;
use crate::packed::layout::{
    self, Block, ContactRecord, EdgeRecord, FigureParams, HitsParams, ImpactRecord, ManifoldRecord,
    MotionRecord, Placement, PointCandidate, PointParams, Polygon, RelationParams,
};

fn modules() -> impl Iterator<Item = Module> {
    let shaders = |lanes| [shader(lanes), areas::shader(lanes)].map(|shader| (shader, lanes));
    BOTH.into_iter().flat_map(shaders).flat_map(|(shader, lanes)| {
        Variant::all().map(move |variant| parsed(&variant.source(&shader), lanes))
    })
}

const BOTH: [Lanes; 2] = [Lanes::Workgroup, Lanes::Subgroup];

fn point_modules() -> [Module; 2] {
    let source = |posed| points_kernel::source(&points_kernel::shader(), posed);
    [parsed(&source(false), Lanes::Workgroup), parsed(&source(true), Lanes::Workgroup)]
}

fn containment_modules() -> impl Iterator<Item = Module> {
    Variant::all().map(|variant| parsed(&variant.source(&containment::shader()), Lanes::Workgroup))
}

fn parsed(source: &str, lanes: Lanes) -> Module {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    // The least capabilities that WebGPU guarantees, plus subgroups for the shaders that use them.
    let capabilities = match lanes {
        Lanes::Workgroup => naga::valid::Capabilities::empty(),
        Lanes::Subgroup => naga::valid::Capabilities::SUBGROUP,
    };
    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(naga::valid::SubgroupOperationSet::all())
        .validate(&module)
        .expect("the shader is valid on the WebGPU floor");
    assert_declarations(source, &module);
    module
}

/// Returns the members of a WGSL record (the name, the offset and the size of each), and the size of the record.
fn record(module: &Module, name: &str) -> (Vec<(String, usize, usize)>, usize) {
    let (_, ty) =
        module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect("the record exists");
    let TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    let members = members
        .iter()
        .map(|m| {
            let size = module.types[m.ty].inner.size(module.to_ctx());
            (m.name.clone().expect("members have names"), m.offset as usize, size as usize)
        })
        .collect();
    (members, *span as usize)
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
    for module in modules() {
        assert_record!(&module, Block { x, y });
        assert_record!(&module, Polygon { anchor, first_block, bounds });
        assert_record!(&module, Placement { offset, rotation });
        assert_record!(
            &module,
            RelationParams { first_pair, end_pair, groups_x, b_offset, most_turns, least_area, least_part }
        );
        assert_record!(&module, PointCandidate { offset, error, polygon });
        assert_record!(&module, PointParams { candidate_count, groups_x });
        assert_record!(&module, HitsParams { word_count, groups_x, group_count, capacity });
    }
}

macro_rules! assert_figure {
    ($figure:ty, $record:ident { $($field:ident),* }) => {
        for posed in [false, true] {
            let module = parsed(&figures::source::<$figure>(posed), Lanes::Workgroup);
            assert_record!(&module, FigureParams { pair_count, groups_x, b_offset, parameter, motion_offset });
            assert_record!(&module, MotionRecord { linear, centre, angular, radius, error, padding });
            let (members, span) = record(&module, "FigureRecord");
            let offsets: Vec<_> = members.iter().map(|(name, offset, _)| (name.as_str(), *offset)).collect();
            assert_eq!(offsets, [$((stringify!($field), offset_of!($record, $field))),*]);
            assert_eq!(span, size_of::<$record>());
        }
    };
}

#[test]
fn records_of_figures_have_the_same_fields_at_the_same_offsets() {
    assert_figure!(SoleEdges, EdgeRecord { separation, edge });
    assert_figure!(WorldManifolds, ManifoldRecord { normal, separation, edge, points });
    assert_figure!(TimesOfImpact, ImpactRecord { time, feature_a, feature_b, word });
    let module = parsed(&figures::source::<WorldManifolds>(false), Lanes::Workgroup);
    let (members, span) = record(&module, "Contact");
    let offsets: Vec<_> = members.iter().map(|(name, offset, _)| (name.as_str(), *offset)).collect();
    assert_eq!(offsets, [("position", 0), ("separation", 8), ("feature", 12)]);
    assert_eq!((span, size_of::<ContactRecord>()), (16, 16));
    // The host reads these records back for each pair.
    assert_eq!(size_of::<EdgeRecord>(), 8);
    assert!(size_of::<ManifoldRecord>() <= 48);
}

#[test]
fn constants_are_equal() {
    modules().for_each(|module| assert_constants(&module));
}

fn assert_constants(module: &Module) {
    let constant = |name: &str| {
        let (_, constant) = module
            .constants
            .iter()
            .find(|(_, c)| c.name.as_deref() == Some(name))
            .expect("the constant exists");
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(Literal::U32(x)) => f64::from(x),
            naga::Expression::Literal(Literal::F32(x)) => f64::from(x),
            ref other => panic!("{name} is {other:?}"),
        }
    };
    for (name, value) in [
        ("DISJOINT", layout::DISJOINT),
        ("TOUCHING", layout::TOUCHING),
        ("OVERLAPPING", layout::OVERLAPPING),
        ("UNCERTAIN", layout::UNCERTAIN),
        ("BITS_PER_CODE", layout::BITS_PER_CODE),
        ("CODES_PER_WORD", layout::CODES_PER_WORD),
        ("WORKGROUP_SIZE", layout::WORKGROUP_SIZE),
        ("BLOCK_VERTICES", layout::BLOCK_VERTICES),
        ("HEADER_WORDS", layout::HEADER_WORDS),
        ("HIT_INDEX_BITS", layout::HIT_INDEX_BITS),
        ("COUNT_BITS", layout::COUNT_BITS),
        ("BOUND_BITS", layout::BOUND_BITS),
    ] {
        assert_eq!(constant(name), f64::from(value), "{name}");
    }
    for (name, value) in [("ROUNDING", ROUNDING), ("SLACK", filter::SLACK), ("FLUSH", filter::FLUSH)] {
        assert_eq!(constant(name), f64::from(value), "{name}");
    }
}

#[test]
fn bindings_are_uniform_then_inputs_then_outputs() {
    let relation = ["params", "polygons", "placements", "blocks", "pairs", "codes"];
    modules().chain(containment_modules()).for_each(|module| assert_bindings(&module, &relation, 1));
    let points = ["params", "polygons", "placements", "blocks", "candidates", "codes"];
    point_modules().iter().for_each(|module| assert_bindings(module, &points, 1));
    for lanes in BOTH {
        let [count, scan, write] =
            hits_kernel::PASSES.map(|pass| parsed(&hits_kernel::source(pass, lanes), lanes));
        assert_bindings(&count, &["params", "codes", "counts"], 1);
        assert_bindings(&scan, &["params", "counts", "hits"], 2);
        assert_bindings(&write, &["params", "codes", "offsets", "hits"], 1);
    }
    let still = ["params", "polygons", "placements", "blocks", "pairs", "figures"];
    assert_bindings(&parsed(&figures::source::<SoleEdges>(true), Lanes::Workgroup), &still, 1);
    let moving = ["params", "polygons", "placements", "blocks", "pairs", "motions", "figures"];
    assert_bindings(&parsed(&figures::source::<TimesOfImpact>(true), Lanes::Workgroup), &moving, 1);
}

/// Asserts that the bindings of a shader have the expected names and order, and that the shader can write only the last
/// `outputs` of them.
fn assert_bindings(module: &Module, expected: &[&str], outputs: usize) {
    let mut bindings: Vec<_> = module
        .global_variables
        .iter()
        .filter_map(|(_, v)| {
            v.binding.as_ref().map(|b| (b.group, b.binding, v.name.clone().unwrap_or_default(), v.space))
        })
        .collect();
    bindings.sort_by_key(|b| b.1);
    let names: Vec<&str> = bindings.iter().map(|b| b.2.as_str()).collect();
    assert_eq!(names, expected);
    for (index, (group, binding, name, space)) in bindings.iter().enumerate() {
        assert_eq!((*group, *binding as usize), (0, index), "{name}");
        let written = match space {
            AddressSpace::Uniform => false,
            AddressSpace::Storage { access } => access.contains(naga::StorageAccess::STORE),
            other => panic!("{name} is in {other:?}"),
        };
        assert_eq!(written, index + outputs >= expected.len(), "{name}");
        assert_eq!(matches!(space, AddressSpace::Uniform), index == 0, "{name}");
    }
}

#[test]
fn there_is_one_entry_point_with_the_workgroup_size_of_rust() {
    let hits = BOTH
        .into_iter()
        .flat_map(|lanes| hits_kernel::PASSES.map(|pass| parsed(&hits_kernel::source(pass, lanes), lanes)));
    for module in modules().chain(containment_modules()).chain(hits).chain(point_modules()) {
        let [entry] = &module.entry_points[..] else { panic!("one entry point") };
        assert_eq!((entry.name.as_str(), entry.stage), ("main", ShaderStage::Compute));
        assert_eq!(entry.workgroup_size, [layout::WORKGROUP_SIZE, 1, 1]);
    }
    assert_eq!(layout::WORKGROUP_SIZE % layout::CODES_PER_WORD, 0);
}
