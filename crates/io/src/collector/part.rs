//! Consecutive features that one task has decoded.

use sat2d::glam::DVec2;

use super::problems::{Problem, Problems};
use crate::chunk::Chunk;
use crate::lines::Lines;
use crate::name::{Name, Names, Naming};
use crate::region::{Region, decoded};
use crate::srids::{Srids, Stated};
use crate::{Id, ReadCounts, ReadOptions, Result};

/// Consecutive features that one task has decoded.
#[derive(Debug, Default)]
pub(crate) struct Part {
    max_described: usize,
    pub(super) chunk: Chunk,
    /// [`Name::id`] of each feature.
    pub(super) names: Names,
    /// The value of [`Name::own`] of each feature. The list may be shorter than `names`. The other features have none.
    pub(super) own_ids: Vec<Option<Id>>,
    pub(super) points: Vec<DVec2>,
    /// The index in this part of each point's feature.
    pub(super) features_of_points: Vec<u32>,
    pub(super) counts: ReadCounts,
    pub(super) srids: Srids,
    pub(super) lines: Lines,
    pub(super) problems: Problems,
}

/// A place in a part, after some of its features. The default is the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartMark {
    coordinates: usize,
    points: usize,
}

/// The result of decoding a feature, apart from its polygons and points, which the decoder appends to the [`Part`].
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) name: Name,
    /// The counts of this feature. They cover its geometry and the property that names it, but not repeated names.
    pub(crate) counts: ReadCounts,
    /// The SRID that the geometry states, or 0 if it states none.
    pub(crate) srid: u32,
    /// The number of points that were appended, or the reason why the feature has no geometry. A feature with points
    /// has no polygons.
    pub(crate) points: Result<usize>,
}

impl Part {
    /// Adds a feature. `decode` appends exactly one feature to the part's chunk, and the feature's points to the list.
    ///
    /// # Errors
    /// Returns the error of `decode`. In this case, `decode` must not have appended anything.
    pub(crate) fn add<E>(
        &mut self,
        decode: impl FnOnce(&mut Chunk, &mut Vec<DVec2>) -> Result<Decoded, E>,
    ) -> Result<(), E> {
        let Decoded { name, counts, srid, points } = decode(&mut self.chunk, &mut self.points)?;
        let feature = self.names.len();
        if srid != 0 {
            self.srids.add(Stated { srid, feature });
        }
        self.counts += counts;
        let Name { id, own } = name;
        self.names.push(id);
        if own.is_some() {
            self.own_ids.resize(feature, None);
            self.own_ids.push(own);
        }
        match points {
            Ok(count) => self.features_of_points.extend(std::iter::repeat_n(feature as u32, count)),
            Err(error) => self.problems.push(Problem { feature, polygons: 0, error }, self.max_described),
        }
        Ok(())
    }

    /// Adds a feature whose geometry `decode` decodes. Returns whether the caller should decode more features of the part.
    /// Returns `false` if the part has an invalid feature, unless the options say to leave out invalid features.
    pub(crate) fn add_named(
        &mut self,
        name: Name,
        naming: Naming<'_>,
        options: &ReadOptions,
        decode: impl FnOnce(Region<'_>) -> Result<()>,
    ) -> bool {
        let added = self.add(|chunk, points| {
            Ok::<_, std::convert::Infallible>(decoded(name, naming, chunk, points, decode))
        });
        let Ok(()) = added;
        options.skip_invalid || !self.has_problem()
    }

    /// Sets the line on which the next feature begins, from 1.
    pub(crate) fn set_next_line(&mut self, line: usize) {
        self.lines.push(self.names.len(), line);
    }

    /// Returns the number of features.
    #[cfg(feature = "parquet")]
    pub(crate) fn feature_count(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn mark(&self) -> PartMark {
        PartMark { coordinates: self.chunk.coordinates.len(), points: self.points.len() }
    }

    /// Returns whether `aabb` contains all coordinates that were decoded after the mark. NaN counts as inside, because it makes
    /// its feature invalid.
    pub(crate) fn lies_in(&self, aabb: sat2d::Aabb, mark: PartMark) -> bool {
        let is_out =
            |&[x, y]: &[f64; 2]| x < aabb.min.x || x > aabb.max.x || y < aabb.min.y || y > aabb.max.y;
        !self.chunk.coordinates[mark.coordinates..].iter().any(is_out)
            && !self.points[mark.points..].iter().any(|point| is_out(&point.to_array()))
    }

    /// Returns whether the part has an invalid feature.
    pub(crate) fn has_problem(&self) -> bool {
        !self.problems.features.is_empty()
    }

    /// Returns an empty part. `options` limits the number of invalid features that the part will describe.
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self { max_described: options.max_described.max(1), ..Self::default() }
    }

    /// Returns a part of features with one point each. Point `i` is the point of feature `i`.
    #[cfg(feature = "arrow")]
    pub(crate) fn of_points(
        names: Names,
        points: Vec<DVec2>,
        naming: Naming<'_>,
        options: &ReadOptions,
    ) -> Self {
        let mut part = Self::new(options);
        part.counts.features = names.len();
        part.counts.ids_missing = if naming.property.is_some() { names.missing_count() } else { 0 };
        part.chunk.end_features(names.len());
        part.features_of_points = (0..names.len() as u32).collect();
        (part.names, part.points) = (names, points);
        part
    }

    /// Returns an empty part for about `count` features.
    #[cfg(feature = "arrow")]
    pub(crate) fn for_features(count: usize, options: &ReadOptions) -> Self {
        let mut part = Self::new(options);
        part.names = Names::Any(Vec::with_capacity(count));
        part.chunk.reserve(count);
        part
    }
}
