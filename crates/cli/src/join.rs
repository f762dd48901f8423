use std::time::Instant;

use clap::{Args, ValueEnum};

use super::answer::{Answer, MeasuredCheck};
use super::areas;
use super::input::{InputArguments, Needs, Side};
use super::measure::{Asked, MeasureArguments};
use super::outputs::{OutputArguments, Outputs, Rows};
use super::points::{self, PointSets};
use super::progress::Bar;
use super::statistics::Statistics;
use super::terminal::{tell, tell_lines};
use super::times::Times;
use super::{Outcome, backend, backend_parser, picture, summary};
use crate::error::{Error, Result};
use sat2d::{Backend, Engine, Keep};
use sat2d_io::Output;

/// Find every pair of polygons that meet, in one file or between two files.
///
/// Writes one line for each pair, in the order of the features in their files: the ids of both features and their relation.
/// --keep, --nearest and --count write other lines, as described below. The relation is `overlapping` (the interiors meet) or
/// `touching` (common points, but no common interior). It is exact on the coordinates as given. Coordinates are taken as planar.
///
/// A and B may be files of points (Point, MultiPoint). If one of them has polygons, the relation says where the point lies:
/// `inside` the polygon or on its `boundary`. It does not depend on which file has the points. A MultiPoint is `inside` if any
/// of its points is inside, else `boundary` if any of its points is on the boundary. With --within D, points outside a polygon,
/// but at most D from it, are also written, with the relation `outside` and the distance. The distance of a MultiPoint is the
/// distance of its nearest point.
///
/// Two files of points, or one file of points alone, give the pairs of features with a common position (`touching`), with
/// --within D also the pairs at most D apart (`disjoint`).
///
/// With --nearest K, the rows are the K nearest features of each feature of A, whether they meet or not.
#[derive(Args, Debug)]
#[command(after_help = crate::commands::EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) input: InputArguments,
    /// Relation of the pairs to write.
    #[arg(long, value_enum, default_value_t = RelationArgument::Meeting)]
    relation: RelationArgument,
    /// Write only the pairs in which one polygon covers the other, border included. The column `containment` is `covers` (A
    /// covers B), `covered-by` (B covers A) or `equal` (the same region). Several parts of a MultiPolygon may cover the other
    /// polygon together.
    #[arg(long, conflicts_with_all = ["relation", "verify"])]
    pub(super) contains: bool,
    #[command(flatten)]
    pub(super) measure: MeasureArguments,
    /// Backend that decides the pairs.
    #[arg(long, default_value_t = Backend::Auto, value_parser = backend_parser(), value_name = "BACKEND")]
    backend: Backend,
    #[command(flatten)]
    pub(super) output: OutputArguments,
    /// Decide every candidate pair a second time, by exact arithmetic alone. With --within, also check which pairs are at most D
    /// apart, and the distance between the two pieces that decide it. Other measurements are only checked against the relation:
    /// a depth, for example, must be above 0 if the two overlap. After a disagreement, the exit code is 1.
    #[arg(long)]
    pub(super) verify: bool,
    /// Read all row groups of Parquet files, and all groups of features in the index of FlatGeobuf files. Without this option, a
    /// group is left out if its box shows that no pair has a feature in it. Invalid features in it are then not found. --verify
    /// and --svg imply this option, and so does --nearest if --within is absent. If an option applies only to polygons or only to
    /// points, and all groups of B would be left out, B is read as a whole.
    #[arg(long, requires = "b")]
    all_row_groups: bool,
    /// Print no summary on standard error.
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RelationArgument {
    /// The interiors meet. For a point and a polygon: inside.
    Overlapping,
    /// Common points, but no common interior. For a point and a polygon: on the boundary. For two points: the same position.
    Touching,
    /// Overlapping or touching. For a point and a polygon: inside or on the boundary.
    Meeting,
    /// Only for points: inside the polygon.
    Inside,
    /// Only for points: on the boundary of the polygon.
    Boundary,
}

impl RelationArgument {
    fn keep(self) -> Keep {
        match self {
            Self::Overlapping | Self::Inside => Keep::Overlapping,
            Self::Touching | Self::Boundary => Keep::Touching,
            Self::Meeting => Keep::Meeting,
        }
    }

