#![doc = include_str!("../README.md")]
//!
//! ```
//! use sat2d::PolygonSet;
//! use sat2d_explain::Explained;
//!
//! let square = |x: f64| [[x, 0.0], [x + 2.0, 0.0], [x + 2.0, 2.0], [x, 2.0]];
//! let set = PolygonSet::from_convex_rings(&[square(0.0), square(1.0)])?;
//! let explained = Explained::new(["left".into(), "right".into()], (&set, 0), (&set, 1))?;
//! assert!(explained.verdict().starts_with("overlapping: "));
//! assert!(explained.svg().starts_with("<svg "));
//! # Ok::<(), sat2d::Error>(())
//! ```

mod drawing;
mod layout;
mod point;
mod report;

pub use point::ExplainedPoint;
use sat2d::{EdgeExplanation, ObjectExplanation, PolygonSet, Relation, Result, SeparatingTranslation};

/// An explanation of two polygons, and their names.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The names of the polygons.
    pub names: [String; 2],
    /// The explanation of the pair of pieces that decides the relation of the polygons.
    pub found: ObjectExplanation,
    /// The edges that show the relation, or `None` if neither set keeps edges.
    pub edges: Option<EdgeExplanation>,
    /// The separating translation, or `None` if none was found.
    pub separating: Option<SeparatingTranslation>,
    /// The place where all vertices are listed, for texts that list only the first ones.
    pub all_vertices: String,
}

impl Explained {
    /// Explains two objects. Each object is given by a set and by its index in the set.
    ///
    /// # Errors
    /// Returns the errors of [`ObjectExplanation::new`], of [`EdgeExplanation::new`] and of
    /// [`SeparatingTranslation::of_objects`].
    pub fn new(
        names: [String; 2],
        (a, i): (&PolygonSet, usize),
        (b, j): (&PolygonSet, usize),
    ) -> Result<Self> {
        let found = ObjectExplanation::new(a, i, b, j)?;
        let edges = EdgeExplanation::new(a, i, b, j)?;
        let separating = SeparatingTranslation::of_objects(a, i, b, j)?;
        Ok(Self { names, found, edges, separating, all_vertices: String::new() })
    }

    /// Returns the exact relation of the objects. The pieces of polygons whose rings cross are rounded, so their relation may
    /// differ.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.edges.as_ref().map_or(self.found.explanation.relation, |edges| edges.relation)
    }

    /// Returns the table, line by line: both polygons, every axis, and the verdict.
    #[must_use]
    pub fn table(&self) -> Vec<String> {
        report::table(self)
    }

    /// Returns the verdict as one sentence: the relation, and the axis or the edges that show it.
    #[must_use]
    pub fn verdict(&self) -> String {
        report::verdict(self)
    }

    /// Returns the picture, as the text of an SVG file: both polygons, and the axes beside them with both projections.
    #[must_use]
    pub fn svg(&self) -> String {
        drawing::svg(self)
    }
}
