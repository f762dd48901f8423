use glam::DVec2;

use super::*;

fn at(x: f64, y: f64) -> Aabb {
    Aabb { min: [x, y].into(), max: [x, y].into() }
}

fn assert_steps_to_neighbours(bits: u32) {
    // The first 4^8 positions fill the first square of 256 by 256 cells.
    let mut cells = vec![None; 1 << 16];
    for x in 0..256 {
        for y in 0..256 {
            let place = along_curve(bits, x, y) as usize;
            assert_eq!(cells[place].replace((x, y)), None);
        }
    }
    for pair in cells.windows(2) {
        let [Some(a), Some(b)] = pair else { panic!("a place without a cell") };
        assert_eq!(a.0.abs_diff(b.0) + a.1.abs_diff(b.1), 1, "{a:?} to {b:?}");
    }
    assert_eq!(u64::from(along_curve(bits, (1 << bits) - 1, 0)), (1 << (2 * bits)) - 1);
}

#[test]
fn the_curve_visits_every_cell_and_steps_to_a_neighbour() {
    assert_steps_to_neighbours(CELL_BITS);
    assert_steps_to_neighbours(FEW_KEYS_CELL_BITS);
}

#[test]
fn quadrants_are_runs() {
    let corners = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]];
    // Four points near each corner, in an order that alternates between the corners.
    let boxes: Vec<Aabb> = (0..16)
        .map(|i| {
            let [x, y] = corners[i % 4];
            let [dx, dy] = corners[i / 4].map(|d| d / 8.0);
            at(x + dx, y + dy)
        })
        .collect();
    for run in order(&boxes).chunks(4) {
        assert!(run.iter().all(|i| i % 4 == run[0] % 4), "{run:?}");
    }
}

#[test]
fn every_index_once_whatever_the_boxes() {
    let nested = |i: i32| at(2_f64.powi(-i), 2_f64.powi(i));
    for boxes in [
        vec![],
        vec![at(1.0, 1.0); 3000],
        vec![at(0.0, 0.0), at(f64::MIN_POSITIVE, 0.0)],
        vec![at(3e60, -3e60), at(0.0, 1e-43), at(-3e60, 3e60)],
        (0..1000).map(nested).collect(),
        (0..3000).map(|i| if i % 2 == 0 { nested(i) } else { at(0.0, f64::from(i)) }).collect(),
        vec![at(f64::INFINITY, f64::NEG_INFINITY), at(f64::MAX, 0.0), at(-f64::MAX, 1.0)],
    ] {
        let mut order = order(&boxes);
        order.sort_unstable();
        assert_eq!(order, (0..boxes.len() as u32).collect::<Vec<_>>());
    }
    assert_eq!(order(&[Aabb::EMPTY, at(0.0, 0.0), at(f64::NAN, 0.0)]), [1]);
}

#[test]
fn boxes_that_crowd_get_finer_cells() {
    let point = |i: usize| [(i as f64 * 0.754_877_666).fract(), (i as f64 * 0.569_840_291).fract()];
    let even = |i: usize| at(point(i)[0], point(i)[1]);
    let in_clusters = |i: usize| {
        let [x, y] = point(i);
        at(x + 100.0 * (i % 3) as f64, y)
    };
    for (count, crowd_bits) in
        [(900, FEW_KEYS_CELL_BITS), (20_000, CELL_BITS), (100_000, CELL_BITS), (300_000, CELL_BITS)]
    {
        let even_bits = if count < PARALLEL_KEYS { FEW_KEYS_CELL_BITS } else { MANY_KEYS_CELL_BITS };
        for (scene, bits) in [(&even as &dyn Fn(usize) -> Aabb, even_bits), (&in_clusters, crowd_bits)] {
            let boxes: Vec<Aabb> = (0..count).map(scene).collect();
            let keys: Vec<u64> = (0..count as u64).collect();
            let grid = Grid::over(Extent::of(&boxes, &keys), &boxes, &keys).unwrap();
            assert_eq!(grid.cell_bits, bits, "{count}");
            let mut sorted = order(&boxes);
            // Neighbours in the order are mostly near each other, so the path through the boxes is short.
            let length = |order: &[u32]| -> f64 {
                let centre = |i: u32| DVec2::from(twice_centre(&boxes[i as usize]));
                order.windows(2).map(|w| centre(w[0]).distance(centre(w[1]))).sum()
            };
            assert!(length(&sorted) < 5.0 * (count as f64).sqrt() + 1000.0, "{}", length(&sorted));
            sorted.sort_unstable();
            assert!(sorted.iter().zip(0..).all(|(&index, i)| index == i));
        }
    }
}

#[test]
fn the_radix_sort_is_stable() {
    let forms = [
        (5000, 37, FEW_KEYS_CELL_BITS),
        (5000, 599, MANY_KEYS_CELL_BITS),
        (PARALLEL_KEYS + 77, 599, MANY_KEYS_CELL_BITS),
        (5000, 599_999, CELL_BITS),
        (PARALLEL_KEYS + 77, 599_999, CELL_BITS),
    ];
    for (count, apart, cell_bits) in forms {
        let place = |i: u64| i * 0x9E37_79B9 % 7000 * apart;
        let mut keys: Vec<u64> = (0..count as u64).map(|i| place(i) << 32 | i).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        let mut by_bytes = keys.clone();
        radix_sort(&mut keys, cell_bits, &mut Vec::new());
        assert!(keys == expected);
        // Also tests the variant for browsers, which uses one digit size for all keys.
        sort_by_digits::<8, 256, 4>(&mut by_bytes, &mut vec![0; count]);
        assert!(by_bytes == expected);
    }
}

#[test]
fn the_order_is_the_same_on_any_number_of_threads() {
    let on = |threads: usize, boxes: &[Aabb]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| order(boxes))
    };
    // Unordered points. Some are equal, some are in clusters, and some are far away.
    let boxes = |count: usize, clusters: usize| -> Vec<Aabb> {
        let point = |i: usize| {
            let cluster = (i % clusters) as f64 * 1e3;
            let [x, y] = [0.754_877_666, 0.569_840_291].map(|step| (i as f64 / 2.0 * step).fract());
            if i % 9999 == 7 { at(1e9 * x, y) } else { at(cluster + x, cluster - y) }
        };
        (0..count).map(point).collect()
    };
    for (count, clusters) in
        [(PARALLEL_KEYS_OF_SEVERAL, 1), (30_000, 3), (30_000, 20_000), (PARALLEL_KEYS, 2)]
    {
        let boxes = boxes(count, clusters);
        let alone = on(1, &boxes);
        assert_eq!(alone.len(), count);
        for threads in [SEVERAL_THREADS, 7] {
            assert!(on(threads, &boxes) == alone, "{count} boxes, {threads} threads");
        }
    }
}
