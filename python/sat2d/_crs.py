"""Coordinate reference systems, as texts. Nothing transforms coordinates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ._errors import OptionError

if TYPE_CHECKING:
    from ._sets import FeatureSet

# An authority and a code, alone or before a name in parentheses. The name of a system without a code begins with `projjson:`.
_CODE = re.compile(r"(?!projjson:)([A-Za-z0-9]+:[A-Za-z0-9]+)(?: \(|$)", re.IGNORECASE)


def crs_text(crs: Any) -> str | None:
    """Return the text of a reference system: a text, or a `pyproj.CRS` as GeoPandas has it. `None` stays `None`.

    The text of a `pyproj.CRS` is the text that a table of Arrow or Parquet with the same system has.
    """
    if crs is None or isinstance(crs, str):
        return crs
    if not hasattr(crs, "to_json_dict"):
        raise OptionError(f"crs is of type {type(crs).__name__}; give a text such as 'EPSG:2056', or the crs of a GeoDataFrame")
    described = crs.to_json_dict()
    name, id = described.get("name", "without a name"), described.get("id")
    return name if id is None else f"{id['authority']}:{id['code']} ({name})"


def check_crs(a: FeatureSet, b: FeatureSet | None, names: tuple[str, str] = ("a", "b")) -> None:
    """Raise an error if the reference systems of two sets certainly differ: both have a code, and the codes differ.

    This is the rule of `join_files`. A system without a code may be the other one under another name.
    """
    codes = [None if features is None else _code(features._crs) for features in (a, b)]
    if b is not None and None not in codes and codes[0] != codes[1]:
        raise OptionError(
            f"{names[0]} states the reference system {a._crs}, and {names[1]} states {b._crs}; bring both into one system, as "
            "with to_crs() of GeoPandas, or change a wrong statement with PolygonSet.with_crs()"
        )


def _code(text: str | None) -> str | None:
    found = None if text is None else _CODE.match(text)
    if found is None:
        return None
    code = found[1].upper()
    # Tables and files have the longitude first, whatever order a registry defines, so both codes mean the same.
    return "EPSG:4326" if code == "OGC:CRS84" else code
