"""Rings that cross, with a fill rule. The rings run along grid lines, so the expected region is the union of the enclosed grid cells."""

from __future__ import annotations

import pickle
from typing import Any

import geopandas
import numpy as np
import pytest
import shapely
from grid import expected

import sat2d

SIZE = 7
RULES = ("even-odd", "nonzero")
BOW = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])


def crossing_rings(count: int, seed: int) -> list[list[tuple[int, int]]]:
    """Return rings of alternating horizontal and vertical edges. Most of them cross themselves."""
    generator = np.random.default_rng(seed)
    rings = []
    for corners in generator.integers(2, 9, count):
        xs, ys = generator.integers(0, SIZE, (2, corners))
        rings.append([point for k in range(corners) for point in ((xs[k], ys[k]), (xs[(k + 1) % corners], ys[k]))])
    return rings


def region(ring: list[tuple[int, int]], rule: str) -> Any:
    """Return the union of the cells that the ring encloses, or `None` if it encloses none."""
    winding = np.zeros((SIZE, SIZE), dtype=int)
    for (x, y), (next_x, next_y) in zip(ring, ring[1:] + ring[:1]):
        if x == next_x:
            # A vertical edge changes the winding number of all cells on its left.
            low, high = sorted((y, next_y))
            winding[:x, low:high] += 1 if next_y > y else -1
    inside = winding % 2 == 1 if rule == "even-odd" else winding != 0
    cells = [shapely.box(x, y, x + 1, y + 1) for x, y in np.argwhere(inside)]
    return shapely.union_all(cells) if cells else None


def scene(count: int, seed: int, rule: str) -> tuple[Any, Any]:
    """Return polygons whose rings cross, and their regions."""
    rings = crossing_rings(count, seed)
    regions = [region(ring, rule) for ring in rings]
    kept = [k for k in range(count) if regions[k] is not None]
    given, wanted = np.empty(len(kept), dtype=object), np.empty(len(kept), dtype=object)
    given[:] = [shapely.Polygon(rings[k]) for k in kept]
    wanted[:] = [regions[k] for k in kept]
    return given, wanted


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("predicate", ["intersects", "touches", "overlaps", "contains", "within"])
def test_pairs_are_those_of_the_regions(rule: str, predicate: str) -> None:
    (a, a_region), (b, b_region) = scene(70, 1, rule), scene(60, 2, rule)
    wanted = expected(a_region, b_region, predicate)
    assert wanted.shape[1] > 0
    np.testing.assert_array_equal(sat2d.query(a, b, predicate, fill=rule), wanted)
    np.testing.assert_array_equal(sat2d.Index(b, fill=rule).query(a, predicate, fill=rule), wanted)
    frames = [geopandas.GeoDataFrame(geometry=shapes) for shapes in (a, b)]
    joined = sat2d.sjoin(*frames, predicate=predicate, fill=rule)
    np.testing.assert_array_equal([joined.index, joined["index_right"]], wanted)


@pytest.mark.parametrize("rule", RULES)
def test_all_inputs_take_a_rule(rule: str, tmp_path: Any) -> None:
    shapes, regions = scene(60, 3, rule)
    wanted = expected(regions, regions, "intersects")
    _, coordinates, offsets = shapely.to_ragged_array(shapes)
    frame = geopandas.GeoDataFrame(geometry=shapes)
    frame.to_parquet(tmp_path / "rings.parquet")
    sets = [
        sat2d.PolygonSet(shapes, fill=rule),
        sat2d.PolygonSet(list(shapely.to_wkb(shapes)), fill=rule),
        sat2d.PolygonSet(frame.to_arrow(), fill=rule),
        sat2d.PolygonSet.from_ragged_array(coordinates, offsets, fill=rule),
        sat2d.read(tmp_path / "rings.parquet", fill=rule),
    ]
    crossing = [entry.feature for entry in sat2d.PolygonSet(shapes, invalid="skip").skipped]
    for made in sets:
        np.testing.assert_array_equal(sat2d.query(made, made), wanted)
        filled = [entry.feature for entry in made.filled]
        assert made.skipped == [] and len(filled) > 20
        # A rule makes every feature valid. A ring whose halves coincide is also invalid without a rule.
        assert set(filled) <= set(crossing)
        for entry in made.filled:
            x, y = entry.place
            assert shapes[entry.feature].buffer(0.01).envelope.contains(shapely.Point(x, y)), entry
            assert "rule" not in entry.reason and "repair" not in entry.reason


