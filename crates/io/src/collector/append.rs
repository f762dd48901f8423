//! Joins the features of the part files of an input.

use super::Collector;
use crate::{Error, Id, Result, Source};

impl Collector<'_> {
    /// Adds the features of a part file after all other features. Returns whether to append more part files.
    ///
    /// # Errors
    /// Returns an error if the columns, the reference system, the kind of edges or the kind of geometry differ from the
    /// earlier part files. Also returns an error if the features do not fit in memory or in 32-bit indices.
    pub(crate) fn append(&mut self, other: Collector<'_>) -> Result<bool> {
        let (first, count) = (self.count(), other.count());
        if u32::try_from(first + count).is_err() {
            let limit = u32::MAX as usize;
            return Err(sat2d::Error::TooMany { items: "features", count: first + count, limit }.into());
        }
        self.check_like(&other)?;
        let keeps_own = self.options.id_otherwise && self.lacks_property() && other.lacks_property();
        self.append_system(&other);
        if self.files.is_empty() {
            self.features.has_spherical_edges = other.features.has_spherical_edges;
            self.features.source = other.features.source;
        }
        self.files.push((first, other.path.into()));
        self.are_points = self.are_points.or(other.are_points);
        self.features.counts += other.features.counts;
        self.features.contents += other.features.contents;
        self.features.other_kind_count += other.features.other_kind_count;
        self.features.row_groups += other.features.row_groups;
        let points = &other.features.points;
        let reserved = self.features.points.try_reserve(points.len());
        reserved.and_then(|()| self.features.ids.append_input(other.features.ids)).map_err(|_| {
            let needed_bytes = (first + count) * size_of::<Id>();
            Error::OutOfReadMemory { path: self.path.into(), needed_bytes }
        })?;
        if keeps_own {
            self.own_ids.extend(other.own_ids);
        } else {
            self.own_ids = Vec::new();
        }
        self.features.points.append(first, points.positions(), points.features());
        self.lines.append(other.lines, first);
        self.problems.append(other.problems, first, self.max_described());
        self.chunks.extend(other.chunks);
        self.stop = other.stop;
        Ok(self.stop.is_none() && !self.has_failed())
    }

    /// Returns an error if the columns, the reference system, the kind of edges or the kind of geometry of a part file
    /// differ from those of the earlier part files.
    fn check_like(&self, other: &Collector<'_>) -> Result<()> {
        let Some((_, first)) = self.files.first() else { return Ok(()) };
        let (features, first) = (&other.features, first.display().to_string());
        let columns = |source: &Source| {
            let mut columns = source.columns.clone();
            columns.sort();
            (source.geometry.and_then(|index| source.columns.get(index).cloned()), columns)
        };
        let kind = |are_points: Option<bool>| if are_points == Some(true) { "points" } else { "polygons" };
        let problem = if columns(&features.source) != columns(&self.features.source) {
            let names = [&features.source, &self.features.source].map(|source| source.columns.join(", "));
            format!("its columns are {}, but those of {first} are {}", names[0], names[1])
        } else if let Some(problem) = self.problem_of_system(other, &first) {
            problem
        } else if features.has_spherical_edges != self.features.has_spherical_edges {
            format!("only one of it and {first} has edges that are great circles")
        } else if other.are_points.is_some_and(|are| self.are_points.is_some_and(|before| before != are)) {
            format!("it has {}, but {first} has {}", kind(other.are_points), kind(self.are_points))
        } else {
            return Ok(());
        };
        let problem = format!("{problem}; part files of one input must be alike");
        Err(Error::Format { path: other.path.into(), problem })
    }
}
