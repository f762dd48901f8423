"""Tables of pairs, compared with Shapely, and their export."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from grid import expected, random_points, random_polygons

import sat2d

A, B = random_polygons(90, 51), random_polygons(80, 52)


def pairs(table: Any) -> Any:
    return np.stack([table["left"], table["right"]])


def test_rows_are_the_pairs_that_meet() -> None:
    table = sat2d.join(A, B)
    wanted = expected(A, B, "intersects")
    np.testing.assert_array_equal(pairs(table), wanted)
    touches = set(map(tuple, expected(A, B, "touches").T))
    assert table["relation"].tolist() == [1 if tuple(pair) in touches else 2 for pair in wanted.T]
    np.testing.assert_array_equal(pairs(sat2d.join(A, B, relation="touching")), expected(A, B, "touches"))
    overlapping = sat2d.join(A, B, relation="overlapping")
    assert len(overlapping) == len(wanted.T) - len(touches) and set(overlapping["relation"]) == {2}
    assert (table.backend, table.skipped) == ("cpu", [])
    once = sat2d.join(A)
    np.testing.assert_array_equal(pairs(once), sat2d.query(A))


@pytest.mark.parametrize("relation", [None, "touching", "overlapping", "meeting"])
def test_measurements_agree_with_shapely(relation: str | None) -> None:
    table = sat2d.join(A, B, within=3.0, relation=relation, measure=["distance", "penetration", "manifold"])
    near = expected(A, B, "dwithin", 3.0)
    distances = shapely.distance(A[near[0]], B[near[1]])
    codes = sat2d.relations(A, B, near)
    kept = {None: codes >= 0, "touching": codes == 1, "overlapping": codes == 2, "meeting": codes > 0}[relation]
    np.testing.assert_array_equal(pairs(table), near[:, kept])
    np.testing.assert_array_equal(table["relation"], codes[kept])
    np.testing.assert_allclose(table["distance"], distances[kept], atol=1e-12)
    apart = table["relation"] == 0
    assert np.isnan(table["left_x"][~apart]).all() and not np.isnan(table["left_x"][apart]).any()
    gaps = np.hypot(table["left_x"] - table["right_x"], table["left_y"] - table["right_y"])
    np.testing.assert_allclose(gaps[apart], table["distance"][apart], atol=1e-12)
    ends = shapely.points(table["left_x"][apart], table["left_y"][apart])
    assert shapely.distance(ends, A[table["left"][apart]]).max(initial=0.0) < 1e-12
    assert (table["depth"][table["relation"] == 2] > 0).all() and (table["depth"][table["relation"] == 1] == 0).all()
    assert np.isnan(table["depth"][apart]).all()
    length = np.hypot(table["normal_x"], table["normal_y"])[~apart]
    np.testing.assert_allclose(length, 1.0, atol=1e-12)
    assert (table["contacts"][~apart] >= 1).any() and table["contacts"].max(initial=0) <= 2
    assert (np.isnan(table["contact1_x"]) == (table["contacts"] < 1)).all()
    assert (np.isnan(table["contact2_x"]) == (table["contacts"] < 2)).all()


def test_a_move_by_the_depth_separates_boxes() -> None:
    boxes = [shapely.box(0, 0, 4, 4), shapely.box(3, 1, 6, 3)]
    table = sat2d.join(boxes, measure="penetration")
    assert (table["depth"][0], table["normal_x"][0], table["normal_y"][0]) == (1.0, 1.0, 0.0)


def test_export() -> None:
    table = sat2d.join(A, B, within=2.0, measure=["distance", "penetration"])
    arrow = table.to_arrow()
    assert arrow.column_names == table.columns and arrow.num_rows == len(table)
    assert arrow["relation"].to_pylist() == [sat2d.RELATIONS[code] for code in table["relation"]]
    assert arrow["depth"].null_count == np.isnan(table["depth"]).sum() > 0
    np.testing.assert_array_equal(arrow["left"].to_numpy(), table["left"])
    frame = pl.DataFrame(table)
    assert frame["relation"].cast(pl.String).to_list() == arrow["relation"].to_pylist()
    pandas = table.to_pandas()
    assert isinstance(pandas, pd.DataFrame) and list(pandas.columns) == table.columns
    assert pandas["relation"].tolist() == arrow["relation"].to_pylist()
    assert "PairTable of" in repr(table) and list(table) == table.columns
    empty = sat2d.join([shapely.box(0, 0, 1, 1)])
    assert pa.table(empty).num_rows == 0 and len(empty.to_pandas()) == 0


def test_threads_do_not_change_the_answer() -> None:
    tables = [sat2d.join(A, B, within=2.0, measure=["distance", "manifold"], threads=threads) for threads in (1, 2, 3)]
    for table in tables[1:]:
        for name in table.columns:
            np.testing.assert_array_equal(table[name], tables[0][name])


def test_a_device_gives_the_same_table_or_a_typed_error() -> None:
    auto = sat2d.join(A, B, backend="auto")
    np.testing.assert_array_equal(pairs(auto), pairs(sat2d.join(A, B)))
    assert auto.reason
    try:
        table = sat2d.join(A, B, backend="gpu", within=2.0, measure=["distance", "penetration", "manifold"])
    except sat2d.DeviceError as error:
        assert error.remedy
        return
    assert table.backend == "gpu"
    wanted = sat2d.join(A, B, within=2.0, measure=["distance", "penetration", "manifold"])
    for name in table.columns:
        np.testing.assert_array_equal(table[name], wanted[name])


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("within", [None, 0.0, 1.25])
def test_points_have_relations_and_distances(within: float | None, multi: bool) -> None:
    points = random_points(120, 53, multi)
    options: dict[str, Any] = {} if within is None else {"within": within, "measure": "distance"}
    table = sat2d.join(points, A, **options)
    np.testing.assert_array_equal(pairs(table), expected(points, A, "dwithin", within or 0.0))
    left, right = points[table["left"]], A[table["right"]]
    is_inside = np.array([any(other.contains(point) for point in shapely.get_parts(one)) for one, other in zip(left, right)])
    codes = np.where(is_inside, 2, shapely.intersects(left, right))
    np.testing.assert_array_equal(table["relation"], codes)
    if within is not None:
        np.testing.assert_allclose(table["distance"], shapely.distance(left, right), atol=1e-12)
        apart = codes == 0
        assert np.isnan(table["left_x"][~apart]).all() and apart.any() == (within > 0)
        ends = shapely.points(table["left_x"][apart], table["left_y"][apart])
        assert (shapely.distance(ends, left[apart]) == 0).all()
    names = [sat2d.POINT_RELATIONS[code] for code in codes]
    assert table.to_pandas()["relation"].tolist() == table.to_arrow()["relation"].to_pylist() == names
    np.testing.assert_array_equal(table.counts(), np.bincount(table["left"], minlength=len(points)))