@pytest.mark.parametrize("rule", RULES)
def test_relations_points_and_tables(rule: str) -> None:
    (a, a_region), (b, b_region) = scene(40, 4, rule), scene(50, 5, rule)
    pairs = np.indices((len(a), len(b))).reshape(2, -1)
    meets = shapely.intersects(a_region[pairs[0]], b_region[pairs[1]])
    touches = shapely.touches(a_region[pairs[0]], b_region[pairs[1]])
    codes = np.where(touches, 1, np.where(meets, 2, 0))
    np.testing.assert_array_equal(sat2d.relations(a, b, pairs, fill=rule), codes)
    # Only one of the two sides may be stored as edges.
    boxes = shapely.box([0, 3, 2], 0, [2, 5, 3], [2, 4, 1])
    few = np.indices((len(a), len(boxes))).reshape(2, -1)
    meeting = shapely.intersects(a_region[few[0]], boxes[few[1]])
    np.testing.assert_array_equal(sat2d.relations(sat2d.PolygonSet(a, fill=rule), boxes, few) > 0, meeting)
    points = np.argwhere(np.ones((2 * SIZE, 2 * SIZE))) / 2
    places = shapely.points(points)
    _, number = sat2d.points_in_polygons(points, a, fill=rule)
    np.testing.assert_array_equal(number, [shapely.covers(shape, places).sum() for shape in a_region])
    table = sat2d.join(a, b, within=2.0, measure="distance", fill=rule)
    near = shapely.distance(a_region[table["left"]], b_region[table["right"]])
    np.testing.assert_allclose(table["distance"], near, atol=1e-12)
    np.testing.assert_array_equal(np.stack([table["left"], table["right"]]), expected(a_region, b_region, "dwithin", 2.0))
    assert {entry.argument for entry in table.filled} == {"a", "b"}


@pytest.mark.parametrize("rule", RULES)
def test_pickled_sets_keep_their_rings_and_the_rule(rule: str) -> None:
    shapes, _ = scene(60, 6, rule)
    parts = shapely.MultiPolygon([shapely.box(0, 0, 1, 1), shapely.Polygon([(3, 3), (5, 5), (5, 3), (3, 5)])])
    given = [*shapes, None, parts, shapely.Polygon()]
    made = sat2d.PolygonSet(given, fill=rule)
    again = pickle.loads(pickle.dumps(made))
    assert (len(again), again.piece_count, again.filled) == (len(made), made.piece_count, made.filled)
    np.testing.assert_array_equal(sat2d.query(again, made), sat2d.query(made, made))
    points = np.argwhere(np.ones((2 * SIZE, 2 * SIZE))) / 2
    for one, two in zip(sat2d.points_in_polygons(points, made), sat2d.points_in_polygons(points, again)):
        np.testing.assert_array_equal(one, two)
    pairs = sat2d.query(made, made)
    np.testing.assert_array_equal(sat2d.relations(again, None, pairs), sat2d.relations(made, None, pairs))


def test_relations_are_exact_at_a_crossing_that_f64_does_not_have() -> None:
    # The crossing is at (2, 2/3). The apex of the triangle is at the nearest f64 below it.
    bow = shapely.Polygon([(0, 0), (3, 1), (3, 0), (0, 2)])
    below = shapely.Polygon([(2, 2 / 3), (1, -2), (2.5, -2)])
    above = shapely.Polygon([(2, np.nextafter(2 / 3, 1)), (1, -2), (2.5, -2)])
    made = sat2d.PolygonSet([bow], fill="even-odd")
    for features in (made, pickle.loads(pickle.dumps(made))):
        assert sat2d.relations(features, [below, above], [[0, 0], [0, 1]]).tolist() == [0, 2]
        assert sat2d.query(features, [below, above]).tolist() == [[0], [1]]


def test_large_concave_polygons_survive_pickling() -> None:
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    radii = np.where(np.arange(60) % 2, 1.0, 0.6)
    star = shapely.Polygon(np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1))
    holed = star.difference(shapely.box(-0.2, -0.2, 0.2, 0.2))
    stars = [shapely.affinity.translate(shape, 1.5 * k, 0) for k in range(6) for shape in (star, holed)]
    made = sat2d.PolygonSet([*stars, None, shapely.MultiPolygon([stars[0], stars[4]])])
    again = pickle.loads(pickle.dumps(made))
    pairs = sat2d.query(made)
    np.testing.assert_array_equal(sat2d.query(again), pairs)
    np.testing.assert_array_equal(sat2d.relations(again, None, pairs), sat2d.relations(made, None, pairs))
    assert again.piece_count == made.piece_count and again.filled == []


def test_the_remedy_names_the_rule() -> None:
    with pytest.raises(sat2d.InvalidGeometryError) as caught:
        sat2d.query([BOW])
    assert caught.value.remedy == "repair the polygon, or give fill='even-odd' or fill='nonzero'"
    assert caught.value.place == (1.0, 1.0)
    [entry] = sat2d.PolygonSet([BOW], fill="nonzero").filled
    assert (entry.argument, entry.feature, entry.place) == ("geometries", 0, (1.0, 1.0))
    for call in (sat2d.query, sat2d.PolygonSet, sat2d.join):
        with pytest.raises(sat2d.OptionError, match="fill = 'winding'; give 'even-odd' or 'nonzero'"):
            call([BOW], fill="winding")
