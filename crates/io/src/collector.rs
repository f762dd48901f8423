//! Collects the features of a file, part by part, and builds their set.

mod append;
mod part;
mod problems;
mod systems;

use std::path::{Path, PathBuf};

use sat2d::PolygonSet;
use sat2d::internal::{Instant, try_reserve};

use crate::chunk::Chunk;
use crate::lines::Lines;
use crate::name::{Names, Naming};
use crate::{Contents, Error, Features, Filled, Id, IdRef, Ids, ReadOptions, Result, Skipped, Source};
pub(crate) use part::{Decoded, Part, PartMark};
use problems::{Problem, Problems};
use systems::Systems;

impl Contents {
    fn add(&mut self, part: &Part) {
        let chunk = &part.chunk;
        self.rings += chunk.ring_count();
        self.positions += chunk.coordinates.len();
        let count = if chunk.coordinates.is_empty() { 0 } else { chunk.feature_count() };
        for feature in (0..count).filter(|&feature| !chunk.is_empty(feature)) {
            let is_one = chunk.polygon_count(feature) == 1;
            *if is_one { &mut self.polygons } else { &mut self.multi_polygons } += 1;
        }
        for points in part.features_of_points.chunk_by(|a, b| a == b) {
            *if points.len() == 1 { &mut self.points } else { &mut self.multi_points } += 1;
        }
    }
}

