//! The table of hand-worked cases, which every kernel and backend uses.

use sat2d::Relation::{self, Disjoint, Overlapping, Touching};

/// Two rings in a form that the library accepts, and the relation of their polygons.
pub(crate) struct Case {
    /// A description of the case.
    pub(crate) name: &'static str,
    /// The first ring. In a few cases, it is clockwise or closed, or has vertices that clean-up removes.
    pub(crate) a: Vec<[f64; 2]>,
    /// The second ring.
    pub(crate) b: Vec<[f64; 2]>,
    /// The relation, worked out by hand.
    pub(crate) expected: Relation,
}

/// The least magnitude of a coordinate, other than 0, that the library accepts: 2^-142.
const LEAST: f64 = sat2d::MIN_COORDINATE;
/// The greatest magnitude of a coordinate that the library accepts: 2^201.
const GREATEST: f64 = sat2d::MAX_COORDINATE;

fn case(name: &'static str, a: &[[f64; 2]], b: &[[f64; 2]], expected: Relation) -> Case {
    Case { name, a: a.to_vec(), b: b.to_vec(), expected }
}

/// Returns the axis-aligned box from (x0, y0) to (x1, y1).
pub(crate) fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> Vec<[f64; 2]> {
    vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
}

fn moved(ring: &[[f64; 2]], x: f64, y: f64) -> Vec<[f64; 2]> {
    ring.iter().map(|p| [p[0] + x, p[1] + y]).collect()
}

fn scaled(ring: &[[f64; 2]], factor: f64) -> Vec<[f64; 2]> {
    ring.iter().map(|p| p.map(|x| x * factor)).collect()
}

fn reversed(ring: &[[f64; 2]]) -> Vec<[f64; 2]> {
    ring.iter().rev().copied().collect()
}

/// Returns a strictly convex polygon of 4 n vertices on two parabolas, at the integers x from -n to n. The lower
/// parabola is y = x^2, and the upper one is y = 2 n^2 - x^2. The lowest vertex is (0, 0), the rightmost is (n, n^2),
/// and the edge from (0, 0) to (1, 1) lies on y = x.
pub(crate) fn lens(n: i32) -> Vec<[f64; 2]> {
    let height = f64::from(2 * n * n);
    let below = (-n..=n).map(f64::from).map(|x| [x, x * x]);
    let above = (1 - n..n).rev().map(f64::from).map(|x| [x, height - x * x]);
    below.chain(above).collect()
}

/// Returns all hand-worked cases.
pub(crate) fn cases() -> Vec<Case> {
    let mut all = plain_contacts();
    all.extend(plain_distances_and_overlaps());
    all.extend(single_steps());
    all.extend(far_and_scaled());
    all.extend(many_vertices());
    all.extend(untidy_rings());
    all
}

