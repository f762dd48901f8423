"""Messages speak the language of the package, and an exception has its remedy as a value."""

from __future__ import annotations

import pickle
from typing import Any

import geopandas
import numpy as np
import pyarrow as pa
import pytest
import shapely

import sat2d

BOX = shapely.box(0, 0, 1, 1)
LINE = shapely.LineString([(0, 0), (1, 1)])


@pytest.mark.parametrize("kind", ["array", "WKB", "Arrow", "GeoDataFrame"])
def test_lines_are_sent_to_geopandas(kind: str) -> None:
    shapes = [BOX, LINE]
    given: Any = {
        "array": np.array(shapes),
        "WKB": list(shapely.to_wkb(shapes)),
        "Arrow": pa.array(shapely.to_wkb(shapes)),
        "GeoDataFrame": geopandas.GeoDataFrame(geometry=shapes),
    }[kind]
    with pytest.raises(sat2d.UnsupportedGeometryError, match="geometry type LineString cannot be joined") as caught:
        sat2d.query(given)
    assert "file" not in str(caught.value) and "geopandas.sjoin" in str(caught.value.remedy)
    assert "geopandas.sjoin" in sat2d.PolygonSet(given, invalid="skip").skipped[0].reason


def test_a_shape_that_is_not_convex_gets_a_remedy_in_python() -> None:
    world = sat2d.World()
    with pytest.raises(sat2d.InvalidGeometryError, match="is not convex at vertex") as caught:
        world.add_polygon([[0, 0], [2, 0], [2, 2], [1, 0.5]])
    assert caught.value.remedy == "give its convex hull, or each of its convex parts"
    assert "`" not in str(caught.value) and str(caught.value).endswith(f"; {caught.value.remedy}")


def test_a_missing_device_gets_a_remedy_in_python() -> None:
    try:
        sat2d.join([BOX], backend="gpu")
    except sat2d.DeviceError as error:
        assert str(error.remedy).endswith("give backend='cpu'")


def test_a_path_with_a_semicolon_is_no_remedy(tmp_path: Any) -> None:
    with pytest.raises(sat2d.ReadError) as caught:
        sat2d.read(tmp_path / "a; b.geojson")
    assert caught.value.remedy is None and "a; b.geojson" in str(caught.value)
    with pytest.raises(sat2d.OptionError, match="must be auto, cpu or gpu") as option:
        sat2d.join([BOX], backend="a; b")
    assert option.value.remedy is None


def test_a_remedy_is_passed_as_a_value() -> None:
    error = sat2d.OptionError("one; two; three", remedy="two; three")
    assert pickle.loads(pickle.dumps(error)).remedy == error.remedy == "two; three"
    assert sat2d.OptionError("one; two", remedy=None).remedy is None
    assert sat2d.OptionError("one; two").remedy == "two"
    with pytest.raises(sat2d.ReadError) as caught:
        sat2d.PolygonSet(pa.table({"geometry": shapely.to_wkb([BOX])}), geometry="shape")
    assert caught.value.remedy == "name one of them" and str(caught.value).endswith(
        "the columns are geometry; name one of them"
    )


@pytest.mark.parametrize("threads", [-1, 0, 1025, 2**70, 2.5, "two"])
def test_a_wrong_number_of_threads_is_an_error(threads: Any, tmp_path: Any) -> None:
    calls: list[Any] = [
        lambda: sat2d.query([BOX], threads=threads),
        lambda: sat2d.query([BOX], sat2d.PointSet([[0.5, 0.5]]), threads=threads),
        lambda: sat2d.PolygonSet([BOX], threads=threads),
        lambda: sat2d.World(threads=threads),
        lambda: sat2d.prepare([BOX], threads=threads),
        lambda: sat2d.read(tmp_path, threads=threads),
        lambda: sat2d.info(tmp_path, threads=threads),
        lambda: sat2d.step_worlds([sat2d.World()], 0.1, threads=threads),
    ]
    for call in calls:
        with pytest.raises(sat2d.OptionError) as caught:
            call()
        assert str(caught.value) == f"threads = {threads!r}; give a number from 1 to 1024, or None"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sat2d.join([BOX], relation=3), "relation = 3; give 'touching', 'overlapping' or 'meeting'"),
        (lambda: sat2d.join([BOX], keep=True), "keep = True; give 'largest' or None"),
        (lambda: sat2d.join([BOX], backend=None), "backend = None; give 'cpu', 'gpu' or 'auto'"),
        (lambda: sat2d.join([BOX], measure=None), "measure = None; give a list of names such as 'distance' and 'area'"),
        (lambda: sat2d.join([BOX], within="far"), "within = 'far'; give a number"),
        (lambda: sat2d.prepare([BOX], backend=2), "backend = 2; give 'cpu', 'gpu' or 'auto'"),
        (lambda: sat2d.World(backend=2), "backend = 2; give 'cpu', 'gpu' or 'auto'"),
        (lambda: sat2d.World(solver=None), "solver = None; give 'rigid' or 'push'"),
        (lambda: sat2d.World(substeps=1.5), "substeps = 1.5; give an integer from 1 to 1024"),
        (lambda: sat2d.World(length_unit=None), "length_unit = None; give a number"),
        (lambda: sat2d.World(gravity="down"), "gravity = 'down'; give two numbers: x and y"),
        (lambda: sat2d.World().add_circle("wide"), "radius = 'wide'; give a number"),
        (lambda: sat2d.World().step(None), "dt = None; give a number"),
        (lambda: sat2d.step_worlds([sat2d.World()], "soon"), "dt = 'soon'; give a number"),
        (lambda: sat2d.World().near([0, 0], None), "distance = None; give a number"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(call: Any, message: str) -> None:
    with pytest.raises(sat2d.OptionError) as caught:
        call()
    assert str(caught.value).startswith(message)
