//! The kernels of a step, and the buffers of a world that they work on, by name.

use super::records::Phase;
use crate::sim::Solver;

/// A buffer of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Params,
    /// Counts that are scanned: of buckets, of bodies.
    BucketCount,
    BodyCount,
    /// The colour that a dispatch solves.
    Which,
    /// Written by the device too.
    FigureParams,
    Control,
    Lists,
    Shapes,
    Blocks,
    /// Where static bodies touch each other.
    Seams,
    States,
    Traits,
    Polygons,
    Placements,
    Boxes,
    Buckets,
    CellBoxes,
    /// The bodies of the grid's entries; then the part that each body goes of its way.
    CellBodies,
    PairStarts,
    /// The first pairs that each body found; then bodies in the solver.
    Moving,
    /// What bodies have of colours; then their velocities before contacts change them.
    BodyColours,
    KeptStarts,
    Sums,
    Pairs,
    TouchStarts,
    /// Of pairs.
    Manifolds,
    /// Of touches, in the order of colours.
    Constraints,
    Touches,
    /// Pairs that are followed along their paths.
    Followed,
    Kept,
    Ends,
    /// Of touches, in the order of colours: the impulses of all sub-steps.
    Totals,
    Colours,
    /// The touches that are left without a colour; then all, in the order of colours.
    Order,
}

impl Name {
    /// The buffer that holds it. No two that share a buffer are of use at once: a test in `plan.rs` checks this.
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
    /// Of bodies that own few, as they were found.
    PairsFew,
    /// Of those that own more, found again.
    PairsMany,
    Manifolds,
    /// What is decided at the start of the step.
    SweepBegin,
    SweepList,
    SweepFollow,
    TouchesCount,
    TouchesList,
    TouchesWrite,
    Begin,
    Warm,
    Prepare(Solver),
    /// The number of the round modulo 3.
    ColoursRound(u32),
    /// The last of the first rounds, which lists what is left.
    ColoursLastRound,
    /// All other rounds, of what is left.
    ColoursLeft,
    /// All rounds, then the touches of each colour.
    ColoursGroup,
    ColoursCount,
    ColoursList,
    ColoursFill,
    RestSort,
    /// Whether it is the first round's.
    BounceList(bool),
    /// Whether it is the first sub-step's.
    Accelerate(Solver, bool),
    Advance,
    FastBox,
    FastPairs,
    /// Whether fast bodies are followed.
    FinishCheck(bool),
    Finish(bool),
    Keep(Solver),
    CountStep,
    Scan(Scanned, Pass),
    /// Of one colour.
    Solve(Solver, Phase),
    /// Of what other dispatches leave over.
    SolveRest(Solver, Phase),
}

/// What is scanned.
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
    /// Those of worlds with a solver.
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
        // The push solver has nothing to relax.
        let phases = PHASES.into_iter().filter(|&phase| solver == Solver::Rigid || phase != Phase::Relax);
        all.extend(phases.flat_map(|phase| [Solve(solver, phase), SolveRest(solver, phase)]));
        all
    }
}