fn plain_contacts() -> Vec<Case> {
    let unit = rectangle(0.0, 0.0, 1.0, 1.0);
    let triangle = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
    vec![
        // A is in x <= 1 and B in x >= 1. On x = 1, both have y in 0..1.
        case("shared edge", &unit, &rectangle(1.0, 0.0, 2.0, 1.0), Touching),
        // On x = 1, A has y in 0..1 and B has y in 0.5..1.5.
        case("edge on part of an edge", &unit, &rectangle(1.0, 0.5, 2.0, 1.5), Touching),
        case("edge within a longer edge", &unit, &rectangle(1.0, -5.0, 2.0, 5.0), Touching),
        // On x = 1, A has y in 0..1 and B has y in 1..2. Only the corner is common.
        case("collinear edges with a common end", &unit, &rectangle(1.0, 1.0, 2.0, 2.0), Touching),
        // The common point is the corner (1, 1). The line x + y = 2 separates the polygons.
        case("shared vertex", &unit, &[[1.0, 1.0], [2.0, 0.5], [2.0, 3.0]], Touching),
        // (1, 0.5) is inside the edge x = 1; everything else of B is right of it.
        case("vertex on an edge", &unit, &[[1.0, 0.5], [2.0, 0.0], [2.0, 1.0]], Touching),
        // (2, 2) is on the slanted edge x + y = 4. The other corners have x + y >= 5.
        case("vertex on a slanted edge", &triangle, &[[2.0, 2.0], [4.0, 1.0], [4.0, 4.0]], Touching),
        // Both slanted edges are on the line x + y = 4. The triangles are on opposite sides of it.
        case("shared slanted edge", &triangle, &[[4.0, 0.0], [4.0, 4.0], [0.0, 4.0]], Touching),
        // On x + y = 4, A has x in 0..4 and B has x in 1..3.
        case("partial slanted edge", &triangle, &[[3.0, 1.0], [4.0, 4.0], [1.0, 3.0]], Touching),
        // The corner (2, 2) of the box is on the triangle's edge x + y = 4. Only an edge of the second polygon
        // separates.
        case(
            "corner on the other's edge",
            &rectangle(0.0, 0.0, 2.0, 2.0),
            &[[4.0, 0.0], [4.0, 4.0], [0.0, 4.0]],
            Touching,
        ),
        // The nearest points are on y = 0: the triangles meet tip to tip.
        case(
            "tip to tip",
            &[[0.0, 0.0], [1.0, 3.0], [-1.0, 3.0]],
            &[[0.0, 0.0], [-1.0, -3.0], [1.0, -3.0]],
            Touching,
        ),
        // The needle's tip is on the edge y = 0.
        case("needle on an edge", &unit, &[[0.5, 0.0], [0.5, -1e3], [0.5 + 1e-9, -1e3]], Touching),
        // The triangle's edges are on the axes and on x + y = 1. The box's corner (0.5, 0.5) is on the last edge.
        case(
            "corner against a hypotenuse",
            &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            &rectangle(0.5, 0.5, 3.0, 3.0),
            Touching,
        ),
    ]
}