    /// Returns an error for relations that pairs of polygons cannot have.
    fn check_of_polygons(self) -> Result<()> {
        let (value, problem) = match self {
            Self::Inside => (
                "inside",
                "is a relation of points, but no file has points; --contains gives the pairs in which one covers the other",
            ),
            Self::Boundary => (
                "boundary",
                "is a relation of points, but no file has points; `touching` gives the pairs that meet without overlap",
            ),
            _ => return Ok(()),
        };
        Err(Error::Option { option: "--relation", value: value.into(), problem })
    }

    /// Returns an error for relations that two points cannot have.
    fn check_of_points(self) -> Result<()> {
        let value = match self {
            Self::Inside => "inside",
            Self::Boundary => "boundary",
            Self::Overlapping => "overlapping",
            Self::Touching | Self::Meeting => return Ok(()),
        };
        let problem = "is no relation of two points; give `touching` for the pairs with a common position";
        Err(Error::Option { option: "--relation", value: value.into(), problem })
    }
}

impl Arguments {
    /// Returns whether the output has counts instead of pairs.
    pub(super) fn has_counts(&self) -> bool {
        self.measure.areas.counts()
    }

    /// Returns whether an option is valid for only one kind of B: for points, or for polygons.
    fn is_of_one_kind(&self) -> bool {
        let is_of_points = self.relation.check_of_polygons().is_err();
        let MeasureArguments { areas, .. } = &self.measure;
        let is_of_polygons = self.contains || areas.selects() || self.measure.of_polygons().is_some();
        is_of_points || is_of_polygons
    }

    /// Returns the greatest possible distance between the two features of a written pair. Returns `None` if all
    /// features are needed. This is the case if the features are drawn or checked, if the distance has no limit, or if
    /// `--all-row-groups` was given.
    fn reach(&self) -> Option<f64> {
        let within = self.measure.within();
        let is_unbounded = self.measure.nearest().is_some() && within.is_none();
        let needs_all = self.all_row_groups || self.verify || self.output.draws();
        (!is_unbounded && !needs_all).then_some(within.unwrap_or(0.0))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut times = Times::begin();
    let bar = Bar::new();
    // Errors in the options are reported before the join, which may take long.
    arguments.measure.check()?;
    let is_of_touching = matches!(arguments.relation, RelationArgument::Touching);
    arguments.measure.areas.check(is_of_touching)?;
    arguments.output.check_counts(arguments.has_counts())?;
    arguments.input.prepare()?;
    let outputs = arguments.output.open(&arguments.input)?;
    bar.message("starting the backend".into());
    let engine = times.of_backend(|| backend::before_input(arguments.backend))?;
    let needs = Needs {
        reach: arguments.reach(),
        kind: arguments.is_of_one_kind(),
        kind_beside_points: arguments.relation.check_of_points().is_err(),
        allows_points_alone: true,
    };
    let (mut a, mut b) = arguments.input.read_near(needs, &bar)?;
    let of_points = PointSets::of(&mut a, b.as_mut())?;
    let b = b.as_ref();
    let only_on_cpu = reason_for_the_cpu(arguments, [Some(&a), b]);
    let reach = arguments.measure.within().unwrap_or(0.0);
    let engine = times.of_backend(|| backend::after_input(engine, (&a, b), reach, only_on_cpu))?;
    if let Some(sets) = of_points {
        return run_of_points(arguments, &engine, &sets, (&a, b), (outputs, bar, times));
    }
    let keep = arguments.relation.keep();
    if let Some(sides) = b.and_then(|b| points::Sides::of(&a, b)) {
        return points::run(&points::Run { arguments, engine: &engine, sides, keep, times }, outputs, bar);
    }
    arguments.relation.check_of_polygons()?;
    if outputs.picture.is_some() {
        picture::check_size(&a.set, b.map(|b| &b.set))?;
    }
    let places = arguments.output.has_places();
    let (sets, contains) = ((&a.set, b.map(|b| &b.set)), arguments.contains);
    let asked = Asked { keep, verify: arguments.verify, contains, places };
    let paths = [arguments.input.a.as_path(), arguments.input.b.as_deref().unwrap_or(&arguments.input.a)];
    let answer = arguments.measure.answer(&engine, sets, asked, &bar);
    let answer = answer.map_err(|error| areas::with_name(error, &a, b, paths))?;
    let measured = if arguments.verify {
        bar.message("checking measurements".into());
        Some(MeasuredCheck::of(&answer, sets)?)
    } else {
        None
    };
    let has_lines = write(arguments, (&a, b), &answer, outputs, bar, times)?;
    Ok(outcome_of(&answer, &measured.unwrap_or_default(), (&a, b), has_lines))
}

/// Returns the outcome of a join whose answer was written, and prints the lines of its check. `has_lines` says whether the summary
/// was printed.
fn outcome_of(
    answer: &Answer,
    measured: &MeasuredCheck,
    (a, b): (&Side, Option<&Side>),
    has_lines: bool,
) -> Outcome {
    let Some(report) = &answer.join.check else { return Outcome::Answered };
    let outcome =
        if measured.disagreement_count() == 0 { Outcome::of(report) } else { Outcome::Disagreement };
    if outcome == Outcome::Disagreement || has_lines {
        let mut lines = summary::check_lines(report, a, b);
        lines.extend(summary::measured_check_lines(measured, a, b));
        tell_lines(&lines);
    }
    outcome
}

/// Returns why a GPU would not be used for this join, or `None` if it may be used.
fn reason_for_the_cpu(arguments: &Arguments, sides: [Option<&Side>; 2]) -> Option<&'static str> {
    let any = |holds: fn(&Side) -> bool| sides.into_iter().flatten().any(holds);
    if arguments.measure.nearest().is_some() {
        Some("the CPU finds the nearest features")
    } else if any(|side| !side.features.points.is_empty()) {
        // A GPU may measure the distances of `--within`.
        arguments.measure.within().is_none().then_some(backend::OF_POINTS)
    } else {
        let is_of_relations = !arguments.verify && !arguments.measure.measures(arguments.output.has_places());
        // Such a join does not split the large polygons of a set that keeps their rings.
        let on_edges = is_of_relations && any(|side| side.set.made_piece_count().is_none());
        on_edges.then_some(backend::OF_EDGES)
    }
}

