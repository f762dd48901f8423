//! The names of the kernels of a step, and the names of the buffers of a world that these kernels use.

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
    /// The seams between static bodies that touch each other.
    Seams,
    States,
    Traits,
    Polygons,
    Placements,
    Boxes,
    Buckets,
    CellBoxes,
    /// The bodies of the grid's entries. Later, the fraction of its path that each body moves.
    CellBodies,
    PairStarts,
    /// The first pairs that each body found; then bodies in the solver.
    Moving,
    /// The colours of each body. Later, its velocities before contacts change them.
    BodyColours,
    KeptStarts,
    Sums,
    Pairs,
    TouchStarts,
    /// The manifolds of pairs.
    Manifolds,
    /// The constraints of touches, in the order of colours.
    Constraints,
    Touches,
    /// Pairs that are followed along their paths.
    Followed,
    Kept,
    Ends,
    /// The impulses of touches over all sub-steps, in the order of colours.
    Totals,
    Colours,
    /// The touches that are left without a colour; then all, in the order of colours.
    Order,
}

impl Name {
    /// The buffer that holds this data. No two names that share a buffer are in use at the same time: a test in
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
    /// The pairs of bodies with few pairs, in the order in which they were found.
    PairsFew,
    /// The pairs of bodies with more pairs, found a second time.
    PairsMany,
    Manifolds,
    /// The decisions at the start of the step.
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
    /// The last of the first rounds. It lists the remaining touches.
    ColoursLastRound,
    /// All other rounds, for the remaining touches.
    ColoursLeft,
    /// All rounds, then the touches of each colour.
    ColoursGroup,
    ColoursCount,
    ColoursList,
    ColoursFill,
    RestSort,
    /// The list of bounces. The flag says whether it belongs to the first round.
    BounceList(bool),
    /// The acceleration. The flag says whether it belongs to the first sub-step.
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
    /// Solves the touches of one colour.
    Solve(Solver, Phase),
    /// Solves the touches that other dispatches leave over.
    SolveRest(Solver, Phase),
}

/// The scanned values.
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
    /// The kernels of worlds with the given solver.
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