fn plain_distances_and_overlaps() -> Vec<Case> {
    let unit = rectangle(0.0, 0.0, 1.0, 1.0);
    let box_of_2 = rectangle(0.0, 0.0, 2.0, 2.0);
    vec![
        case("apart along x", &unit, &rectangle(2.0, 0.0, 3.0, 1.0), Disjoint),
        case("apart along y", &unit, &rectangle(0.0, 2.0, 1.0, 3.0), Disjoint),
        // The projections on x touch. The projections on y are 4 apart.
        case("collinear edges, apart", &unit, &rectangle(1.0, 5.0, 2.0, 6.0), Disjoint),
        // The edges on y = 0 belong to polygons on the same side or on opposite sides.
        case("collinear edges, apart, same side", &unit, &rectangle(3.0, 0.0, 4.0, 1.0), Disjoint),
        case("collinear edges, apart, opposite sides", &unit, &rectangle(3.0, -1.0, 4.0, 0.0), Disjoint),
        // Both edges are on y = x. A is above it with x from 0 to 1, B below with x from 2 to 3.
        case(
            "collinear slanted edges, apart",
            &[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            &[[2.0, 2.0], [3.0, 2.0], [3.0, 3.0]],
            Disjoint,
        ),
        // The boxes of the polygons overlap. A is in x + y <= 4 and B in x + y >= 5. Only B's slanted edge separates.
        case("boxes meet, polygons do not", &box_of_2, &[[5.0, 0.0], [5.0, 5.0], [0.0, 5.0]], Disjoint),
        // In A, x + y reaches 4. In B, it starts at 3. (1.75, 1.75) is inside both.
        case("corner past a slanted edge", &box_of_2, &[[3.0, 0.0], [3.0, 3.0], [0.0, 3.0]], Overlapping),
        // No vertex of either is inside the other.
        case("cross", &rectangle(-3.0, -1.0, 3.0, 1.0), &rectangle(-1.0, -3.0, 1.0, 3.0), Overlapping),
        // Each tip lies outside the other triangle. The middle is in both.
        case(
            "two triangles as a star",
            &[[-3.0, -1.0], [3.0, -1.0], [0.0, 3.0]],
            &[[-3.0, 1.0], [0.0, -3.0], [3.0, 1.0]],
            Overlapping,
        ),
        case("nested", &rectangle(-5.0, -5.0, 5.0, 5.0), &unit, Overlapping),
        case("nested, sharing an edge from inside", &box_of_2, &rectangle(0.5, 0.0, 1.5, 1.0), Overlapping),
        case("nested, sharing a corner from inside", &box_of_2, &unit, Overlapping),
        // The diamond's four tips are in the middles of the box's edges.
        case("inscribed diamond", &box_of_2, &[[1.0, 0.0], [2.0, 1.0], [1.0, 2.0], [0.0, 1.0]], Overlapping),
        case("equal", &unit, &unit, Overlapping),
        case(
            "equal triangles, another first vertex",
            &[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]],
            &[[0.0, 2.0], [0.0, 0.0], [2.0, 0.0]],
            Overlapping,
        ),
        // Both boxes are in the same horizontal strip. Along x, they have 0.5..1 in common.
        case("two edges on the same lines", &unit, &rectangle(0.5, 0.0, 1.5, 1.0), Overlapping),
        // The needle runs through the box from left to right.
        case("needle through", &unit, &[[-9.0, 0.5], [9.0, 0.5], [9.0, 0.5 + 1e-12]], Overlapping),
        // The needle's line y = 1 + 1e-12 is above the box.
        case("needle past", &unit, &[[-9.0, 1.0 + 1e-12], [9.0, 1.0 + 1e-12], [0.0, 1.5]], Disjoint),
        // The tip of the needle y = x / 1000 is the box's corner, and the rest of the needle is outside the box. The
        // needle is thinner than an ulp of its length.
        case(
            "needle from a corner",
            &rectangle(-1.0, -1.0, 0.0, 0.0),
            &[[0.0, 0.0], [1e6, 1e3], [1e6, 1e3 + 1e-10]],
            Touching,
        ),
        // Thin parallel strips that touch along y = 1 / 1024.
        case(
            "strips side by side",
            &rectangle(0.0, 0.0, 1e4, 1.0 / 1024.0),
            &rectangle(-1e4, 1.0 / 1024.0, 1.0, 2.0 / 1024.0),
            Touching,
        ),
    ]
}

