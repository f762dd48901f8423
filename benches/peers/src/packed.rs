//! Builds the tree of packed_spatial_index in the thread pool, and queries it.

use std::ops::ControlFlow;

use packed_spatial_index::{Box2D, Index2DBuilder, SimdIndex2D};

/// Builds the tree of boxes. A box is its least x, least y, greatest x and greatest y.
pub(crate) fn tree(boxes: impl ExactSizeIterator<Item = [f64; 4]>) -> SimdIndex2D {
    let mut builder = Index2DBuilder::new(boxes.len());
    for b in boxes {
        builder.add(of(b));
    }
    builder.finish_simd().expect("as many boxes are added as were announced")
}

/// Returns the indices of the tree's boxes, in the order of the tree's leaves.
pub(crate) fn order(tree: &SimdIndex2D) -> Vec<u32> {
    let all = tree.extent().map(|extent| tree.search(extent)).unwrap_or_default();
    all.into_iter().map(|index| index as u32).collect()
}

/// Returns the indices of the tree's boxes that meet the box `b`.
pub(crate) fn search(tree: &SimdIndex2D, b: [f64; 4]) -> Vec<u32> {
    let mut found = Vec::new();
    let _: ControlFlow<()> = tree.visit(of(b), |index| {
        found.push(index as u32);
        ControlFlow::Continue(())
    });
    found
}

/// Calls `each` once with each pair of the tree's boxes that meet.
pub(crate) fn walk(tree: &SimdIndex2D, mut each: impl FnMut(u32, u32)) {
    let _: ControlFlow<()> = tree.pairs_each(|a, b| {
        each(a as u32, b as u32);
        ControlFlow::Continue(())
    });
}

fn of([x, y, u, v]: [f64; 4]) -> Box2D {
    Box2D::new(x, y, u, v)
}
