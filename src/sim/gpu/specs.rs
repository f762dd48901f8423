//! Specifications of the kernels of a step: their sources, and the data that they bind.

use super::buffers;
use super::kernels::{Kernel, Name, Pass, Scanned};
use super::records::{self, Phase};
use crate::gpu::bindings::{Declaration, declarations};
use crate::kernels::gpu::figures;
use crate::kernels::measurements::WorldManifolds;
use crate::packed::wgsl::wgsl;
use crate::sim::Solver;

/// The source of a kernel, and the data that it binds.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) label: &'static str,
    pub(super) source: String,
    /// The data of each binding, in order.
    pub(super) bound: Vec<Name>,
}

impl Kernel {
    /// Returns the specification of the kernel. `group_lanes` is the number of invocations in workgroups with barriers.
    pub(super) fn spec(self, group_lanes: u32) -> Spec {
        let (label, files) = self.label_and_files();
        let source = match self {
            Self::Manifolds => figures::source::<WorldManifolds>(true),
            _ => {
                // WGSL allows declarations in any order.
                let texts = [wgsl!("layout", "sim/layout"), files, self.last_files()].concat().concat();
                records::wgsl_constants(group_lanes) + &self.constants() + &texts
            }
        };
        let bound = declarations(&source).iter().map(|declared| self.name_of(declared)).collect();
        Spec { label, source, bound }
    }

    /// Returns the label of the kernel and the files of its source, without those that all kernels share and those of
    /// [`Self::last_files`].
    fn label_and_files(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Clear => ("sat2d clear", wgsl!("sim/clear")),
            Self::Place => ("sat2d place", wgsl!("filter", "sim/path", "sim/place")),
            Self::CellsCount => ("sat2d count cells", wgsl!("sim/cells", "sim/cells_count")),
            Self::CellsFill => ("sat2d fill cells", wgsl!("sim/cells", "sim/cells_fill")),
            Self::PairsCount => ("sat2d count pairs", wgsl!("sim/cells", "sim/pairs", "sim/pairs_count")),
            Self::PairsList => ("sat2d list pairs", wgsl!("sim/pairs_list")),
            Self::PairsFew => ("sat2d few pairs", wgsl!("sim/pairs_sorted", "sim/pairs_few")),
            Self::PairsMany => {
                ("sat2d many pairs", wgsl!("sim/cells", "sim/pairs", "sim/pairs_sorted", "sim/pairs_many"))
            }
            Self::Manifolds => ("sat2d manifolds", &[]),
            Self::SweepBegin => (
                "sat2d begin sweep",
                wgsl!("sim/path", "sim/touch", "sim/seams", "sim/landing", "sim/sweep", "sim/sweep_begin"),
            ),
            Self::SweepList => ("sat2d list sweep", wgsl!("sim/sweep_list")),
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
            ),
            Self::TouchesCount => {
                ("sat2d count touches", wgsl!("sim/path", "sim/touch", "sim/touches", "sim/touches_count"))
            }
            Self::TouchesList => ("sat2d list touches", wgsl!("sim/touches_list")),
            Self::TouchesWrite => {
                ("sat2d write touches", wgsl!("sim/path", "sim/touch", "sim/touches", "sim/touches_write"))
            }
            Self::Begin => ("sat2d begin", wgsl!("sim/begin")),
            Self::Warm => ("sat2d warm", wgsl!("sim/priority", "sim/warm")),
            Self::Prepare(Solver::Rigid) => {
                ("sat2d prepare", wgsl!("sim/surface", "sim/matched", "sim/set_planes", "sim/prepare"))
            }
            Self::Prepare(Solver::Push) => {
                ("sat2d prepare", wgsl!("sim/surface", "sim/matched", "sim/set_planes", "sim/push_prepare"))
            }
            Self::BounceList(_) => ("sat2d list bounces", wgsl!("sim/bounce_list")),
            Self::FastBox => ("sat2d fast boxes", wgsl!("sim/fast_box")),
            Self::FastPairs => (
                "sat2d fast pairs",
                wgsl!("filter", "polygon", "edges", "closest", "sim/way", "sim/fast_pairs"),
            ),
            Self::ColoursRound(_) => {
                ("sat2d colour", wgsl!("sim/priority", "sim/colours", "sim/colours_round"))
            }
            Self::ColoursLastRound => {
                ("sat2d colour and list", wgsl!("sim/priority", "sim/colours", "sim/colours_last_round"))
            }
            Self::ColoursLeft => {
                ("sat2d colour the rest", wgsl!("sim/priority", "sim/colours", "sim/colours_left"))
            }
            Self::ColoursGroup => (
                "sat2d colour all",
                wgsl!("sim/priority", "sim/colours", "sim/colours_starts", "sim/colours_group"),
            ),
            Self::ColoursCount => ("sat2d count colours", wgsl!("sim/colours_count")),
            Self::ColoursList => ("sat2d list colours", wgsl!("sim/colours_starts", "sim/colours_list")),
            Self::ColoursFill => ("sat2d fill colours", wgsl!("sim/colours_fill")),
            Self::RestSort => ("sat2d sort rest", wgsl!("sim/rest_sort")),
            Self::Accelerate(..) => ("sat2d accelerate", wgsl!("sim/accelerate")),
            Self::Advance => ("sat2d advance", wgsl!("sim/advance")),
            Self::FinishCheck(_) => ("sat2d check finish", wgsl!("sim/way", "sim/moved", "sim/finish_check")),
            Self::Finish(_) => ("sat2d finish", wgsl!("sim/way", "sim/moved", "sim/finish")),
            Self::Keep(Solver::Rigid) => ("sat2d keep", wgsl!("sim/planes", "sim/keep", "sim/keep_rigid")),
            Self::Keep(Solver::Push) => ("sat2d keep", wgsl!("sim/planes", "sim/keep", "sim/keep_push")),
            Self::CountStep => ("sat2d count step", wgsl!("sim/count_step")),
            Self::Scan(_, Pass::Reduce) => ("sat2d scan: reduce", wgsl!("sim/scan", "sim/scan_reduce")),
            Self::Scan(_, Pass::Sums) => ("sat2d scan: sums", wgsl!("sim/scan", "sim/scan_sums")),
            Self::Scan(_, Pass::Values) => ("sat2d scan: values", wgsl!("sim/scan", "sim/scan_values")),
            Self::Solve(Solver::Rigid, phase) => ("sat2d solve", contact_files(phase)),
            Self::SolveRest(Solver::Rigid, phase) => ("sat2d solve rest", contact_files(phase)),
            Self::Solve(Solver::Push, _) => {
                ("sat2d push", wgsl!("sim/restitution", "sim/planes", "sim/set_planes", "sim/push"))
            }
            Self::SolveRest(Solver::Push, _) => {
                ("sat2d push rest", wgsl!("sim/restitution", "sim/planes", "sim/set_planes", "sim/push"))
            }
        }
    }

    /// Returns the file that says which touches a kernel solves: those of one colour, or of all that are left.
    fn last_files(self) -> &'static [&'static str] {
        match self {
            Self::Solve(..) => wgsl!("sim/contact_colour"),
            Self::SolveRest(..) => wgsl!("sim/contact_rest"),
            _ => &[],
        }
    }

    /// Returns the declarations of the constants of the kernel's variant.
    fn constants(self) -> String {
        match self {
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
        }
    }

    /// Returns the data that a kernel binds to a variable of its source.
    fn name_of(self, declared: &Declaration<'_>) -> Name {
        match (self, declared.variable, declared.ty) {
            (Self::Scan(Scanned::Buckets, _), "values", _) => Name::Buckets,
            (Self::Scan(Scanned::Buckets, _), _, "ScanParams") => Name::BucketCount,
            (Self::Scan(Scanned::PairStarts, _), "values", _) => Name::PairStarts,
            (Self::Scan(Scanned::PairStarts, _), _, "ScanParams") => Name::BodyCount,
            (Self::Scan(Scanned::TouchStarts, _), "values", _) => Name::TouchStarts,
            // The manifold kernel's parameters begin with the number of pairs, which this scan needs.
            (Self::Scan(Scanned::TouchStarts, _), _, "ScanParams") => Name::FigureParams,
            (_, _, "StepParams") => Name::Params,
            (_, _, "FigureParams") => Name::FigureParams,
            (_, variable, _) => name_of_variable(variable),
        }
    }
}