fn single_steps() -> Vec<Case> {
    let unit = rectangle(0.0, 0.0, 1.0, 1.0);
    // The line is y = x / 3. The f64 nearest to 1/3 is less than 1/3, and the f64 after it is more.
    let above_third = [[0.0, 0.0], [3.0, 1.0], [0.0, 3.0]];
    let below_third = |y: f64| [[1.0, y], [1.0, -1.0], [2.0, -1.0]];
    // A is above the diagonal y = x. The tip of B is near the middle of A's edge.
    let above_diagonal = [[12.0, 12.0], [24.0, 24.0], [12.0, 24.0]];
    let tip = |y: f64| [[18.0, y], [18.0, 0.0], [30.0, 0.0]];
    vec![
        case("one ulp apart", &unit, &rectangle(1f64.next_up(), 0.0, 2.0, 1.0), Disjoint),
        case("one ulp of overlap", &unit, &rectangle(1f64.next_down(), 0.0, 2.0, 1.0), Overlapping),
        // The corners are (1, 1) and (1, 1 + ulp). The edges x = 1 are on one line.
        case("corners one ulp apart", &unit, &rectangle(1.0, 1f64.next_up(), 2.0, 2.0), Disjoint),
        case(
            "corners past each other by one ulp",
            &unit,
            &rectangle(1f64.next_down(), 1f64.next_down(), 2.0, 2.0),
            Overlapping,
        ),
        // 0.1 + 0.2 is 0.30000000000000004, one ulp above 0.3.
        case(
            "0.1 + 0.2 is past 0.3",
            &rectangle(0.0, 0.0, 0.3, 1.0),
            &rectangle(0.1 + 0.2, 0.0, 1.0, 1.0),
            Disjoint,
        ),
        case("a third, rounded, is below the line", &above_third, &below_third(1.0 / 3.0), Disjoint),
        case(
            "a third, rounded up, is above the line",
            &above_third,
            &below_third((1.0f64 / 3.0).next_up()),
            Overlapping,
        ),
        case("tip on a diagonal", &above_diagonal, &tip(18.0), Touching),
        case("tip one ulp below a diagonal", &above_diagonal, &tip(18f64.next_down()), Disjoint),
        case("tip one ulp above a diagonal", &above_diagonal, &tip(18f64.next_up()), Overlapping),
        // Both slivers start at (0, 0). At x = 1, A's lower edge is one ulp above B's upper edge.
        case(
            "near-parallel slivers with a common tip",
            &[[0.0, 0.0], [1.0, 1f64.next_up()], [1.0, 2.0]],
            &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
            Touching,
        ),
        // At x = 1, A's lower edge is one ulp below B's upper edge, so the slivers overlap.
        case(
            "near-parallel slivers that overlap",
            &[[0.0, 0.0], [1.0, 1f64.next_down()], [1.0, 2.0]],
            &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
            Overlapping,
        ),
        // Along x, B begins `LEAST` after A ends. In the next case, they overlap by `LEAST`.
        case(
            "the least step apart",
            &rectangle(-1.0, 0.0, 0.0, 1.0),
            &rectangle(LEAST, 0.0, 1.0, 1.0),
            Disjoint,
        ),
        case(
            "the least step of overlap",
            &rectangle(-1.0, 0.0, LEAST, 1.0),
            &rectangle(0.0, 0.0, 1.0, 1.0),
            Overlapping,
        ),
        case(
            "zero and minus zero",
            &rectangle(-1.0, 0.0, -0.0, 1.0),
            &rectangle(0.0, -0.0, 1.0, 1.0),
            Touching,
        ),
    ]
}

