//! The names of the kernels of a step, and the names of the buffers of a world that these kernels use.

use super::records::Phase;
use crate::sim::Solver;

/// A buffer of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Params,
    /// The number of values to scan in the scan over the buckets.
    BucketCount,
    BodyCount,
    /// The span of colours whose touches a dispatch solves ([`super::records::ColourSpan`]).
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
    /// The body of each entry of the grid. Later in the step, the fraction of its path that each body moves.
    CellBodies,
    PairStarts,
    /// For each body, the first pairs that it owns ([`super::records::FEW_PAIRS`]). Later in the step, the solver's
    /// record of the body ([`super::records::MovingBody`]).
    Moving,
    /// For each body, the colours of its touches. Later in the step, its velocities before contacts change them.
    BodyColours,
    KeptStarts,
    Sums,
    Pairs,
    TouchStarts,
    /// The manifold of each candidate pair.
    Manifolds,
    /// The constraints of touches, in the order of colours.
    Constraints,
    Touches,
    /// The indices of the pairs whose bodies are followed along their paths.
    Followed,
    Kept,
    Ends,
    /// The impulses of touches over all sub-steps, in the order of colours.
    Totals,
    Colours,
    /// The touches without a colour. Later, all touches in the order of colours.
    Order,
}

impl Name {
    /// Returns the buffer that holds this data. Names that share a buffer are never in use at the same time. A test in
    /// `plan.rs` checks this.
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

/// A kernel of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Clear,
    Place,
    CellsCount,
    CellsFill,
    PairsCount,
    PairsList,
    /// Writes the pairs of bodies with few pairs, in the order in which they were found.
    PairsFew,
    /// Finds and writes the pairs of bodies with more pairs, which need a second search.
    PairsMany,
    Manifolds,
    /// Decides at the start of the step which pairs to follow along their paths.
    SweepBegin,
    SweepList,
    SweepFollow,
    TouchesCount,
    TouchesList,
    TouchesWrite,
    Begin,
    Warm,
    Prepare(Solver),
    /// One of the first rounds of colouring. The value is the index of the round modulo 3.
    ColoursRound(u32),
    /// The last of the first rounds of colouring. It lists the remaining touches.
    ColoursLastRound,
    /// Runs all other rounds of colouring in one workgroup, for the touches that the first rounds left.
    ColoursLeft,
    /// Runs all rounds of colouring in one workgroup, then lists the touches of each colour.
    ColoursGroup,
    ColoursCount,
    ColoursList,
    ColoursFill,
    RestSort,
    /// Lists the touches that bounce. The flag is true in the first round of bouncing.
    BounceList(bool),
    /// Accelerates the bodies. The flag is true in the first sub-step.
    Accelerate(Solver, bool),
    Advance,
    FastBox,
    FastPairs,
    /// Checks that no body leaves the world. The flag says whether fast bodies are followed.
    FinishCheck(bool),
    Finish(bool),
    Keep(Solver),
    CountStep,
    Scan(Scanned, Pass),
    /// Solves the touches of one colour.
    Solve(Solver, Phase),
    /// Solves the touches that have no dispatch of their own.
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
    /// Returns the kernels of worlds with the given solver.
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