/// The features of a file that have been read so far.
pub(crate) struct Collector<'a> {
    path: &'a Path,
    options: &'a ReadOptions,
    began: Instant,
    chunks: Vec<Chunk>,
    features: Features,
    systems: Systems,
    lines: Lines,
    problems: Problems,
    /// Whether the features so far are points. `None` until a feature is not empty, unless [`ReadOptions::only_polygons`] is set.
    are_points: Option<bool>,
    /// The `id` of each feature. The list grows only while no feature has the property that names features.
    own_ids: Vec<Option<Id>>,
    /// The reason why the input could not be read to its end, or `None` if it was read to its end.
    stop: Option<Error>,
    /// The number of features that the input promises, within the limit of [`Collector::expect`].
    expected_features: usize,
    /// The number of features with a region or with points that the input promises, within the same limit.
    expected_filled: usize,
    /// The part files, each with the index of its first feature. Empty if the input is one file.
    files: Vec<(usize, PathBuf)>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(path: &'a Path, options: &'a ReadOptions) -> Self {
        Self {
            path,
            options,
            began: Instant::now(),
            chunks: Vec::new(),
            features: Features::default(),
            systems: Systems::default(),
            lines: Lines::default(),
            problems: Problems::default(),
            are_points: options.only_polygons.then_some(false),
            own_ids: Vec::new(),
            stop: None,
            expected_features: 0,
            expected_filled: 0,
            files: Vec::new(),
        }
    }

    pub(crate) fn naming(&self) -> Naming<'a> {
        Naming { property: self.options.id_property.as_deref(), keeps_ids: self.options.id_otherwise }
    }

    /// Sets the names of the columns of the file. `geometry` is the index of the column of geometries, and `id` is the
    /// index of the column of ids. They are `None` if there is no such column.
    pub(crate) fn set_columns(&mut self, columns: Vec<String>, geometry: Option<usize>, id: Option<usize>) {
        self.features.source = Source { format: None, columns, geometry, id };
    }

    pub(crate) fn set_row_groups(&mut self, row_groups: crate::RowGroups) {
        self.features.row_groups = row_groups;
    }

    /// Prepares for `count` features, `filled` of which have a region or points. A damaged file may promise any number of them, so
    /// memory is reserved for at most one feature for each of the `bytes` of the file. A refusal of the memory is no error, because
    /// the features may be fewer.
    #[cfg(feature = "parquet")]
    pub(crate) fn expect(&mut self, count: usize, filled: usize, bytes: u64) {
        let most = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.expected_filled = filled.min(most);
        self.expected_features = count.min(most);
    }

    /// Returns the number of features for which memory is reserved.
    #[cfg(all(test, feature = "parquet"))]
    pub(crate) fn reserved(&self) -> usize {
        self.features.ids.capacity()
    }

    /// Returns the number of invalid features to describe: at least 1, because the first one may become the file's error.
    fn max_described(&self) -> usize {
        self.options.max_described.max(1)
    }

    /// Returns the number of features so far.
    pub(crate) fn count(&self) -> usize {
        self.features.ids.len()
    }

    /// Returns true if an invalid feature was found that must not be left out. The file then cannot be read successfully.
    pub(crate) fn has_failed(&self) -> bool {
        !self.options.skip_invalid && !self.problems.features.is_empty()
    }

    /// Returns whether all features so far lack the property that names features.
    fn lacks_property(&self) -> bool {
        self.features.counts.ids_missing == self.features.counts.features
    }

    /// Adds the features of a part after all other features.
    ///
    /// # Errors
    /// Returns an error if the features do not fit in memory, or in 32-bit indices.
    pub(crate) fn add(&mut self, mut part: Part) -> Result<()> {
        let (first, count) = (self.count(), part.names.len());
        if u32::try_from(first + count).is_err() {
            let limit = u32::MAX as usize;
            return Err(sat2d::Error::TooMany { items: "features", count: first + count, limit }.into());
        }
        self.check_kinds(&mut part);
        if self.features.points.is_empty() && !part.points.is_empty() {
            // A refusal of the memory is no error, because there may be fewer points than features.
            if self.features.points.try_reserve(self.expected_filled).is_ok() {
                self.features.points.ask_for_large_pages();
            }
        }
        self.features.contents.add(&part);
        let keeps_own = self.options.id_otherwise && self.lacks_property();
        try_reserve(&mut self.own_ids, if keeps_own { count } else { 0 })
            .and_then(|()| self.features.points.try_reserve(part.points.len()))
            .and_then(|()| self.features.ids.append(part.names, self.expected_features))
            .map_err(|_| Error::OutOfReadMemory {
                path: self.path.into(),
                needed_bytes: (first + count) * (size_of::<Id>() + size_of::<Option<Id>>()),
            })?;
        self.features.counts += part.counts;
        self.systems.add(part.srids, first);
        self.lines.append(part.lines, first);
        let keeps_own = self.options.id_otherwise && self.lacks_property();
        if keeps_own {
            self.own_ids.append(&mut part.own_ids);
            self.own_ids.resize(first + count, None);
        } else {
            self.own_ids = Vec::new();
        }
        self.features.points.append(first, &part.points, &part.features_of_points);
        self.problems.append(part.problems, first, self.max_described());
        self.chunks.push(part.chunk);
        Ok(())
    }

    /// Marks points among polygons, and polygons among points, as invalid features.
    fn check_kinds(&mut self, part: &mut Part) {
        let (has_points, has_polygons) = (!part.points.is_empty(), !part.chunk.coordinates.is_empty());
        if has_points != has_polygons && *self.are_points.get_or_insert(has_points) == has_points {
            return;
        }
        let has_points_at = |feature: usize| part.features_of_points.binary_search(&(feature as u32)).is_ok();
        let mut others = Vec::new();
        for feature in 0..part.names.len() {
            let is_points = has_points_at(feature);
            if !is_points && part.chunk.is_empty(feature) {
                continue;
            }
            if *self.are_points.get_or_insert(is_points) != is_points {
                others.push(feature);
            }
        }
        self.features.other_kind_count += others.len();
        for &feature in &others {
            let error = Error::MixedGeometries { is_point: has_points_at(feature) };
            let polygons = part.chunk.polygon_count(feature);
            // `sort` below keeps only the first descriptions, so this loop keeps every description.
            let problem = Problem { feature, polygons, error };
            let most = part.problems.described.len() + 1;
            part.problems.push(problem, most);
        }
        part.problems.sort(self.max_described());
        let is_kept = |feature: u32| others.binary_search(&(feature as usize)).is_err();
        let points = std::mem::take(&mut part.points).into_iter().zip(&part.features_of_points);
        part.points = points.filter(|&(_, &feature)| is_kept(feature)).map(|(point, _)| point).collect();
        part.features_of_points.retain(|&feature| is_kept(feature));
        part.chunk = part.chunk.without(&others);
    }

    /// Ends the input. `stop` is the reason why the input could not be read to its end. If there is no such reason, decides
    /// which reference system the input states.
    ///
    /// # Errors
    /// Returns no error. [`Collector::finish`] returns `stop`, or an error if the input states several reference systems.
    #[allow(clippy::unnecessary_wraps, reason = "readers return the result")]
    pub(crate) fn end(mut self, stop: Option<Error>) -> Result<Self> {
        self.stop = stop.or_else(|| self.decide_system().err());
        Ok(self)
    }

    /// Builds the set.
    ///
    /// # Errors
    /// - The error of the first invalid feature, unless invalid features are skipped.
    /// - Otherwise, the reason why the input could not be read to its end.
    /// - Otherwise, [`Error::IdProperty`] if all features lack the requested property, unless the options accept this
    ///   case.
    /// - Before all of these, [`Error::Library`] if there are too many vertices or pieces for 32-bit indices.
    pub(crate) fn finish(mut self) -> Result<Features> {
        let building = Instant::now();
        let columns: Vec<_> = self.chunks.iter().map(|chunk| chunk.columns(self.options.fill)).collect();
        let built = PolygonSet::from_valid_chunks(&columns)?;
        drop(columns);
        let decompose_time = building.elapsed();
        let (most, mut of_set) = (self.max_described(), Problems::default());
        for (feature, error) in built.invalid {
            let polygons = if of_set.described.len() < most { self.polygon_count(feature) } else { 0 };
            let error = match error {
                sat2d::Error::Object { source, .. } => *source,
                error => error,
            };
            of_set.push(Problem { feature, polygons, error: error.into() }, most);
        }
        self.problems.features.append(&mut of_set.features);
        self.problems.described.append(&mut of_set.described);
        self.problems.sort(most);
        self.features.filled_count = built.filled.len();
        let listed = built.filled.into_iter().take(self.options.max_described);
        self.features.filled = listed.map(|(feature, error)| self.filled(feature, error)).collect();
        let skips = self.options.skip_invalid;
        let Problems { features: left_out, described, unsupported } = std::mem::take(&mut self.problems);
        let mut skipped = described.into_iter().map(|problem| self.named(problem));
        if !skips && let Some(first) = skipped.next() {
            return Err(first.error);
        }
        let skipped = skipped.take(self.options.max_described).collect();
        self.stop.take().map_or(Ok(()), Err)?;
        let began = self.began;
        let mut features = self.named_features()?;
        (features.set, features.cleanup) = (built.set, built.cleanup);
        (features.skipped, features.left_out, features.unsupported) = (skipped, left_out, unsupported);
        features.decompose_time = decompose_time;
        features.read_time = began.elapsed().saturating_sub(decompose_time);
        Ok(features)
    }

    fn polygon_count(&self, feature: usize) -> usize {
        let mut before = 0;
        for chunk in &self.chunks {
            if feature < before + chunk.feature_count() {
                return chunk.polygon_count(feature - before);
            }
            before += chunk.feature_count();
        }
        0
    }

    /// Returns the description of a feature that is valid only by the rule for rings that cross.
    fn filled(&self, feature: usize, error: sat2d::Error) -> Filled {
        let error = match error {
            sat2d::Error::Object { source, .. } => *source,
            error => error,
        };
        let Skipped { feature, id, error, .. } =
            self.named(Problem { feature, polygons: 0, error: error.into() });
        Filled { feature, id, error }
    }

    /// Returns the description of an invalid feature, with its name.
    fn named(&self, Problem { feature, polygons, error }: Problem) -> Skipped {
        let given = self.features.ids.get(feature).filter(|id| !matches!(id, IdRef::Index(_)));
        let own = || self.own_ids.get(feature)?.as_ref().map(IdRef::from);
        let id = given.or_else(own).map(|id| id.to_string());
        // In messages, the index of a feature counts from the start of its part file.
        let file = self.files.partition_point(|(start, _)| *start <= feature).checked_sub(1);
        let (start, path) = file.map_or((0, self.path), |file| (self.files[file].0, &*self.files[file].1));
        let (path, in_file, source) = (path.into(), feature - start, Box::new(error));
        let line = self.lines.of(feature);
        let error = Error::Feature { path, line, feature: in_file, id: id.clone(), source };
        Skipped { feature, id, polygons, error }
    }

    /// Returns the features with their final names. Returns [`Error::IdProperty`] if all features lack the requested
    /// property, unless the options accept this case.
    fn named_features(self) -> Result<Features> {
        let lacks_property = self.lacks_property();
        let mut features = self.features;
        features.srids = self.systems.into_counts();
        if let Some(property) = &self.options.id_property
            && features.counts.features > 0
            && lacks_property
        {
            if !self.options.id_otherwise {
                let (paths, property) = (vec![self.path.into()], property.clone());
                return Err(Error::IdProperty { paths, property });
            }
            features.lacks_property = true;
            features.counts.ids_missing = 0;
            let count = self.own_ids.len();
            features.ids = Ids::default();
            let needed_bytes = count * size_of::<Id>();
            let refused = |_| Error::OutOfReadMemory { path: self.path.into(), needed_bytes };
            features.ids.append(Names::Any(self.own_ids), count).map_err(refused)?;
        }
        (features.counts.ids_told_apart, features.counts.ids_repeated) = features.ids.tell_apart();
        features.counts.ids_with_controls = features.ids.count_with_controls();
        Ok(features)
    }
}
