//! Tests which data a query packs for one list of pairs and for several lists, and that the answers are equal in both
//! cases.

use super::log::Log;
use super::proposer::{Hint, Lists, OnCpu, Proposer, Side, Uses};
use super::test_scenes::candidates;
use crate::answers::backend::Backend;
use crate::engine::Engine;
use crate::geometry::{Pieces, PolygonSet};
use crate::queries::kinds::Relations;
use crate::scenes::Scene;
use crate::simd::{has_doubles, has_wide};

/// A query for which the proposer uses no kernel of its own.
struct Anything;

impl Uses for Anything {}

/// Returns two flags: whether the filter reads the vertices of the set directly, and whether the proposer has packed
/// records.
fn reads(engine: &Engine, set: &PolygonSet, lists: Lists, hint: Hint<'_>) -> (bool, bool) {
    let boxes = set.piece_aabbs();
    let side = Side { pieces: Pieces::of(set), boxes: &boxes };
    let mut log = Log::new();
    let made = Proposer::new::<Anything>(&engine.backends, Backend::Cpu, (side, None), lists, hint, &mut log);
    match crate::queries::block_on::block_on(made).expect("few polygons") {
        Proposer::Cpu(OnCpu { direct, ref a, .. }) => (direct.is_some(), a.is_some()),
        #[cfg(feature = "gpu")]
        other => panic!("{other:?} is not the CPU's"),
    }
}

#[test]
fn records_are_kept_for_several_lists_where_they_are_faster() {
    let engine = Engine::new(Backend::Cpu).expect("a CPU");
    for (scene, kept) in [(Scene::Boxes, false), (Scene::Ngons, true), (Scene::BigNgons, false)] {
        let set = PolygonSet::from_convex_rings(&scene.generate(500, 1)).expect("a scene");
        assert_eq!(reads(&engine, &set, Lists::One, Hint::EDGES), (false, false), "nothing reads records");
        let direct = if scene == Scene::Boxes { has_doubles() } else { has_wide() };
        assert_eq!(reads(&engine, &set, Lists::One, Hint::RELATIONS), (direct, !direct), "{scene}");
        assert_eq!(
            reads(&engine, &set, Lists::Several, Hint::RELATIONS),
            (direct && !kept, !direct || kept),
            "{scene}"
        );
    }
}

#[test]
fn prepared_sets_give_the_judges_relations_list_after_list() {
    let engine = Engine::new(Backend::Cpu).expect("a CPU");
    for scene in [Scene::Boxes, Scene::Ngons, Scene::Crowd, Scene::BigNgons] {
        let pairs = candidates(scene, 2_000);
        let mut prepared = engine.prepare(&pairs.a, &pairs.b).expect("few polygons");
        for (list, truth) in pairs.indices().chunks(900).zip(pairs.truth.chunks(900)) {
            assert_eq!(
                prepared.piece_pairs(list).query(Relations).expect("known indices").items,
                truth,
                "{scene}"
            );
        }
    }
}
