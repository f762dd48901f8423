//! The text of a FeatureCollection without its features, and the reference system that the collection states.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::position::{Origin, SyntaxError};
use super::scan::Stop;
use crate::Crs;

/// A top-level object with a `features` array, from which the text of the features is removed.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) origin: Origin,
    pub(super) bytes: Vec<u8>,
}

impl Collection {
    pub(super) fn locate(&self, error: &serde_json::Error) -> SyntaxError {
        SyntaxError::from_json(error, &self.bytes, &self.origin)
    }

    /// Returns the syntax error in the text of the collection so far, or `stop` if the text has no syntax error. If
    /// `stop` is a limit on size or memory, always returns `stop`.
    pub(super) fn first_error(&self, stop: Stop) -> Stop {
        if let Stop::TooLarge | Stop::OutOfMemory(_) = stop {
            return stop;
        }
        match serde_json::from_slice::<IgnoredAny>(&self.bytes) {
            Err(e) if !e.is_eof() => self.locate(&e).into(),
            _ => stop,
        }
    }

    /// Checks a complete collection. Returns the reference system that its member `crs` states, or `None` if the collection
    /// states none. Returns a syntax error if the collection is not JSON or not a FeatureCollection.
    pub(super) fn check(&self) -> Result<Option<Crs>, Stop> {
        #[derive(serde::Deserialize)]
        struct Envelope<'a> {
            r#type: Option<serde_json::Value>,
            #[serde(borrow)]
            crs: Option<&'a RawValue>,
        }
        let envelope: Envelope<'_> = serde_json::from_slice(&self.bytes).map_err(|e| self.locate(&e))?;
        let problem = match envelope.r#type {
            Some(kind) if kind == "FeatureCollection" => {
                let crs = envelope.crs.and_then(|crs| serde_json::from_str(crs.get()).ok());
                return Ok(crs.and_then(|crs| Crs::from_geojson(&crs)));
            }
            Some(kind) => {
                let kind = super::malformed::excerpt(&kind.to_string());
                format!("an object of type {kind} has `features`; only a FeatureCollection may")
            }
            None => "an object with `features` has no `type`; it should be \"FeatureCollection\"".to_owned(),
        };
        Err(SyntaxError::new(self.origin.place, problem).into())
    }
}

/// The reference systems that the collections of an input state.
#[derive(Debug, Default)]
pub(super) struct Systems {
    pub(super) first: Option<Crs>,
    /// The first system that certainly differs from `first`.
    pub(super) other: Option<Crs>,
}

impl Systems {
    /// Adds the system of the next collection, if the collection states one.
    pub(super) fn add(&mut self, crs: Option<Crs>) {
        match (&self.first, crs) {
            (None, crs) => self.first = crs,
            (Some(first), Some(crs)) if self.other.is_none() && first.differs_from(&crs) => {
                self.other = Some(crs);
            }
            _ => {}
        }
    }
}
