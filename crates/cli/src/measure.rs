//! The pairs that `join` finds, and the measurements that the options request for each pair.

use clap::{Args, ValueEnum};

use super::answer::{Answer, Figures};
use super::areas::{AreaArguments, Overlaps};
use super::nearest::{self, NearestArguments};
use super::pair_lists::{retain, with_near};
use super::progress::Bar;
use crate::error::Result;
use sat2d::internal::checked_distance;
use sat2d::{
    Containment, Containments, CoveringPair, Distances, Engine, Keep, Manifolds, Nearest, Penetrations,
    PolygonSet, RelatedPair, Relation, Relations,
};
use sat2d_io::Column;

/// The options that select pairs beyond the pairs that meet, and the measurements of each pair.
#[derive(Args, Debug)]
pub(super) struct MeasureArguments {
    /// Write the pairs whose true distance is at most D, in the unit of the coordinates, or with --nearest the nearest of these
    /// pairs. The column `distance` is 0 for pairs that meet, and is never above D. Pairs that do not meet have the relation
    /// `disjoint`, or `outside` if one is a point and the other a polygon.
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = length, conflicts_with_all = ["relation", "contains"])]
    within: Option<f64>,
    #[command(flatten)]
    nearest: NearestArguments,
    /// Write measurements of each pair: distance, penetration, manifold, area, iou, area_a, area_b. Columns always have this order.
    #[arg(long = "with", value_name = "MEASUREMENT,..", value_enum, value_delimiter = ',', long_help = WITH)]
    figures: Vec<FigureArgument>,
    #[command(flatten)]
    pub(super) areas: AreaArguments,
}

const WITH: &str = "\
Write measurements of each pair, from a list separated by commas. The columns always have
this order, whatever the order of the list:

  distance     distance,ax,ay,bx,by: the distance, which is 0 if the two meet, and the
               closest points of A and B if the two are apart; use it with --within or
               --nearest
  penetration  depth,normal_x,normal_y: the length of the shortest translation that
               separates the two, above 0 if they overlap and 0 if they touch, and the
               unit vector from A to B; a convex B that is moved by the normal times
               the depth no longer overlaps a convex A, except for rounding
  manifold     contacts,x1,y1,separation1,x2,y2,separation2: the number of contact
               points, 1 or 2, and the position and the gap of each; a gap is negative
               where the two overlap; with --within, also points up to D apart
  area         area: the common area, above 0 if the two overlap
  iou          iou: the common area divided by the area of the union, 1 if the two
               are equal
  area_a       area_a: the area of A
  area_b       area_b: the area of B

A value that a pair does not have is an empty field. If the objects have several convex
pieces, penetration and manifold are those of the deepest pair of pieces; other pieces
may still overlap after the move.

Relations and the set of pairs are exact. Measurements are evaluated in f64 from the
coordinates as given, with the same digits on every backend. The error of a measurement
is at most 2^-44 times the pair's size. The error of a common area is at most 2^-44 times
the area of the smaller box. Positions are also rounded to f64. If a short decimal is
within this bound, it is written instead: boxes that end at 0.1 and begin at 0.3 are 0.2
apart, not 0.19999999999999998.

If a file has points, only distance can be given.

JSON lines have members instead: distance (a number) and closest ({a, b}), penetration
({normal, depth}), manifold ({normal, points: [{position, separation, features}]}) and
the numbers area, iou, area_a and area_b.
A member without a value is null.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FigureArgument {
    /// The shortest translation that separates the two.
    Penetration,
    /// The contact points.
    Manifold,
    /// The distance and the closest points.
    Distance,
    /// The common area.
    Area,
    /// Intersection over union.
    Iou,
    /// The area of A.
    #[value(name = "area_a")]
    AreaA,
    /// The area of B.
    #[value(name = "area_b")]
    AreaB,
}

/// The measurements of areas, each with its column, in the order of the columns in the output.
const AREAS: [(FigureArgument, Column); 4] = [
    (FigureArgument::Area, Column::Area),
    (FigureArgument::Iou, Column::Iou),
    (FigureArgument::AreaA, Column::AreaA),
    (FigureArgument::AreaB, Column::AreaB),
];

/// The options of a join that are not measurements: which pairs it keeps, and what it checks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    pub(super) keep: Keep,
    /// Whether exact arithmetic decides every pair a second time.
    pub(super) verify: bool,
    /// Whether only pairs in which one object covers the other are wanted.
    pub(super) contains: bool,
    /// Whether the output needs the positions at which pairs touch.
    pub(super) places: bool,
}

/// Parses the distance of `--within`. Returns the errors of [`number`].
fn length(text: &str) -> std::result::Result<f64, String> {
    number(text, "give 0 for the pairs that meet")
}

