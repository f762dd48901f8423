//! Decides which reference system an input states.
//!
//! The metadata of a file states the system of the whole file. The collections of GeoJSON and the geometries of a table may
//! state one, too.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sat2d::internal::Shown;

use super::Collector;
use crate::srids::{Srids, Stated};
use crate::{Crs, Error, IdRef, Result};

/// The statements about the reference system of an input.
#[derive(Debug, Default)]
pub(super) struct Systems {
    srids: Srids,
    /// Whether the metadata of the file states the system.
    is_of_metadata: bool,
    /// The first part file that states the system. `None` if the input is one file, or if no part file states a system.
    part: Option<PathBuf>,
}

impl Systems {
    /// Adds the SRIDs of a part of the features. The first of these features has the index `first`.
    pub(super) fn add(&mut self, srids: Srids, first: usize) {
        self.srids.append(srids, first);
    }

    /// Returns the number of features that state each SRID.
    pub(super) fn into_counts(self) -> BTreeMap<u32, usize> {
        self.srids.counts
    }
}

/// Formats a system for a message.
fn shown(crs: &Crs) -> String {
    Shown(&crs.to_string()).to_string()
}

impl Collector<'_> {
    /// Takes the reference system and the type of the edges that the metadata of the file states.
    pub(crate) fn describe(&mut self, crs: Option<Crs>, has_spherical_edges: bool) {
        self.systems.is_of_metadata = crs.is_some();
        self.features.crs = crs;
        self.features.has_spherical_edges = has_spherical_edges;
    }

    /// Takes the reference systems that the collections of GeoJSON state: the first system, and another system that
    /// certainly differs from it.
    ///
    /// # Errors
    /// Returns an error if there is another system, unless the options say to ignore the systems.
    pub(crate) fn state(&mut self, first: Option<Crs>, other: Option<Crs>) -> Result<()> {
        match (first, other) {
            (Some(first), Some(other)) => self.differ(&format!(
                "one of its collections states the reference system {}, but another states {}",
                shown(&first),
                shown(&other)
            )),
            (first, _) => {
                self.features.crs = first;
                Ok(())
            }
        }
    }

    /// Decides which system the input states. If the metadata states no system, the SRIDs of the geometries do.
    ///
    /// # Errors
    /// Returns an error if two geometries state different systems, or if a geometry states a system that certainly differs
    /// from the one in the metadata. If the options say to ignore the systems, or to accept several SRIDs, returns no error.
    pub(super) fn decide_system(&mut self) -> Result<()> {
        let Srids { first: Some(first), other, .. } = self.systems.srids else { return Ok(()) };
        let of_first = Crs::from_srid(first.srid);
        let of_metadata = self.features.crs.as_ref();
        let differ = other.is_some() || of_metadata.is_some_and(|crs| crs.differs_from(&of_first));
        if differ && self.options.several_srids {
            return Ok(());
        }
        match (other, &self.features.crs) {
            (Some(other), _) => {
                let [first, other] = [first, other].map(|stated| self.shown_srid(stated));
                return self.differ(&format!("{first}, but {other}"));
            }
            (None, Some(crs)) if crs.differs_from(&of_first) => {
                let (crs, first) = (shown(crs), self.shown_srid(first));
                return self.differ(&format!("its metadata states the reference system {crs}, but {first}"));
            }
            (None, Some(_)) => {}
            (None, None) => self.features.crs = Some(of_first),
        }
        Ok(())
    }

    /// Returns the error of an input with different systems, unless the options say to ignore the systems.
    fn differ(&self, problem: &str) -> Result<()> {
        if self.options.ignore_crs {
            return Ok(());
        }
        let ignoring = self.options.option_names.crs;
        let ignoring = ignoring.map_or(String::new(), |option| format!(", or ignore the systems ({option})"));
        let problem = format!("{problem}; write the input in one reference system{ignoring}");
        Err(Error::Format { path: self.path.into(), problem })
    }

    /// Returns the part of a message that says which SRID a feature states.
    fn shown_srid(&self, Stated { srid, feature }: Stated) -> String {
        let id = self.features.ids.get(feature).filter(|id| !matches!(id, IdRef::Index(_)));
        let id = id.map_or(String::new(), |id| format!(" (id {})", Shown(&id.to_string())));
        let line = self.lines.of(feature).map_or(String::new(), |line| format!(" on line {line}"));
        format!("feature {feature}{id}{line} states the SRID {srid}")
    }

    /// Returns the reason why a part file cannot follow the part files before it, if it states another system. `first` is the
    /// name of the first part file.
    pub(super) fn problem_of_system(&self, other: &Collector<'_>, first: &str) -> Option<String> {
        if self.options.ignore_crs {
            return None;
        }
        let is_alike = match (&self.features.crs, &other.features.crs) {
            (Some(before), Some(crs)) => before.is_same_as(crs),
            (None, None) => true,
            // Collections and geometries may leave out the system, so only a system in the metadata conflicts with a missing one.
            _ => !self.systems.is_of_metadata && !other.systems.is_of_metadata,
        };
        if is_alike {
            return None;
        }
        let system = |crs: &Option<Crs>| crs.as_ref().map_or("not stated".into(), shown);
        let before = self.systems.part.as_ref().map_or(first.into(), |path| path.display().to_string());
        let systems = [&other.features.crs, &self.features.crs].map(system);
        Some(format!("its reference system is {}, but that of {before} is {}", systems[0], systems[1]))
    }

    /// Counts the SRIDs of a part file. Takes its reference system, unless an earlier part file states one. The input states no
    /// system if a part file has several SRIDs. It also states none if part files state different systems and the options say to
    /// ignore the systems.
    pub(super) fn append_system(&mut self, other: &Collector<'_>) {
        self.systems.srids.count(other.systems.srids.counts.clone());
        let has_several = |systems: &Systems| !systems.is_of_metadata && systems.srids.other.is_some();
        if has_several(&self.systems) || has_several(&other.systems) {
            self.features.crs = None;
            self.systems.part.get_or_insert_with(|| other.path.into());
            return;
        }
        let Some(crs) = &other.features.crs else { return };
        match (&self.features.crs, &self.systems.part) {
            (Some(before), _) if before.differs_from(crs) => self.features.crs = None,
            (Some(_), _) | (None, Some(_)) => {}
            (None, None) => {
                self.features.crs = Some(crs.clone());
                self.systems.is_of_metadata = other.systems.is_of_metadata;
                self.systems.part = Some(other.path.into());
            }
        }
    }
}
