"""`sjoin_nearest` compared with `geopandas.sjoin_nearest`: both give the same rows, columns, types and index."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely
from grid import random_points, random_polygons
from pandas.testing import assert_frame_equal
from test_sjoin import HOWS, frame

import sat2d


def assert_same(left: Any, right: Any, **options: Any) -> Any:
    options.setdefault("distance_col", "away")
    found, wanted = sat2d.sjoin_nearest(left, right, **options), geopandas.sjoin_nearest(left, right, **options)
    assert type(found) is type(wanted)
    assert found.crs == wanted.crs and found.geometry.name == wanted.geometry.name
    kept, other = ("c", "b") if options.get("how") == "right" else ("b", "c")
    order = [np.lexsort((table[other].fillna("").to_numpy(str), table[kept].to_numpy(str))) for table in (found, wanted)]
    assert_frame_equal(pd.DataFrame(found.iloc[order[0]]), pd.DataFrame(wanted.iloc[order[1]]), rtol=1e-12)
    # GeoPandas sorts the rows by the left frame, or by the right frame with how="right".
    numbers = found[kept].str[1:].astype(int).to_numpy()
    partners = found[other].str[1:].fillna("-1").astype(int).to_numpy()
    assert (np.lexsort((partners, numbers)) == np.arange(len(found))).all(), "in the order of both frames"
    return found


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("seed", range(4))
def test_polygons_and_points(how: str, seed: int) -> None:
    zones, others = frame(random_polygons(40, seed), "range", "b"), frame(random_polygons(15, seed + 10), "range", "c")
    assert_same(zones, others, how=how)
    # Polygons whose neighbours are far apart: most distances are above 0.
    sparse = frame(shapely.transform(random_polygons(25, seed + 20), lambda at: 3 * at + 40), "range", "c")
    assert_same(zones, sparse, how=how)
    points = frame(
        random_points(
            30,
            seed + 30,
        ),
        "range",
        "b",
    )
    assert_same(points, others, how=how)
    assert_same(others.rename(columns={"c": "b"}), points.rename(columns={"b": "c"}), how=how)
    assert_same(
        points,
        frame(
            random_points(
                20,
                seed + 40,
            ),
            "range",
            "c",
        ),
        how=how,
    )


@pytest.mark.parametrize("how", HOWS)
def test_every_row_at_the_least_distance_is_a_partner(how: str) -> None:
    steps = np.arange(-3, 4)
    posts = frame(shapely.points(np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)), "range", "c")
    # A box in the middle of a cell has 4 nearest posts, and the large boxes meet 9, 25 and 49 posts.
    sizes = [(0.5, 0.25), (0, 0.25), (0, 1), (0, 2), (0, 3)]
    cells = frame([shapely.box(at - r, at - r, at + r, at + r) for at, r in sizes], "range", "b")
    found = assert_same(cells, posts, how=how)
    if how != "right":
        assert found.groupby("b").size().tolist() == [4, 1, 9, 25, 49]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("most", [0.5, 1, 2.5, 1000, np.inf])
def test_a_greatest_distance(how: str, most: float) -> None:
    zones = frame(random_polygons(40, 3), "range", "b")
    sparse = frame(shapely.transform(random_polygons(25, 4), lambda at: 3 * at + 9), "range", "c")
    assert_same(zones, sparse, how=how, max_distance=most)


@pytest.mark.parametrize("how", HOWS)
def test_the_limit_applies_to_rounded_distances(how: str) -> None:
    # The true distances of decimal offsets such as (0.3, 0.4) differ slightly from 0.5.
    random = np.random.default_rng(6)
    corners = np.round(random.uniform(0, 100, (200, 2)), 1)
    posts = frame(shapely.points(corners), "range", "b")
    near = frame(shapely.points(np.round(corners + [0.3, 0.4], 1)), "range", "c")
    found = assert_same(posts, near, how=how, max_distance=0.5)
    assert found["away"].notna().sum() > 100
    away = sat2d.nearest(posts.geometry, near.geometry).distance
    for k in range(40):
        one, other = posts.iloc[[k]], near
        assert len(sat2d.sjoin_nearest(one, other, max_distance=away[k])) > 0
        assert len(sat2d.sjoin_nearest(one, other, max_distance=np.nextafter(away[k], 0))) == 0


@pytest.mark.parametrize("how", HOWS)
def test_equal_geometries_are_no_partners_if_exclusive(how: str) -> None:
    zones, others = frame(random_polygons(60, 5), "range", "b"), frame(random_polygons(60, 5), "range", "c")
    assert_same(zones, others, how=how, exclusive=True)
    # More equal geometries than the first searches find, and the same ring from another vertex on.
    box = shapely.box(0, 0, 1, 1)
    turned = shapely.Polygon([(1, 1), (0, 1), (0, 0), (1, 0)])
    many = frame([box] * 20 + [turned, shapely.box(3, 0, 4, 1)], "range", "c")
    found = assert_same(frame([box, shapely.box(0, 0, 1, 2)], "range", "b"), many, how=how, exclusive=True)
    if how == "inner":
        assert found["c"].tolist() == ["c21"] + [f"c{k}" for k in range(21)]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("left_kind", ["named", "multi", "named multi", "dates"])
@pytest.mark.parametrize("right_kind", ["range", "named", "multi"])
def test_every_kind_of_index(how: str, left_kind: str, right_kind: str) -> None:
    left, right = frame(random_polygons(40, 3), left_kind, "b"), frame(random_polygons(30, 4), right_kind, "c")
    assert_same(left, right, how=how, max_distance=2)
    assert_same(left, right, how=how, lsuffix="l", rsuffix="r", distance_col=None)


@pytest.mark.parametrize("how", HOWS)
def test_empty_frames_and_frames_without_partners(how: str) -> None:
    zones, nothing = frame(random_polygons(20, 6), "range", "b"), frame(random_polygons(20, 7), "range", "c").iloc[:0]
    far = frame([shapely.box(100, 100, 101, 101)], "range", "c")
    for right in (far, nothing):
        assert_same(zones, right, how=how, max_distance=1)
        assert_same(right.rename(columns={"c": "b"}), zones.rename(columns={"b": "c"}), how=how, max_distance=1)


def test_warnings() -> None:
    left, right = (
        frame(random_polygons(5, 1), "range", "b", "EPSG:4326"),
        frame(random_polygons(5, 2), "range", "c", "EPSG:4326"),
    )
    with pytest.warns(UserWarning, match="_df has longitudes .*degrees; use to_crs") as caught:
        sat2d.sjoin_nearest(left, right)
    assert [warning.filename for warning in caught] == [__file__] * 2
    with pytest.warns(UserWarning, match="CRS mismatch"):
        sat2d.sjoin_nearest(left.set_crs("EPSG:2056", allow_override=True), right.set_crs("EPSG:3857", allow_override=True))
    repeated = left.set_crs("EPSG:2056", allow_override=True).assign(shared_l=1)
    with pytest.warns(FutureWarning, match="shared_l") as caught:
        sat2d.sjoin_nearest(repeated, right.set_crs("EPSG:2056", allow_override=True), lsuffix="l", rsuffix="r")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sat2d.sjoin_nearest(left.set_crs("EPSG:2056", allow_override=True), right.set_crs("EPSG:2056", allow_override=True))


@pytest.mark.parametrize(
    "change",
    [{"how": "outer"}, {"max_distance": 0}, {"max_distance": -1}, {"max_distance": [1, 2]}, {"lsuffix": "", "rsuffix": ""}],
)
def test_wrong_arguments_are_errors_in_both(change: dict[str, Any]) -> None:
    left, right = frame(random_polygons(5, 1), "range", "b"), frame(random_polygons(5, 2), "range", "c")
    for module in (geopandas, sat2d):
        with pytest.raises(ValueError):
            module.sjoin_nearest(left, right, **change)


def test_errors_name_the_input_and_the_feature() -> None:
    left = frame(random_polygons(5, 1), "range", "b")
    bow = frame([shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), shapely.box(0, 0, 9, 9)], "range", "c")
    for how in HOWS:
        with pytest.raises(sat2d.InvalidGeometryError, match="right_df, feature 0"):
            sat2d.sjoin_nearest(left, bow, how=how)
    for wrong in (np.nan, "5", b"1", 1j, pd.NA, {}, pd.Timedelta(1), np.zeros(2)):
        with pytest.raises(sat2d.OptionError, match="max_distance = .*; give one number above 0"):
            sat2d.sjoin_nearest(left, left, max_distance=wrong)
    for no_boolean in ("x", None, 2.5, [True], pd.NA):
        with pytest.raises(sat2d.OptionError, match="exclusive = .*; give True or False"):
            sat2d.sjoin_nearest(left, left, exclusive=no_boolean)
    for large in (1e300, 10**60, 2**1100, Fraction(9, 2), Decimal(9)):
        assert len(sat2d.sjoin_nearest(left, left, max_distance=large)) >= len(left) - 3
    found = sat2d.sjoin_nearest(left, bow, invalid="skip")
    assert set(found["c"]) == {"c1"}
    with pytest.raises(ValueError, match="give a GeoDataFrame"):
        sat2d.sjoin_nearest(left, left.geometry)