/// Parses a number. Returns an error if the text is not a number, or if it is not 0 but f64 rounds it to 0. `remedy` is the end of
/// the message for such a number.
pub(super) fn number(text: &str, remedy: &str) -> std::result::Result<f64, String> {
    let number: f64 = text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?;
    let digits = text.split(['e', 'E']).next().unwrap_or(text);
    if number == 0.0 && digits.contains(|c: char| matches!(c, '1'..='9')) {
        let problem =
            if number.is_sign_negative() { "is negative" } else { "is smaller than any f64 above 0" };
        return Err(format!("{problem}; {remedy}"));
    }
    Ok(number)
}

impl MeasureArguments {
    /// Returns an error if `--within` or `--nearest` is invalid, or if `--nearest` excludes a requested measurement.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(distance) = self.within {
            checked_distance("--within", distance)?;
        }
        self.nearest.check(self.of_polygons())
    }

    /// Returns the first measurement of `--with` that applies only to polygons, or `None` if there is none.
    pub(super) fn of_polygons(&self) -> Option<String> {
        let figure = self.figures.iter().find(|&&figure| figure != FigureArgument::Distance)?;
        figure.to_possible_value().map(|value| value.get_name().to_owned())
    }

    /// Returns the greatest distance of `--within`, or `None` without this option.
    pub(super) fn within(&self) -> Option<f64> {
        self.within
    }

    /// Returns the query of `--nearest`, or `None` without this option.
    pub(super) fn nearest(&self) -> Option<Nearest> {
        self.nearest.query(self.within)
    }

    /// Returns the columns of the distance and of the closest points, if the options request these columns.
    pub(super) fn distance_columns(&self) -> Vec<Column> {
        let has_closest = self.figures.contains(&FigureArgument::Distance);
        let columns = [
            (Column::Distance, self.within.is_some() || self.nearest().is_some() || has_closest),
            (Column::Closest, has_closest),
        ];
        columns.into_iter().filter(|(_, is_requested)| *is_requested).map(|(column, _)| column).collect()
    }

    /// Returns whether the pairs are measured. `has_places` says whether the output needs the positions at which pairs touch.
    pub(super) fn measures(&self, has_places: bool) -> bool {
        self.within.is_some() || !self.figures.is_empty() || self.areas.selects() || has_places
    }

    /// Finds the pairs, and computes the requested measurements. Returns the errors of the queries.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        (a, b): (&PolygonSet, Option<&PolygonSet>),
        asked: Asked,
        bar: &Bar,
    ) -> Result<Answer> {
        let join = match b {
            None => engine.self_join(a),
            Some(b) => engine.join(a, b),
        };
        let mut join = join.progress(bar);
        if let Some(query) = self.nearest() {
            let (join, found) = nearest::polygons(join, (a, b), query)?;
            let Figures { columns, within, .. } = self.columns(false);
            let figures = Figures { columns, within, is_of_nearest: true, ..Figures::counts_of(&found) };
            let figures = Figures { distances: Some(found.items), ..figures };
            return Ok(Answer { figures, ..Answer::of(join) });
        }
        let covering = if asked.contains { Some(join.query(Containments)?) } else { None };
        let asks_for = |figure| self.figures.contains(&figure);
        let has_manifolds = asks_for(FigureArgument::Manifold);
        let margin = self.within.filter(|_| has_manifolds).unwrap_or(0.0);
        let relations = (!asked.contains).then_some(Relations);
        let distances = self.within.map(|_| Distances);
        let penetrations = asks_for(FigureArgument::Penetration).then_some(Penetrations);
        let manifolds = (asked.places || has_manifolds).then_some(Manifolds { margin });
        let has_areas = AREAS.iter().any(|&(figure, _)| asks_for(figure)) || self.areas.selects();
        let overlaps = has_areas.then(|| self.areas.query([a, b.unwrap_or(a)]));
        if let Some(within) = self.within {
            join = join.within(within);
        }
        if asked.keep != Keep::Meeting {
            join = join.keep(asked.keep);
        }
        if asked.verify {
            join = join.check();
        }
        let mut figures = self.columns(asked.contains);
        let mut answers = ((None, None), None, None, None);
        let measures = self.measures(asked.places);
        if let (Some(relations), false) = (relations, measures) {
            // A query of relations alone is faster, because it does not split large polygons into pieces.
            answers.0.0 = Some(join.query(relations)?);
        } else if relations.is_some() || measures {
            answers = join.query(((relations, distances), penetrations, manifolds, overlaps))?;
        }
        let ((relations, distances), penetrations, manifolds, overlaps) = answers;
        figures.distances = distances.map(|found| figures.counted(found));
        figures.penetrations = penetrations.map(|found| figures.counted(found));
        figures.manifolds = manifolds.map(|found| figures.counted(found));
        if let Some(found) = overlaps {
            (figures.choice, figures.time) = (Some(found.choice.clone()), found.timings.total);
            figures.measured += found.counts.candidate_pairs;
            figures.overlaps = Some(Overlaps::of(found, [a, b.unwrap_or(a)]));
        }
        figures.time = relations.as_ref().map_or(figures.time, |found| found.timings.measure);
        let (mut join, containments) = match (relations, covering) {
            (Some(relations), _) => (relations, None),
            (None, Some(covering)) => {
                let containments: Vec<Containment> = covering.iter().map(|pair| pair.containment).collect();
                let related = |&CoveringPair { a, b, .. }: &CoveringPair| RelatedPair {
                    a,
                    b,
                    relation: Relation::Overlapping,
                };
                let pairs = covering.iter().map(related).collect();
                (covering.with_items(pairs), Some(containments))
            }
            (None, None) => unreachable!("either the relations or the containments are computed"),
        };
        if let Some(distances) = &figures.distances {
            join.items = with_near(&join.items, distances);
        }
        Ok(self.selected(Answer { containments, figures, ..Answer::of(join) }, b.is_none()))
    }

    /// Keeps the pairs that the options for areas select.
    fn selected(&self, mut answer: Answer, is_self_join: bool) -> Answer {
        if let Some(overlaps) = answer.figures.overlaps.as_ref().filter(|_| self.areas.selects()) {
            let selected = self.areas.select(&answer.join.items, overlaps, is_self_join);
            let keep = || selected.kept.iter().copied();
            retain(&mut answer.join.items, keep());
            answer.containments.iter_mut().for_each(|containments| retain(containments, keep()));
            answer.directed = selected.directed;
        }
        answer
    }

    /// Returns measurements that have the requested columns, in the order of the output, and no values yet.
    fn columns(&self, contains: bool) -> Figures {
        let asks_for = |figure| self.figures.contains(&figure);
        let mut columns = Vec::new();
        let mut add = |column, is_wanted: bool| columns.extend(is_wanted.then_some(column));
        add(Column::Containment, contains);
        self.distance_columns().into_iter().for_each(|distance| add(distance, true));
        add(Column::Penetration, asks_for(FigureArgument::Penetration));
        add(Column::Manifold, asks_for(FigureArgument::Manifold));
        AREAS.into_iter().for_each(|(figure, column)| add(column, asks_for(figure)));
        Figures { columns, within: self.within, ..Figures::default() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;
    use crate::answer::MeasuredCheck;
    use sat2d::Backend;

    #[test]
    fn measurements_that_contradict_the_relation_are_found() {
        let square = |x: f64| vec![[x, 0.0], [x + 2.0, 0.0], [x + 2.0, 2.0], [x, 2.0]];
        let set = PolygonSet::from_convex_rings(&[0.0, 1.0, 3.0, 9.0].map(square)).unwrap();
        let engine = Engine::new(Backend::Cpu).unwrap();
        let all = vec![
            FigureArgument::Penetration,
            FigureArgument::Manifold,
            FigureArgument::Distance,
            FigureArgument::Area,
        ];
        let areas = AreaArguments::default();
        let arguments =
            MeasureArguments { within: Some(4.0), nearest: NearestArguments::default(), figures: all, areas };
        let answer = || arguments.answer(&engine, (&set, None), Asked::default(), &Bar::new()).unwrap();
        // The set has four pairs, with these relations in this order: overlapping, apart, touching, apart.
        let found = |spoil: fn(&mut Figures)| {
            let mut answer = answer();
            spoil(&mut answer.figures);
            let check = MeasuredCheck::of(&answer, (&set, None)).unwrap();
            let wrong = check.contradictions.iter().map(|c| (c.pair[0], c.pair[1], c.measurement));
            (wrong.collect::<Vec<_>>(), check.disagreement_count())
        };
        assert_eq!(found(|_| {}), (vec![], 0));
        let overlapping_without_depth = |figures: &mut Figures| {
            figures.penetrations.as_mut().unwrap()[0].measurement.separation = 0.0;
        };
        assert_eq!(found(overlapping_without_depth), (vec![(0, 1, "penetration")], 1));
        let touching_with_depth = |figures: &mut Figures| {
            figures.penetrations.as_mut().unwrap()[1].measurement.separation = -0.5;
        };
        assert_eq!(found(touching_with_depth), (vec![(1, 2, "penetration")], 1));
        let without_penetration = |figures: &mut Figures| {
            figures.penetrations.as_mut().unwrap().remove(0);
        };
        assert_eq!(found(without_penetration), (vec![(0, 1, "penetration")], 1));
        let without_contact = |figures: &mut Figures| {
            figures.manifolds.as_mut().unwrap().retain(|pair| (pair.a, pair.b) != (1, 2));
        };
        assert_eq!(found(without_contact), (vec![(1, 2, "manifold")], 1));
        let overlapping_without_area = |figures: &mut Figures| {
            figures.overlaps.as_mut().unwrap().first().area = 0.0;
        };
        assert_eq!(found(overlapping_without_area), (vec![(0, 1, "area")], 1));
        let apart_by_nothing = |figures: &mut Figures| {
            figures.distances.as_mut().unwrap()[1].measurement.distance = 0.0;
        };
        assert_eq!(found(apart_by_nothing), (vec![(0, 2, "distance")], 2), "by either check");
        // The check of distances and the check of measurements both report the missing pair.
        let without_pair = |figures: &mut Figures| {
            figures.distances.as_mut().unwrap().remove(3);
        };
        assert_eq!(found(without_pair).1, 2);
    }
}
