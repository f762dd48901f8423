//! The names of the kernels of a step, and the names of the buffers of a world that these kernels use.

use super::records::Phase;
use crate::sim::Solver;

/// The data of a world on a device. Most names have a buffer of their own (see [`Name::held_in`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Params,
    /// The number of buckets of the grid: the number of values in the scan over the buckets.
    BucketCount,
    BodyCount,
    /// The spans of colours whose touches the dispatches solve ([`super::records::ColourSpan`]). A dispatch binds one
    /// span.
    Which,
    /// The parameters of the manifold kernel. A kernel on the device writes a part of them.
    FigureParams,
    Control,
    Lists,
    Shapes,
    Blocks,
    /// The seams between static bodies that touch each other.
    Seams,
    States,
    Traits,
    Polygons,
    Placements,
    Boxes,
    Buckets,
    CellBoxes,
    /// For each entry of the grid, its body. Later in the step, for each body, the fraction of its path that it moves.
    CellBodies,
    PairStarts,
    /// For each body, the first pairs that it owns, at most [`super::records::FEW_PAIRS`]. Later in the step, the
    /// record of the body for the solver ([`super::records::MovingBody`]).
    Moving,
    /// For each body, the colours of its touches. Later in the step, its velocities before contacts change them.
    BodyColours,
    KeptStarts,
    Sums,
    Pairs,
    TouchStarts,
    /// For each candidate pair of bodies, its contact manifold.
    Manifolds,
    /// The data of touches that the solver reads, in the order of colours.
    Constraints,
    Touches,
    /// The indices of the candidate pairs whose bodies are followed along their paths.
    Followed,
    Kept,
    Ends,
    /// The impulses of each touch, summed over all sub-steps and bounces, in the order of colours.
    Totals,
    Colours,
    /// The indices of the touches without a colour. Later in the step, the indices of all touches in the order of
    /// colours.
    Order,
}

impl Name {
    /// Returns the name of the buffer that holds this data. Several names may share a buffer, because their data is
    /// never in use at the same time. A test in `plan.rs` checks this.
    pub(super) const fn held_in(self) -> Self {
        match self {
            Self::BodyColours => Self::CellBoxes,
            Self::Order => Self::Buckets,
            Self::Ends | Self::Totals => Self::Polygons,
            Self::Colours => Self::Placements,
            Self::Constraints => Self::Manifolds,
            Self::Followed => Self::Touches,
            own => own,
        }
    }
}

/// A kernel that a step of a world on a device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Clear,
    Place,
    CellsCount,
    CellsFill,
    PairsCount,
    PairsList,
    /// Writes the pairs of each body that owns at most [`super::records::FEW_PAIRS`] pairs. The first search has stored
    /// these pairs.
    PairsFew,
    /// Finds and writes the pairs of each body that owns more than [`super::records::FEW_PAIRS`] pairs. This kernel
    /// searches a second time.
    PairsMany,
    Manifolds,
    /// Decides at the start of the step which pairs of bodies must be followed along their paths.
    SweepBegin,
    SweepList,
    SweepFollow,
    TouchesCount,
    TouchesList,
    TouchesWrite,
    Begin,
    Warm,
    Prepare(Solver),
    /// Runs one of the first rounds of colouring, as a dispatch over all touches. The value is the index of the round
    /// modulo 3.
    ColoursRound(u32),
    /// Runs the last of the rounds of colouring that are dispatches over all touches. Lists the touches that still have
    /// no colour.
    ColoursLastRound,
    /// Runs all further rounds of colouring in one workgroup, for the touches that [`Kernel::ColoursLastRound`] listed.
    ColoursLeft,
    /// Runs all rounds of colouring of a small world in one workgroup. Then lists the touches of each colour.
    ColoursGroup,
    ColoursCount,
    ColoursList,
    ColoursFill,
    RestSort,
    /// Lists the touches that bounce in a round of bouncing. The flag is true in the first round of the step.
    BounceList(bool),
    /// Accelerates the bodies at the beginning of a sub-step. The flag is true in the first sub-step.
    Accelerate(Solver, bool),
    Advance,
    FastBox,
    FastPairs,
    /// Checks that no body leaves the world. The flag is true if the paths of fast bodies are tested.
    FinishCheck(bool),
    Finish(bool),
    Keep(Solver),
    CountStep,
    Scan(Scanned, Pass),
    /// Solves the touches of one colour that has a dispatch of its own.
    Solve(Solver, Phase),
    /// Solves the touches of the colours that have no dispatch of their own, colour by colour, in one workgroup.
    SolveRest(Solver, Phase),
}

/// The list of numbers that a scan replaces by their prefix sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanned {
    Buckets,
    PairStarts,
    TouchStarts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Reduce,
    Sums,
    Values,
}

#[cfg(test)]
const PHASES: [Phase; 4] = [Phase::WarmStart, Phase::Solve, Phase::Relax, Phase::Bounce];

impl Kernel {
    /// Returns all kernels that the steps of a world with the given solver may use.
    #[cfg(test)]
    pub(super) fn all(solver: Solver) -> Vec<Self> {
        use Kernel::*;
        let mut all = vec![
            Clear,
            Place,
            CellsCount,
            CellsFill,
            PairsCount,
            PairsList,
            PairsFew,
            PairsMany,
            Manifolds,
            SweepBegin,
            SweepList,
            SweepFollow,
            TouchesCount,
            TouchesList,
            TouchesWrite,
            Begin,
            Warm,
            ColoursGroup,
            ColoursCount,
            ColoursList,
            ColoursFill,
            RestSort,
            Advance,
            FastBox,
            FastPairs,
            CountStep,
        ];
        all.extend([false, true].into_iter().flat_map(|follows| [FinishCheck(follows), Finish(follows)]));
        all.extend((0..3).map(ColoursRound));
        all.extend([ColoursLastRound, ColoursLeft]);
        for scanned in [Scanned::Buckets, Scanned::PairStarts, Scanned::TouchStarts] {
            all.extend([Scan(scanned, Pass::Reduce), Scan(scanned, Pass::Sums), Scan(scanned, Pass::Values)]);
        }
        all.extend([Prepare(solver), Keep(solver)]);
        all.extend([Accelerate(solver, true), Accelerate(solver, false)]);
        all.extend([BounceList(true), BounceList(false)]);
        // The push solver has no relax phase.
        let phases = PHASES.into_iter().filter(|&phase| solver == Solver::Rigid || phase != Phase::Relax);
        all.extend(phases.flat_map(|phase| [Solve(solver, phase), SolveRest(solver, phase)]));
        all
    }
}