fn far_and_scaled() -> Vec<Case> {
    let unit = rectangle(0.0, 0.0, 1.0, 1.0);
    let triangle = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
    let corner = [[2.0, 2.0], [4.0, 1.0], [4.0, 4.0]];
    let power = 2f64.powi(40);
    let mut all = Vec::new();
    // Integer offsets are added exactly, so the relations of the plain cases stay.
    for (touching, step_apart, step_over, x, y) in [
        ("vertex on a slanted edge at 1e6", "one ulp apart at 1e6", "one ulp of overlap at 1e6", 1e6, -1e6),
        ("vertex on a slanted edge at 1e9", "one ulp apart at 1e9", "one ulp of overlap at 1e9", -1e9, 1e9),
        (
            "vertex on a slanted edge at 2^40",
            "one ulp apart at 2^40",
            "one ulp of overlap at 2^40",
            power,
            power,
        ),
    ] {
        all.push(case(touching, &moved(&triangle, x, y), &moved(&corner, x, y), Touching));
        let near = |edge: f64| rectangle(edge, y, x + 2.0, y + 1.0);
        all.push(case(step_apart, &moved(&unit, x, y), &near((x + 1.0).next_up()), Disjoint));
        all.push(case(step_over, &moved(&unit, x, y), &near((x + 1.0).next_down()), Overlapping));
    }
    // A factor keeps the order of coordinates. A power of two keeps every relation.
    let small = 2f64.powi(-20);
    all.extend([
        case(
            "shared edge at 1e-6",
            &scaled(&unit, 1e-6),
            &scaled(&rectangle(1.0, 0.0, 2.0, 1.0), 1e-6),
            Touching,
        ),
        case(
            "apart at 1e-6",
            &scaled(&unit, 1e-6),
            &scaled(&rectangle(1f64.next_up(), 0.0, 2.0, 1.0), 1e-6),
            Disjoint,
        ),
        case(
            "vertex on a slanted edge at 2^-20",
            &scaled(&triangle, small),
            &scaled(&corner, small),
            Touching,
        ),
        case(
            "huge beside tiny",
            &rectangle(0.0, 0.0, 1e9, 1e9),
            &rectangle(-1e-3, 1.0, 0.0, 1.001),
            Touching,
        ),
        case(
            "huge next to tiny",
            &rectangle(0.0, 0.0, 1e9, 1e9),
            &rectangle(-1e-3, 1.0, -1e-30, 1.001),
            Disjoint,
        ),
        case(
            "tiny in huge",
            &rectangle(0.0, 0.0, 1e9, 1e9),
            &rectangle(5e8, 5e8, 5e8 + 1e-3, 5e8 + 1e-3),
            Overlapping,
        ),
        case(
            "tiny on the corner of huge",
            &rectangle(0.0, 0.0, 1e9, 1e9),
            &rectangle(1e9, 1e9, 1e9 + 1e-3, 1e9 + 1e-3),
            Touching,
        ),
        case(
            "least magnitudes, shared edge",
            &rectangle(0.0, 0.0, LEAST, LEAST),
            &rectangle(LEAST, 0.0, 2.0 * LEAST, LEAST),
            Touching,
        ),
        case(
            "least magnitudes, apart",
            &rectangle(0.0, 0.0, LEAST, LEAST),
            &rectangle(2.0 * LEAST, 0.0, 3.0 * LEAST, LEAST),
            Disjoint,
        ),
        case(
            "least magnitudes, overlapping",
            &rectangle(0.0, 0.0, 2.0 * LEAST, LEAST),
            &rectangle(LEAST, 0.0, 3.0 * LEAST, LEAST),
            Overlapping,
        ),
        case(
            "least magnitudes, vertex on a slanted edge",
            &scaled(&triangle, LEAST),
            &scaled(&corner, LEAST),
            Touching,
        ),
        case(
            "greatest magnitudes, shared edge",
            &rectangle(-GREATEST, -GREATEST, 0.0, GREATEST),
            &rectangle(0.0, 0.0, GREATEST, GREATEST),
            Touching,
        ),
        case(
            "greatest magnitudes, apart",
            &rectangle(-GREATEST, -GREATEST, -0.5 * GREATEST, GREATEST),
            &rectangle(0.0, 0.0, GREATEST, GREATEST),
            Disjoint,
        ),
        // The polygons lie on opposite sides of the diagonal y = x. In the next case, a vertex of A on this diagonal is
        // one ulp lower.
        case(
            "greatest magnitudes, shared diagonal",
            &[[-GREATEST, -GREATEST], [GREATEST, GREATEST], [-GREATEST, GREATEST]],
            &[[-GREATEST, -GREATEST], [GREATEST, -GREATEST], [GREATEST, GREATEST]],
            Touching,
        ),
        case(
            "greatest magnitudes, diagonals crossed by one ulp",
            &[[-GREATEST, -GREATEST], [GREATEST, GREATEST.next_down()], [-GREATEST, GREATEST]],
            &[[-GREATEST, -GREATEST], [GREATEST, -GREATEST], [GREATEST, GREATEST]],
            Overlapping,
        ),
        case(
            "greatest beside least",
            &rectangle(-GREATEST, -GREATEST, 0.0, GREATEST),
            &rectangle(0.0, 0.0, LEAST, LEAST),
            Touching,
        ),
        case(
            "greatest apart from least",
            &rectangle(-GREATEST, -GREATEST, 0.0, GREATEST),
            &rectangle(LEAST, 0.0, 2.0 * LEAST, LEAST),
            Disjoint,
        ),
        case(
            "greatest over least",
            &rectangle(-GREATEST, -GREATEST, 0.0, GREATEST),
            &rectangle(-LEAST, 0.0, LEAST, LEAST),
            Overlapping,
        ),
    ]);
    all
}

