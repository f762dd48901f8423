"""Explanations of pairs."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
import shapely
from grid import random_polygons
from shapely.affinity import translate

import sat2d

SQUARE = shapely.box(0, 0, 4, 4)


def test_the_text_and_the_picture_of_a_pair() -> None:
    found = sat2d.explain(SQUARE, shapely.box(3, 1, 6, 2))
    assert found.relation == "overlapping" and found.translation == (1.0, 0.0)
    assert found.verdict.startswith("overlapping: the projections overlap on every axis, least on axis")
    lines = str(found).splitlines()
    assert lines[0].startswith("A") and lines[1].startswith("B") and lines[-1] == f"{'verdict':<16}{found.verdict}"
    assert any(line.startswith("axis") and "projection of A" in line for line in lines)
    svg = found._repr_svg_()
    assert svg is not None and ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert repr(found) == f"<sat2d.Explanation: {found.verdict}>"
    np.testing.assert_array_equal(shapely.Polygon(found.vertices[1]).bounds, (3, 1, 6, 2))


@pytest.mark.parametrize(
    ("other", "relation", "translation"),
    [
        (shapely.box(4, 0, 5, 4), "touching", (0.0, 0.0)),
        (shapely.box(5, 0, 6, 4), "disjoint", (0.0, 0.0)),
        (shapely.box(1, 3, 2, 6), "overlapping", (0.0, 1.0)),
    ],
)
def test_relations_and_translations(other: object, relation: str, translation: object) -> None:
    found = sat2d.explain(SQUARE, other)
    assert (found.relation, found.translation) == (relation, translation)


def test_relations_and_translations_of_random_polygons() -> None:
    a, b = (random_polygons(60, seed, missing=False) for seed in (91, 92))
    pairs = sat2d.query(a, b)[:, ::7]
    codes = sat2d.relations(a, b, pairs)
    left, right = sat2d.PolygonSet(a), sat2d.PolygonSet(b)
    for (i, j), code in zip(pairs.T, codes):
        found = sat2d.explain(left, right, (int(i), int(j)))
        assert found.relation == sat2d.RELATIONS[code]
        if found.translation is not None:
            moved = translate(b[j], *found.translation)
            assert shapely.area(shapely.intersection(a[i], moved)) < 1e-9


def test_pairs_of_one_input_have_names() -> None:
    import pyarrow as pa

    table = pa.table({"id": ["north", "south"], "geometry": list(shapely.to_wkb([SQUARE, shapely.box(4, 0, 5, 1)]))})
    for found in (sat2d.explain(table), sat2d.explain(table, pair=(0, 1))):
        lines = str(found).splitlines()
        assert found.relation == "touching" and "north: " in lines[0] and "south: " in lines[1]
    assert "1: " in str(sat2d.explain([SQUARE, SQUARE])).splitlines()[1]
    star = SQUARE.buffer(3, quad_segs=8)
    assert "more vertices, listed by the attribute `vertices`" in str(sat2d.explain(star, SQUARE))
    assert "pieces" in str(sat2d.explain(SQUARE.difference(shapely.box(1, 1, 2, 2)), SQUARE))


def test_points() -> None:
    found = sat2d.explain(shapely.MultiPoint([(9, 9), (1, 2), (4, 4)]), SQUARE)
    assert (found.relation, found.svg, found._repr_svg_(), found.translation) == ("inside", None, None, None)
    assert "number 2 of the feature's 3 points" in str(found)
    np.testing.assert_array_equal(found.vertices[0], [[1, 2]])
    for point, relation in [((4, 4), "boundary"), ((5, 4), "outside")]:
        assert sat2d.explain(np.array([[7.0, 7.0], point]), [SQUARE], (1, 0)).relation == relation


def test_pairs_that_cannot_be_explained() -> None:
    for pair in [(1, 0), (0, -1)]:
        with pytest.raises(sat2d.OptionError, match="features count from 0"):
            sat2d.explain(SQUARE, SQUARE, pair)
    with pytest.raises(sat2d.OptionError, match="feature 1 of b, which has 1"):
        sat2d.explain([SQUARE])
    with pytest.raises(sat2d.Sat2dError, match="has no polygon"):
        sat2d.explain([None], [SQUARE])
    with pytest.raises(sat2d.UnsupportedGeometryError, match="give the polygons as b"):
        sat2d.explain(SQUARE, shapely.Point(0, 0))
    with pytest.raises(sat2d.OptionError, match="has no point"):
        sat2d.explain([shapely.Point(1, 1), None], SQUARE, (1, 0))
