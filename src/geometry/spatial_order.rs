use rayon::prelude::*;

use super::Aabb;

/// The indices of `boxes` along a Z-order curve through their centres (Morton 1966, "A computer oriented geodetic data
/// base"): neighbours in space are mostly neighbours in the list. Equal places are in the order of their indices.
pub(crate) fn spatial_order(boxes: &[Aabb]) -> Vec<u32> {
    /// Cells along an axis.
    const CELLS: f64 = 65_536.0;
    // Twice the centres: the scale makes up for it.
    let point = |aabb: &Aabb| Aabb { min: aabb.min + aabb.max, max: aabb.min + aabb.max };
    let extent = boxes.par_iter().map(point).reduce(|| Aabb::EMPTY, Aabb::union);
    let scale = CELLS / (extent.max - extent.min).max_element();
    let mut keys: Vec<u64> = boxes
        .par_iter()
        .enumerate()
        .map(|(index, aabb)| {
            // Infinite and NaN, where all centres are equal, end in the last and the first cell.
            let cell = ((aabb.min + aabb.max - extent.min) * scale).to_array();
            let [x, y] = cell.map(|c| spread(c.min(CELLS - 1.0) as u16));
            u64::from(x | y << 1) << 32 | index as u64
        })
        .collect();
    keys.par_sort_unstable();
    keys.into_par_iter().map(|key| key as u32).collect()
}

/// The bits of `x` with a 0 before each.
fn spread(x: u16) -> u32 {
    let x = u32::from(x);
    let x = (x | x << 8) & 0x00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f;
    let x = (x | x << 2) & 0x3333_3333;
    (x | x << 1) & 0x5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Aabb {
        Aabb { min: [x, y].into(), max: [x, y].into() }
    }

    #[test]
    fn quadrants_are_runs() {
        let corners = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]];
        // Four points about each corner, dealt in turn.
        let boxes: Vec<Aabb> = (0..16)
            .map(|i| {
                let [x, y] = corners[i % 4];
                let [dx, dy] = corners[i / 4].map(|d| d / 8.0);
                at(x + dx, y + dy)
            })
            .collect();
        let order = spatial_order(&boxes);
        for (run, corner) in order.chunks(4).zip(0..) {
            assert!(run.iter().all(|i| i % 4 == corner), "{order:?}");
        }
    }

    #[test]
    fn every_index_once_whatever_the_boxes() {
        for boxes in [
            vec![],
            vec![at(1.0, 1.0); 3],
            vec![at(0.0, 0.0), at(f64::MIN_POSITIVE, 0.0)],
            vec![at(3e60, -3e60), at(0.0, 1e-43), at(-3e60, 3e60)],
        ] {
            let mut order = spatial_order(&boxes);
            order.sort_unstable();
            assert_eq!(order, (0..boxes.len() as u32).collect::<Vec<_>>());
        }
    }
}
