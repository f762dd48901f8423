"""The input files of the comparison. The seeds are fixed, so each run writes the same coordinates."""

import gzip
import json
from pathlib import Path

import geopandas
import numpy
import shapely
from shapely.geometry import shape

COUNTIES = Path(__file__).resolve().parents[2] / "data/us-counties.geojson.gz"
NEIGHBOURS = 3  # mean number of polygons that a polygon meets
GROUP = 50_000  # rows of a row group: DuckDB gives each thread whole row groups, so that 100,000 features need two


def convex_polygons(count: int, generator: numpy.random.Generator):
    """Makes polygons with 3 to 8 vertices on circles around the origin. Returns the vertices, the number of vertices of each polygon, and
    the polygon of each vertex."""
    lengths = generator.integers(3, 9, count)
    polygon = numpy.repeat(numpy.arange(count), lengths)
    place = numpy.arange(len(polygon)) - numpy.repeat(numpy.cumsum(lengths) - lengths, lengths)
    turn = generator.uniform(0, 1, count)[polygon]
    angle = 2 * numpy.pi * (place + turn + generator.uniform(-0.3, 0.3, len(polygon))) / lengths[polygon]
    radius = generator.uniform(0.6, 1.4, count)[polygon]
    return radius[:, None] * numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1), lengths, polygon


def reach(vertices, polygon) -> float:
    """Returns the mean area of the set of translations that make two polygons meet: A1 + A2 + P1 * P2 / (2 pi) for random rotations."""
    shapes = shapely.polygons(shapely.linearrings(vertices, indices=polygon))
    area, perimeter = shapely.area(shapes).mean(), shapely.length(shapes).mean()
    return 2 * area + perimeter**2 / (2 * numpy.pi)


def ngons(count: int, clustered: bool = False):
    """Returns convex polygons at uniform positions in a square, or in Gaussian clusters of about 1,000. Each meets about three others."""
    generator = numpy.random.default_rng([2024, count, clustered])
    vertices, lengths, polygon = convex_polygons(count, generator)
    area = reach(vertices, polygon)
    if clustered:
        clusters = max(1, count // 1000)
        # The mean density at a random point of a cluster of m polygons is m / (4 pi sigma^2).
        sigma = numpy.sqrt(area * (count / clusters) / (4 * numpy.pi * NEIGHBOURS))
        centres = generator.uniform(0, 20 * sigma * numpy.sqrt(clusters), (clusters, 2))
        places = centres[generator.integers(0, clusters, count)] + generator.normal(0, sigma, (count, 2))
    else:
        places = generator.uniform(0, numpy.sqrt(count * area / NEIGHBOURS), (count, 2))
    return shapely.polygons(shapely.linearrings(vertices + places[polygon], indices=polygon))


def counties():
    """Returns the counties that are valid according to Shapely."""
    features = json.loads(gzip.open(COUNTIES).read())["features"]
    shapes = numpy.array([shape(feature["geometry"]) for feature in features])
    return shapes[shapely.is_valid(shapes) & ~shapely.is_empty(shapes)]


def points(count: int):
    """Returns points that are uniformly distributed in the bounding box of the contiguous states."""
    return shapely.points(numpy.random.default_rng([2024, count]).uniform([-125, 24], [-66, 50], (count, 2)))


def in_order(shapes):
    """Returns the shapes sorted along a Hilbert curve, so that a row group contains neighbours."""
    return shapes[numpy.argsort(geopandas.GeoSeries(shapes).hilbert_distance().to_numpy(), kind="stable")]


def corner(shapes, count: int):
    """Returns the first shapes that lie in the lower left hundredth of the bounding box of all shapes."""
    boxes = shapely.bounds(shapes)
    least, most = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return shapes[(boxes[:, 2:] < least + (most - least) / 10).all(axis=1)][:count]


def write(paths: list[Path], shapes) -> None:
    """Writes the shapes to each path, in the format of its ending. The column or member `id` is the index of the shape."""
    for path in paths:
        if path.suffix == ".geojson":
            texts = enumerate(shapely.to_geojson(shapes))
            features = ",\n".join(f'{{"type":"Feature","id":{place},"properties":{{}},"geometry":{text}}}' for place, text in texts)
            path.write_text(f'{{"type":"FeatureCollection","features":[\n{features}\n]}}\n')
        elif path.suffix == ".csv":
            # With the precision -1, all digits are written.
            texts = enumerate(shapely.to_wkt(shapes, rounding_precision=-1))
            path.write_text("id,geometry\n" + "".join(f'{place},"{text}"\n' for place, text in texts))
        else:
            frame = geopandas.GeoDataFrame({"id": numpy.arange(len(shapes))}, geometry=shapes, crs="OGC:CRS84")
            if path.suffix == ".parquet":
                # The statistics of this column give the bounding boxes of the row groups.
                frame.to_parquet(path, index=False, row_group_size=GROUP, write_covering_bbox=path.stem.startswith("sorted"))
            else:
                # An index would change the order of the features.
                frame.to_file(path, driver="FlatGeobuf", engine="pyogrio", SPATIAL_INDEX="NO")


def size(count: int) -> str:
    return f"{count // 1_000_000}M" if count % 1_000_000 == 0 else f"{count // 1000}k"


def tasks(quick: bool) -> dict:
    """Maps the name of each task to the scenes of its one or two files, each with the function that makes it."""
    large, small = (10_000, 10_000) if quick else (1_000_000, 100_000)
    selected = {}
    for count in sorted({large, small}):
        selected[f"ngons {size(count)}"] = {f"ngons-{count}": lambda count=count: ngons(count)}
    selected[f"clustered {size(large)}"] = {f"clustered-{large}": lambda: ngons(large, True)}
    selected[f"sorted {size(large)} with 1k"] = {
        f"sorted-{large}": lambda: in_order(ngons(large)),
        f"corner-{large}": lambda: corner(ngons(large), 1000),
    }
    selected["counties"] = {"counties": counties}
    selected[f"points {size(large)} in counties"] = {f"points-{large}": lambda: points(large), "counties": counties}
    return selected
