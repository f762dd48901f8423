//! Specifications of the kernels of a step: their sources and bindings.

use super::bindings::{COLOURING, CONTACT, KEEP, LEFT_COLOURING, PREPARE, PUSH_CONTACT, PUSH_PREPARE};
use super::kernels::{Kernel, Name};
use super::records::{self, Phase};
use super::scan_specs::scan_spec;
use crate::gpu::device::Binding;
use crate::kernels::gpu::figures;
use crate::kernels::measurements::WorldManifolds;
use crate::packed::wgsl::wgsl;
use crate::sim::Solver;
use Binding::{Input, Output, Uniform};

/// The sources and bindings of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) label: &'static str,
    pub(super) source: String,
    pub(super) bindings: &'static [(Binding, Name)],
}

impl Kernel {
    /// Returns the specification of the kernel. `group_lanes` is the number of invocations in workgroups with barriers.
    pub(super) fn spec(self, group_lanes: u32) -> Spec {
        use Name::*;
        let (label, files, bindings): (_, &[&str], &'static [(Binding, Name)]) = match self {
            Self::Clear => (
                "sat2d clear",
                wgsl!("sim/clear"),
                &[(Uniform, Params), (Output, Buckets), (Output, Control)],
            ),
            Self::Place => (
                "sat2d place",
                wgsl!("filter", "sim/path", "sim/place"),
                &[
                    (Uniform, Params),
                    (Input, States),
                    (Input, Traits),
                    (Input, Shapes),
                    (Input, Blocks),
                    (Output, Polygons),
                    (Output, Placements),
                    (Output, Boxes),
                    (Output, Control),
                ],
            ),
            Self::CellsCount => (
                "sat2d count cells",
                wgsl!("sim/cells", "sim/cells_count"),
                &[(Uniform, Params), (Input, Boxes), (Output, Buckets), (Output, Control)],
            ),
            Self::CellsFill => (
                "sat2d fill cells",
                wgsl!("sim/cells", "sim/cells_fill"),
                &[
                    (Uniform, Params),
                    (Input, Boxes),
                    (Output, Buckets),
                    (Output, CellBoxes),
                    (Output, CellBodies),
                ],
            ),
            Self::PairsCount => (
                "sat2d count pairs",
                wgsl!("sim/cells", "sim/pairs", "sim/pairs_count"),
                &[
                    (Uniform, Params),
                    (Input, Traits),
                    (Input, Boxes),
                    (Input, Buckets),
                    (Input, CellBoxes),
                    (Input, CellBodies),
                    (Input, Control),
                    (Output, PairStarts),
                    (Output, Moving),
                ],
            ),
            Self::PairsList => (
                "sat2d list pairs",
                wgsl!("sim/pairs_list"),
                &[
                    (Uniform, Params),
                    (Input, PairStarts),
                    (Output, Control),
                    (Output, Lists),
                    (Output, FigureParams),
                ],
            ),
            Self::PairsFew => (
                "sat2d few pairs",
                wgsl!("sim/pairs_sorted", "sim/pairs_few"),
                &[
                    (Uniform, Params),
                    (Output, Control),
                    (Input, Moving),
                    (Output, PairStarts),
                    (Output, Pairs),
                ],
            ),
            Self::PairsMany => (
                "sat2d many pairs",
                wgsl!("sim/cells", "sim/pairs", "sim/pairs_sorted", "sim/pairs_many"),
                &[
                    (Uniform, Params),
                    (Input, Traits),
                    (Input, Boxes),
                    (Input, Buckets),
                    (Input, CellBoxes),
                    (Input, CellBodies),
                    (Input, Control),
                    (Input, PairStarts),
                    (Output, Pairs),
                ],
            ),
            Self::Manifolds => {
                return Spec {
                    label: "sat2d manifolds",
                    source: figures::source::<WorldManifolds>(true),
                    bindings: &[
                        (Uniform, FigureParams),
                        (Input, Polygons),
                        (Input, Placements),
                        (Input, Blocks),
                        (Input, Pairs),
                        (Output, Name::Manifolds),
                    ],
                };
            }
            Self::SweepBegin => (
                "sat2d begin sweep",
                wgsl!("sim/path", "sim/touch", "sim/seams", "sim/landing", "sim/sweep", "sim/sweep_begin"),
                &[
                    (Uniform, Params),
                    (Uniform, FigureParams),
                    (Input, States),
                    (Input, Traits),
                    (Input, Shapes),
                    (Output, Name::Manifolds),
                    (Input, Seams),
                    (Input, Pairs),
                    (Output, Control),
                    (Output, Followed),
                ],
            ),
            Self::SweepList => (
                "sat2d list sweep",
                wgsl!("sim/sweep_list"),
                &[(Input, Control), (Output, Lists), (Output, Followed)],
            ),
            Self::SweepFollow => (
                "sat2d sweep",
                wgsl!(
                    "filter",
                    "polygon",
                    "edges",
                    "closest",
                    "manifold",
                    "sim/path",
                    "sim/touch",
                    "sim/seams",
                    "sim/landing",
                    "sim/sweep",
                    "sim/sweep_follow"
                ),
                &[
                    (Uniform, Params),
                    (Uniform, FigureParams),
                    (Input, States),
                    (Input, Traits),
                    (Input, Shapes),
                    (Output, Name::Manifolds),
                    (Input, Seams),
                    (Input, Polygons),
                    (Input, Blocks),
                    (Input, Followed),
                ],
            ),
            Self::TouchesCount => (
                "sat2d count touches",
                wgsl!("sim/path", "sim/touch", "sim/touches", "sim/touches_count"),
                &[
                    (Uniform, Params),
                    (Input, Control),
                    (Input, States),
                    (Input, Traits),
                    (Input, Shapes),
                    (Input, Pairs),
                    (Input, Name::Manifolds),
                    (Output, TouchStarts),
                ],
            ),
            Self::TouchesList => (
                "sat2d list touches",
                wgsl!("sim/touches_list"),
                &[(Uniform, Params), (Input, TouchStarts), (Output, Control), (Output, Lists)],
            ),
            Self::TouchesWrite => (
                "sat2d write touches",
                wgsl!("sim/path", "sim/touch", "sim/touches", "sim/touches_write"),
                &[
                    (Uniform, Params),
                    (Input, Control),
                    (Input, States),
                    (Input, Traits),
                    (Input, Shapes),
                    (Input, Pairs),
                    (Input, Name::Manifolds),
                    (Input, TouchStarts),
                    (Output, Touches),
                ],
            ),
            Self::Begin => (
                "sat2d begin",
                wgsl!("sim/begin"),
                &[
                    (Uniform, Params),
                    (Input, States),
                    (Input, Traits),
                    (Output, Moving),
                    (Output, BodyColours),
                ],
            ),
            Self::Warm => (
                "sat2d warm",
                wgsl!("sim/priority", "sim/warm"),
                &[
                    (Uniform, Params),
                    (Input, Control),
                    (Input, Traits),
                    (Input, Kept),
                    (Input, KeptStarts),
                    (Output, Touches),
                    (Output, Ends),
                    (Output, Colours),
                    (Output, BodyColours),
                ],
            ),
            Self::Prepare(Solver::Rigid) => (
                "sat2d prepare",
                wgsl!("sim/surface", "sim/matched", "sim/set_planes", "sim/prepare"),
                PREPARE,
            ),
            Self::Prepare(Solver::Push) => (
                "sat2d prepare",
                wgsl!("sim/surface", "sim/matched", "sim/set_planes", "sim/push_prepare"),
                PUSH_PREPARE,
            ),
            Self::BounceList(_) => {
                ("sat2d list bounces", wgsl!("sim/bounce_list"), &[(Output, Control), (Output, Lists)])
            }
            Self::FastBox => (
                "sat2d fast boxes",
                wgsl!("sim/fast_box"),
                &[
                    (Uniform, Params),
                    (Input, States),
                    (Input, Traits),
                    (Input, Boxes),
                    (Input, Moving),
                    (Output, CellBodies),
                ],
            ),
            Self::FastPairs => (
                "sat2d fast pairs",
                wgsl!("filter", "polygon", "edges", "closest", "sim/way", "sim/fast_pairs"),
                &[
                    (Uniform, Params),
                    (Input, Control),
                    (Input, States),
                    (Input, Traits),
                    (Input, Shapes),
                    (Input, Blocks),
                    (Input, Pairs),
                    (Input, Moving),
                    (Output, CellBodies),
                ],
            ),
            Self::ColoursRound(_) => {
                ("sat2d colour", wgsl!("sim/priority", "sim/colours", "sim/colours_round"), COLOURING)
            }
            Self::ColoursLastRound => (
                "sat2d colour and list",
                wgsl!("sim/priority", "sim/colours", "sim/colours_last_round"),
                LEFT_COLOURING,
            ),
            Self::ColoursLeft => (
                "sat2d colour the rest",
                wgsl!("sim/priority", "sim/colours", "sim/colours_left"),
                LEFT_COLOURING,
            ),
            Self::ColoursGroup => (
                "sat2d colour all",
                wgsl!("sim/priority", "sim/colours", "sim/colours_starts", "sim/colours_group"),
                &[
                    (Output, Control),
                    (Input, Ends),
                    (Output, Colours),
                    (Output, BodyColours),
                    (Input, Touches),
                    (Output, Order),
                ],
            ),
            Self::ColoursCount => {
                ("sat2d count colours", wgsl!("sim/colours_count"), &[(Input, Colours), (Output, Control)])
            }
            Self::ColoursList => (
                "sat2d list colours",
                wgsl!("sim/colours_starts", "sim/colours_list"),
                &[(Output, Control), (Output, Lists)],
            ),
            Self::ColoursFill => (
                "sat2d fill colours",
                wgsl!("sim/colours_fill"),
                &[(Input, Colours), (Input, Touches), (Output, Control), (Output, Order)],
            ),
            Self::RestSort => {
                ("sat2d sort rest", wgsl!("sim/rest_sort"), &[(Input, Control), (Output, Order)])
            }
            Self::Accelerate(..) => (
                "sat2d accelerate",
                wgsl!("sim/accelerate"),
                &[
                    (Uniform, Params),
                    (Input, States),
                    (Input, Traits),
                    (Output, Moving),
                    (Output, BodyColours),
                ],
            ),
            Self::Advance => ("sat2d advance", wgsl!("sim/advance"), &[(Uniform, Params), (Output, Moving)]),
            Self::FinishCheck(_) => (
                "sat2d check finish",
                wgsl!("sim/way", "sim/moved", "sim/finish_check"),
                &[
                    (Uniform, Params),
                    (Input, States),
                    (Input, Traits),
                    (Input, Moving),
                    (Input, CellBodies),
                    (Output, Control),
                ],
            ),
            Self::Finish(_) => (
                "sat2d finish",
                wgsl!("sim/way", "sim/moved", "sim/finish"),
                &[
                    (Uniform, Params),
                    (Input, Control),
                    (Input, Moving),
                    (Input, PairStarts),
                    (Input, TouchStarts),
                    (Input, CellBodies),
                    (Output, States),
                    (Output, Traits),
                    (Output, KeptStarts),
                ],
            ),
            Self::Keep(Solver::Rigid) => {
                ("sat2d keep", wgsl!("sim/planes", "sim/keep", "sim/keep_rigid"), KEEP)
            }
            Self::Keep(Solver::Push) => {
                ("sat2d keep", wgsl!("sim/planes", "sim/keep", "sim/keep_push"), KEEP)
            }
            Self::CountStep => {
                ("sat2d count step", wgsl!("sim/count_step"), &[(Uniform, Params), (Output, Control)])
            }
            Self::Scan(scanned, pass) => return scan_spec(scanned, pass, group_lanes),
            Self::Solve(Solver::Rigid, Phase::WarmStart) => (
                "sat2d warm start",
                wgsl!(
                    "sim/impulse",
                    "sim/planes",
                    "sim/set_planes",
                    "sim/contact",
                    "sim/contact_warm",
                    "sim/contact_colour"
                ),
                CONTACT,
            ),
            Self::SolveRest(Solver::Rigid, Phase::WarmStart) => (
                "sat2d warm start rest",
                wgsl!(
                    "sim/impulse",
                    "sim/planes",
                    "sim/set_planes",
                    "sim/contact",
                    "sim/contact_warm",
                    "sim/contact_rest"
                ),
                CONTACT,
            ),
            Self::Solve(Solver::Rigid, Phase::Solve | Phase::Relax) => (
                "sat2d solve",
                wgsl!(
                    "sim/impulse",
                    "sim/two_points",
                    "sim/planes",
                    "sim/set_planes",
                    "sim/contact",
                    "sim/contact_press",
                    "sim/contact_colour"
                ),
                CONTACT,
            ),
            Self::SolveRest(Solver::Rigid, Phase::Solve | Phase::Relax) => (
                "sat2d solve rest",
                wgsl!(
                    "sim/impulse",
                    "sim/two_points",
                    "sim/planes",
                    "sim/set_planes",
                    "sim/contact",
                    "sim/contact_press",
                    "sim/contact_rest"
                ),
                CONTACT,
            ),
            Self::Solve(Solver::Rigid, Phase::Bounce) => (
                "sat2d bounce",
                wgsl!(
                    "sim/impulse",
                    "sim/two_points",
                    "sim/planes",
                    "sim/set_planes",
                    "sim/contact",
                    "sim/restitution",
                    "sim/contact_bounce",
                    "sim/contact_colour"
                ),
                CONTACT,
            ),
            Self::SolveRest(Solver::Rigid, Phase::Bounce) => (
                "sat2d bounce rest",
                wgsl!(
                    "sim/impulse",
                    "sim/two_points",
                    "sim/planes",
                    "sim/set_planes",
                    "sim/contact",
                    "sim/restitution",
                    "sim/contact_bounce",
                    "sim/contact_rest"
                ),
                CONTACT,
            ),
            Self::Solve(Solver::Push, _) => (
                "sat2d push",
                wgsl!("sim/restitution", "sim/planes", "sim/set_planes", "sim/push", "sim/contact_colour"),
                PUSH_CONTACT,
            ),
            Self::SolveRest(Solver::Push, _) => (
                "sat2d push rest",
                wgsl!("sim/restitution", "sim/planes", "sim/set_planes", "sim/push", "sim/contact_rest"),
                PUSH_CONTACT,
            ),
        };
        let constant = match self {
            Self::BounceList(first) => format!("const FIRST: bool = {first};\n"),
            Self::ColoursRound(round) => format!("const ROUND: u32 = {round}u;\n"),
            Self::ColoursLastRound => format!("const ROUND: u32 = {}u;\n", (records::WIDE_ROUNDS - 1) % 3),
            Self::Solve(_, phase) | Self::SolveRest(_, phase) => {
                format!("const PHASE: u32 = {}u;\n", phase as u32)
            }
            Self::Accelerate(solver, first) => {
                format!("const PUSHES: bool = {};\nconst FIRST: bool = {first};\n", solver == Solver::Push)
            }
            Self::FinishCheck(follows) | Self::Finish(follows) => {
                format!("const FOLLOWS: bool = {follows};\n")
            }
            _ => String::new(),
        };
        Spec { label, source: source(&constant, files, group_lanes), bindings }
    }
}

/// Returns the source of a kernel: the constants from Rust, the records, and then `files`. WGSL allows declarations in
/// any order.
pub(super) fn source(constant: &str, files: &[&str], group_lanes: u32) -> String {
    records::wgsl_constants(group_lanes)
        + constant
        + &wgsl!("layout", "sim/layout").concat()
        + &files.concat()
}
