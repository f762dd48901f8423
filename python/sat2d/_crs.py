"""Coordinate reference systems, as texts. Nothing transforms coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _sat2d
from ._errors import OptionError

if TYPE_CHECKING:
    from ._sets import FeatureSet


def crs_text(crs: Any) -> str | None:
    """Return the text of a reference system, which is given as a text or as a `pyproj.CRS`. Return `None` for `None`.

    The text of a `pyproj.CRS` is its code with its name in parentheses, or its name.
    """
    if crs is None or isinstance(crs, str):
        return crs
    if not hasattr(crs, "to_json_dict"):
        raise OptionError(f"crs is of type {type(crs).__name__}; give a text such as 'EPSG:2056', or the crs of a GeoDataFrame")
    described = crs.to_json_dict()
    name, id = described.get("name", "without a name"), described.get("id")
    return name if id is None else f"{id['authority']}:{id['code']} ({name})"


def check_crs(a: FeatureSet, b: FeatureSet | None, names: tuple[str, str] = ("a", "b")) -> None:
    """Raise an error if the reference systems of two sets certainly differ, by the rule of `join_files`."""
    if b is not None and a._crs is not None and b._crs is not None and _sat2d.systems_differ(a._crs, b._crs):
        raise OptionError(
            f"{names[0]} states the reference system {a._crs}, and {names[1]} states {b._crs}; bring both into one system, as "
            "with to_crs() of GeoPandas, or change a wrong statement with PolygonSet.with_crs()"
        )