/// Returns the data with the name of a variable: `body_colours` is [`Name::BodyColours`]. A few shaders use a name that
/// says more about what they do with the data.
fn name_of_variable(variable: &str) -> Name {
    match variable {
        "before" => Name::BodyColours,
        "few_found" => Name::Moving,
        "figures" => Name::Manifolds,
        "left" => Name::Order,
        "parts" => Name::CellBodies,
        _ => {
            let joined = variable.replace('_', "");
            let mut names = buffers::ALL.into_iter();
            names
                .find(|name| format!("{name:?}").eq_ignore_ascii_case(&joined))
                .expect("a test reads the bindings of all kernels")
        }
    }
}

/// Returns the files of a kernel of the rigid solver that solves touches.
fn contact_files(phase: Phase) -> &'static [&'static str] {
    match phase {
        Phase::WarmStart => {
            wgsl!("sim/impulse", "sim/planes", "sim/set_planes", "sim/contact", "sim/contact_warm")
        }
        Phase::Solve | Phase::Relax => wgsl!(
            "sim/impulse",
            "sim/two_points",
            "sim/planes",
            "sim/set_planes",
            "sim/contact",
            "sim/contact_press"
        ),
        Phase::Bounce => wgsl!(
            "sim/impulse",
            "sim/two_points",
            "sim/planes",
            "sim/set_planes",
            "sim/contact",
            "sim/restitution",
            "sim/contact_bounce"
        ),
    }
}