/// Joins points with points.
fn run_of_points(
    arguments: &Arguments,
    engine: &Engine,
    sets: &PointSets,
    (a, b): (&Side, Option<&Side>),
    (outputs, bar, times): (Outputs, Bar, Times),
) -> Result<Outcome> {
    points::refuse_what_is_of_polygons(arguments, outputs.picture.as_ref(), None)?;
    arguments.relation.check_of_points()?;
    let mut answer = sets.answer(engine, &arguments.measure, &bar)?;
    let measured = if arguments.verify {
        bar.message("checking measurements".into());
        answer.join.check = Some(points::check_of_both(&answer, a, b.unwrap_or(a)));
        MeasuredCheck::of(&answer, (&a.set, b.map(|b| &b.set)))?
    } else {
        MeasuredCheck::default()
    };
    let has_lines = write(arguments, (a, b), &answer, outputs, bar, times)?;
    Ok(outcome_of(&answer, &measured, (a, b), has_lines))
}

/// Writes the outputs of a join of polygons or of a join of points with points, and prints the summary. Returns whether the
/// summary was printed.
fn write(
    arguments: &Arguments,
    (a, b): (&Side, Option<&Side>),
    answer: &Answer,
    outputs: Outputs,
    bar: Bar,
    times: Times,
) -> Result<bool> {
    let Outputs { pairs, statistics, picture } = outputs;
    bar.message("writing".into());
    if arguments.output.is_terminal() {
        bar.clear();
    }
    let write_start = Instant::now();
    if let Some(output) = picture
        && !picture::write(output, &a.set, b.map(|b| &b.set), &answer.join.items)?
    {
        bar.suspend(|| tell("note: too many pairs to draw; the picture shows only the polygons"));
    }
    let ids = [&a.features.ids, &b.unwrap_or(a).features.ids];
    let counts = arguments.has_counts().then(|| answer.counts(a.set.object_count(), b.is_none()));
    let written = counts.as_ref().map_or(answer.row_count(), Vec::len);
    let pairs = match &counts {
        None => {
            let row = answer.rows(a, b, arguments.output.has_places());
            arguments.output.write_pairs(pairs, answer.columns(), &Rows { ids, count: written, row: &row })?
        }
        Some(counts) => arguments.output.write_counts(pairs, ids, counts)?,
    };
    let times = times.with_write(write_start.elapsed());
    if let Some(output) = statistics {
        let apart = answer.apart().unwrap_or(0);
        let statistics = Statistics::new(a, b, answer, times);
        statistics.with_rows(written, apart).write(output)?;
    }
    // The pairs are committed last, so that the run leaves no pairs behind if another file cannot be written.
    let has_lines = pairs.is_some() && !arguments.quiet;
    pairs.map(Output::commit).transpose()?;
    drop(bar);
    if has_lines {
        tell_lines(&summary::join_lines(a, b, answer, times));
    }
    Ok(has_lines)
}
