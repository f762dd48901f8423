//! Checks the library's relation of two arbitrary convex polygons against exact arithmetic.
#![no_main]

use sat2d::Relations;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sat2d::{Backend, ConvexPolygon, Engine, PolygonSet, Relation};

#[path = "../../tests/fuzz_bodies/relation.rs"]
mod relation;

#[path = "../../tests/support/oracle.rs"]
#[allow(dead_code, reason = "the body needs a part of it")]
mod oracle;

/// The included file uses the oracle through this path, as in the tests.
mod support {
    pub(crate) use super::oracle;
}

fuzz_target!(|data: &[u8]| {
    let _ = relation::check(data, library_relation);
});

fn library_relation(a: &ConvexPolygon, b: &ConvexPolygon) -> Relation {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Engine::new(Backend::Cpu).expect("the CPU is always there"));
    let set = |polygon: &ConvexPolygon| {
        PolygonSet::from_convex(std::slice::from_ref(polygon)).expect("one polygon is not too many")
    };
    let found = engine
        .piece_pairs(&set(a), &set(b), &[[0, 0]])
        .query(Relations)
        .expect("the pair names the two polygons");
    found.items[0]
}
