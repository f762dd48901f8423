use geo::{Contains, Point, Polygon};
use rayon::prelude::*;

use crate::Rings;
use crate::narrow::geo::polygon;
use crate::whole_join::rstar_geo::tree;

/// Returns the number of points in each polygon. The computation runs in the current thread pool.
pub(super) fn counts(points: &[[f64; 2]], rings: &Rings) -> Vec<u32> {
    let polygons: Vec<Polygon<f64>> = rings.par_iter().map(|ring| polygon(ring)).collect();
    let tree = tree(rings);
    let task = points.len().div_ceil(8 * rayon::current_num_threads()).max(1);
    let parts = points.par_chunks(task).map(|points| {
        let mut counts = vec![0u32; rings.len()];
        for &[x, y] in points {
            for leaf in tree.locate_all_at_point([x, y]) {
                if polygons[leaf.data as usize].contains(&Point::new(x, y)) {
                    counts[leaf.data as usize] += 1;
                }
            }
        }
        counts
    });
    parts.reduce(
        || vec![0; rings.len()],
        |mut total, part| {
            total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
            total
        },
    )
}
