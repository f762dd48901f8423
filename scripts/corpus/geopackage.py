"""GeoPackages that GDAL writes."""

from pathlib import Path

import pyogrio

from . import good
from .features import Row
from .shapefiles import GDAL


def written(rows: list[Row], path: Path, layer: str = "features", crs=None, append: bool = False, multi: bool | None = None, **options) -> None:
    # A GeoPackage stores the time of the last change. A fixed time gives the same bytes on each run.
    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": "2026-01-01T00:00:00.000Z"})
    options = {"SPATIAL_INDEX": "NO"} | options
    pyogrio.write_dataframe(
        good.frame(rows, crs), path, driver="GPKG", layer=layer, append=append, promote_to_multi=multi, layer_options=options
    )


def write(corpus: good.Corpus, rows: list[Row], points: list[Row]) -> None:
    def path(name: str, contents: str, count: int, expected: str = "expected.geojson", tool: str = GDAL) -> Path:
        return corpus.path(name, count, expected, tool, contents)

    written(rows, path("gdal.gpkg", "types of their own, heights, null and empty geometries", len(rows)))
    few = rows[:24]
    target = path("gdal-index.gpkg", "MultiPolygon, CRS EPSG:2056, with an index; 24 features", len(few))
    written(few, target, crs=2056, multi=True, SPATIAL_INDEX="YES", GEOMETRY_NAME="shape", FID="number")
    written(points, path("points.gpkg", "points", len(points), "expected-points.geojson"))
    layers = path("unsupported/layers.gpkg", "two layers, `first` and `second`", len(few), "error")
    written(few, layers, layer="first")
    written(few, layers, layer="second", append=True)
