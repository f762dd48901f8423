"""The best partner of each feature in a self-join, compared with integer arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from grid import random_polygons
from test_files import frame, read_pairs

import sat2d

MEASURES = ["area", "iou", "left_area", "right_area"]
OPTIONS: list[dict[str, float]] = [{}, {"min_area": 3.0}, {"min_iou": 0.25}, {"min_area": 2.0, "min_iou": 0.125}]


class Boxes:
    """Boxes on a small integer grid, on which many common areas are equal, and their common areas."""

    def __init__(self, seed: int, count: int = 40) -> None:
        generator = np.random.default_rng(seed)
        least = generator.integers(0, 12, (count, 2))
        greatest = least + generator.integers(1, 5, (count, 2))
        self.shapes = shapely.box(*least.T, *greatest.T)
        self.size = (greatest - least).prod(axis=1)
        sides = np.minimum(greatest[:, None], greatest) - np.maximum(least[:, None], least)
        self.area = np.maximum(sides, 0).prod(axis=2)
        self.iou = self.area / (self.size[:, None] + self.size - self.area)

    def best(self, min_area: float = 0.0, min_iou: float = 0.0) -> tuple[Any, Any]:
        """Return the features with a partner, and for each of them the partner with the largest common area."""
        area = np.where((self.area >= min_area) & (self.iou >= min_iou), self.area, 0)
        np.fill_diagonal(area, 0)
        left = np.flatnonzero(area.max(axis=1) > 0)
        # `argmax` returns the first of several equal values.
        return left, area.argmax(axis=1)[left]


@pytest.mark.parametrize("backend", ["cpu", "auto", "gpu"])
@pytest.mark.parametrize("options", OPTIONS)
def test_each_feature_has_the_partner_of_integers(options: dict[str, float], backend: str) -> None:
    ties = 0
    for seed in range(4):
        boxes = Boxes(seed)
        try:
            table = sat2d.join(boxes.shapes, keep="largest", measure=MEASURES, backend=backend, **options)
        except sat2d.DeviceError as error:
            assert backend == "gpu" and error.remedy
            return
        left, right = boxes.best(**options)
        np.testing.assert_array_equal(table["left"], left)
        np.testing.assert_array_equal(table["right"], right)
        assert set(table["relation"]) == {2} and (left > right).any()
        np.testing.assert_array_equal(table["area"], boxes.area[left, right])
        np.testing.assert_array_equal(table["iou"], boxes.iou[left, right])
        np.testing.assert_array_equal(table["left_area"], boxes.size[left])
        np.testing.assert_array_equal(table["right_area"], boxes.size[right])
        np.testing.assert_array_equal(table.counts(), np.isin(np.arange(len(boxes.shapes)), left))
        others = boxes.area - np.diag(boxes.size)
        ties += ((others == others.max(axis=1)[:, None]).sum(axis=1) > 1).sum()
    assert ties > 10


def test_measurements_point_from_left_to_right() -> None:
    shapes = random_polygons(60, 301)
    measure = ["penetration", "manifold", *MEASURES]
    once = sat2d.join(shapes, measure=measure)
    rows = {(left, right): k for k, (left, right) in enumerate(zip(once["left"], once["right"]))}
    best: dict[int, tuple[float, int]] = {}
    for (left, right), k in rows.items():
        for one, other in ((left, right), (right, left)):
            area = once["area"][k]
            if area > 0 and (one not in best or (-area, other) < (-best[one][0], best[one][1])):
                best[one] = area, other
    table = sat2d.join(shapes, keep="largest", measure=measure)
    assert table.columns == once.columns
    assert list(zip(table["left"], table["right"])) == [(one, best[one][1]) for one in sorted(best)]
    is_swapped = table["left"] > table["right"]
    assert is_swapped.any() and not is_swapped.all()
    k = [rows[min(pair), max(pair)] for pair in zip(table["left"], table["right"])]
    for name in table.columns[2:]:
        wanted = once[name][k]
        if "normal" in name:
            wanted = np.where(is_swapped, 0.0 - wanted, wanted)
        elif name in ("left_area", "right_area"):
            other = once[{"left_area": "right_area", "right_area": "left_area"}[name]][k]
            wanted = np.where(is_swapped, other, wanted)
        np.testing.assert_array_equal(table[name], wanted)


def test_two_inputs_keep_one_pair_of_each_left_feature() -> None:
    boxes, others = Boxes(5), Boxes(6)
    table = sat2d.join(boxes.shapes, others.shapes, keep="largest")
    assert (np.diff(table["left"]) > 0).all()
    np.testing.assert_array_equal(table.counts(), np.bincount(table["left"], minlength=40))
    # Two inputs that are one array are not a self-join, so each feature is its own best partner.
    same = sat2d.join(boxes.shapes, boxes.shapes, keep="largest", min_iou=1.0)
    assert (same["left"] >= same["right"]).all() and len(same) == 40


def test_no_pair_is_the_largest() -> None:
    for shapes in ([], [shapely.box(0, 0, 1, 1)], [shapely.box(0, 0, 1, 1), None, shapely.box(1, 0, 2, 1)]):
        table = sat2d.join(shapes, keep="largest", measure=["area", "penetration"])
        assert len(table) == 0 and table.counts().tolist() == [0] * len(shapes)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "geojson", "parquet", "arrow"])
@pytest.mark.parametrize("options", OPTIONS)
def test_files(tmp_path: Any, options: dict[str, float], ending: str) -> None:
    boxes = Boxes(7)
    path, out = tmp_path / "boxes.parquet", tmp_path / f"pairs.{ending}"
    frame(boxes.shapes).to_parquet(path)
    table = sat2d.join_files(path, out=out, id="parcel", keep="largest", measure=MEASURES, **options)
    left, right = boxes.best(**options)
    np.testing.assert_array_equal(table["left"], left)
    np.testing.assert_array_equal(table["right"], right)
    written = read_pairs(out)
    assert written["a"].tolist() == [f"p{k}" for k in left] and written["b"].tolist() == [f"p{k}" for k in right]
    np.testing.assert_allclose(written["area"], boxes.area[left, right], atol=1e-12)
    np.testing.assert_allclose(written["iou"], boxes.iou[left, right], atol=1e-12)
    np.testing.assert_allclose(written["area_a"], boxes.size[left], atol=1e-12)
    np.testing.assert_allclose(written["area_b"], boxes.size[right], atol=1e-12)
    if ending == "geojson":
        return
    table = sat2d.join_files(path, out=out, id="parcel", keep="largest", count=True, **options)
    counts = np.isin(np.arange(40), left).astype(int)
    np.testing.assert_array_equal(read_pairs(out)["count"], counts)
    np.testing.assert_array_equal(table.counts(), counts)


def test_areas_of_decimals_are_compared_as_the_file_has_them(tmp_path: Any) -> None:
    path, out = tmp_path / "boxes.parquet", tmp_path / "pairs.csv"
    # The common areas are 0.02 and 0.02, of which the second has a larger computed number.
    shapes = [shapely.box(0.0, 0.0, 1.0, 0.1), shapely.box(0.1, 0.0, 0.3, 0.1), shapely.box(0.5, 0.0, 0.7, 0.1)]
    once = sat2d.join(shapes, measure="area")["area"]
    order = [0, 1, 2] if once[0] < once[1] else [0, 2, 1]
    assert once[0] != once[1] and max(abs(once - 0.02)) < 1e-15
    frame([shapes[k] for k in order]).to_parquet(path)
    table = sat2d.join_files(path, out=out, keep="largest", measure="area")
    assert (table["left"].tolist(), table["right"].tolist()) == ([0, 1, 2], [1, 0, 0])
    # The program writes the same rows.
    assert out.read_text() == "a,b,relation,area\n0,1,overlapping,0.02\n1,0,overlapping,0.02\n2,0,overlapping,0.02\n"
    for options, count in (({"min_area": 0.02}, 2), ({"min_area": 0.0200001}, 0)):
        assert len(sat2d.join_files(path, **options)) == count
    in_memory = sat2d.join([shapes[k] for k in order], keep="largest")
    assert in_memory["right"].tolist() == [2, 0, 0]