fn many_vertices() -> Vec<Case> {
    let (few, many) = (lens(16), lens(250));
    let wedge = |x: f64, y: f64| [[x, y], [x - 1.0, y - 1.0], [x + 1.0, y - 1.0]];
    vec![
        // The lens is in y >= 0 and the wedge in y <= 0. Both have (0, 0) and no other point at y = 0 in common.
        case("64 vertices, vertex on vertex", &few, &wedge(0.0, 0.0), Touching),
        case(
            "64 vertices, the least step apart",
            &few,
            &[[0.0, -LEAST], [-1.0, -1.0], [1.0, -1.0]],
            Disjoint,
        ),
        // (0, 1) is inside the lens. At x = 0, the lower border is at y = 0 and the upper border is far above.
        case("64 vertices, a tip inside", &few, &wedge(0.0, 1.0), Overlapping),
        // The rightmost vertex of one and the leftmost vertex of the other are (16, 256).
        case("64 vertices, beside a copy", &few, &moved(&few, 32.0, 0.0), Touching),
        case("64 vertices, away from a copy", &few, &moved(&few, 33.0, 0.0), Disjoint),
        case("64 vertices, over a copy", &few, &moved(&few, 31.0, 0.0), Overlapping),
        // At the edge from (0, 0) to (1, 1), the lens is in y >= x and the triangle in y <= x.
        case("64 vertices, shared edge", &few, &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], Touching),
        case("64 vertices, tip on an edge", &few, &[[0.5, 0.5], [0.5, 0.0], [1.0, 0.0]], Touching),
        case(
            "64 vertices, tip one ulp inside an edge",
            &few,
            &[[0.5, 0.5f64.next_up()], [0.5, 0.0], [1.0, 0.0]],
            Overlapping,
        ),
        case(
            "64 vertices, tip one ulp outside an edge",
            &few,
            &[[0.5, 0.5f64.next_down()], [0.5, 0.0], [1.0, 0.0]],
            Disjoint,
        ),
        case("1000 vertices, beside a 64-gon", &many, &moved(&few, 266.0, 62500.0 - 256.0), Touching),
        case("1000 vertices, away from a 64-gon", &many, &moved(&few, 267.0, 62500.0 - 256.0), Disjoint),
        case("1000 vertices, around a 64-gon", &many, &moved(&few, 0.0, 62500.0), Overlapping),
        // The last edge before the rightmost vertex runs from (249, 249^2) to (250, 250^2). The tip is its midpoint.
        // The other vertices of the triangle are below and to the right of the edge's line of slope 499.
        case(
            "1000 vertices, tip on a steep edge",
            &many,
            &[[249.5, 62250.5], [250.0, 0.0], [251.0, 0.0]],
            Touching,
        ),
    ]
}

fn untidy_rings() -> Vec<Case> {
    let unit = rectangle(0.0, 0.0, 1.0, 1.0);
    let right = rectangle(1.0, 0.0, 2.0, 1.0);
    let closed: Vec<[f64; 2]> = right.iter().chain(&right[..1]).copied().collect();
    vec![
        case("clockwise and counter-clockwise", &reversed(&unit), &right, Touching),
        case("both clockwise", &reversed(&unit), &reversed(&rectangle(0.5, 0.5, 2.0, 2.0)), Overlapping),
        case(
            "clockwise, apart",
            &reversed(&unit),
            &reversed(&rectangle(1f64.next_up(), 0.0, 2.0, 1.0)),
            Disjoint,
        ),
        case("closed ring", &unit, &closed, Touching),
        // (1, 0.5) is in the middle of an edge of B. It is not a vertex of B.
        case(
            "collinear vertex on the shared edge",
            &unit,
            &[[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 0.5]],
            Touching,
        ),
        case(
            "repeated vertices",
            &[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]],
            &rectangle(1.0, 5.0, 2.0, 6.0),
            Disjoint,
        ),
    ]
}
