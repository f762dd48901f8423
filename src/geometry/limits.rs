//! Limits on lengths, and limits on the sizes of sets.

use glam::DVec2;

use super::{MAX_COORDINATE, MIN_COORDINATE, PolygonSet};
use crate::base::error::{Error, Number, Result};
use crate::base::parallel::prelude::*;

/// Checks a distance, in the caller's unit, and returns it. Returns an error that names `option` if the value is
/// negative, NaN or more than 2^201.
pub fn checked_distance(option: &'static str, value: f64) -> Result<f64> {
    // The range does not contain NaN, so NaN is an error.
    if (0.0..=MAX_COORDINATE).contains(&value) {
        return Ok(value);
    }
    let problem = "must be between 0 and 2^201";
    Err(Error::Option { option, value: Number(value).to_string(), problem })
}

/// Checks that the vertices, shapes and pieces of `a` and `b` together fit 32-bit indices. `b` is `None` if the query
/// has only one set. Returns [`Error::TooMany`] if they do not fit. Returns the error of [`PolygonSet::check_pieces`]
/// if an object cannot be split into pieces.
pub(crate) fn check_sizes(a: &PolygonSet, b: Option<&PolygonSet>) -> Result<()> {
    a.check_pieces()?;
    b.map_or(Ok(()), PolygonSet::check_pieces)?;
    let limit = u32::MAX as usize - 1;
    let both = |count: fn(&PolygonSet) -> usize| count(a) + b.map_or(0, count);
    for (items, count) in [
        ("vertices", both(PolygonSet::vertex_count)),
        ("shapes", both(PolygonSet::shape_count)),
        ("pieces", both(PolygonSet::piece_count)),
    ] {
        if count > limit {
            return Err(Error::TooMany { items, count, limit });
        }
    }
    Ok(())
}

/// Checks that points are finite and in the accepted range. Returns an error for the first invalid point. Returns
/// [`Error::TooMany`] if there are too many points for 32-bit indices.
pub fn check_points<P: Into<DVec2> + Copy + Sync>(points: &[P]) -> Result<()> {
    let limit = u32::MAX as usize - 1;
    if points.len() > limit {
        return Err(Error::TooMany { items: "points", count: points.len(), limit });
    }
    let is_accepted = |x: f64| (x.abs() >= MIN_COORDINATE) & (x.abs() <= MAX_COORDINATE) | (x == 0.0);
    let is_wrong = |point: &P| {
        let v: DVec2 = (*point).into();
        !(is_accepted(v.x) & is_accepted(v.y))
    };
    // Searches runs in parallel. The error names the first invalid point, whichever thread finds an invalid point
    // first.
    const RUN: usize = 1 << 14;
    let Some(run) = points.par_chunks(RUN).position_first(|run| run.iter().any(is_wrong)) else {
        return Ok(());
    };
    let Some(offset) = points[run * RUN..].iter().position(is_wrong) else { return Ok(()) };
    let point = run * RUN + offset;
    let DVec2 { x, y } = points[point].into();
    let problem = if x.is_finite() && y.is_finite() {
        "has a coordinate that is neither 0 nor between 2^-142 (1.8e-43) and 2^201 (3.2e60) in magnitude; rescale the input"
    } else {
        "is not finite; drop or repair the point"
    };
    Err(Error::Point { point, x, y, problem })
}
