"""Times Shapely's STRtree on points in polygons: the same points and polygons as `sat2d-peers --stage points`.

    cargo run --release --manifest-path benches/peers/Cargo.toml -- --stage points --dump /tmp/points
    python3 -m pip install shapely
    python3 benches/points_shapely.py /tmp/points

The time goes from arrays of coordinates to the number of points in each polygon, on one thread. It includes making the polygons
and the points, building the tree over the polygons, and its `query` of all points by the predicate `within`. The program prints the
least and the middle time of the runs, and the number of pairs, for a comparison with sat2d.
"""

import sys
import time
from pathlib import Path

import numpy
import shapely


def counts(points, vertices, lengths):
    """Return the number of points in each polygon."""
    ring_of_vertex = numpy.repeat(numpy.arange(len(lengths)), lengths)
    polygons = shapely.polygons(shapely.linearrings(vertices, indices=ring_of_vertex))
    tree = shapely.STRtree(polygons)
    inside = tree.query(shapely.points(points), predicate="within")
    return numpy.bincount(inside[1], minlength=len(lengths))


def main():
    folder, runs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print(f"shapely {shapely.__version__}, GEOS {shapely.geos_version_string}")
    for scene in sorted(path.stem for path in folder.glob("*.points")):
        points = numpy.fromfile(folder / f"{scene}.points").reshape(-1, 2)
        vertices = numpy.fromfile(folder / f"{scene}.vertices").reshape(-1, 2)
        lengths = numpy.fromfile(folder / f"{scene}.lengths", dtype=numpy.int64)
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            found = counts(points, vertices, lengths)
            times.append(time.perf_counter() - start)
        times.sort()
        print(
            f"{scene}: {len(points)} points, {len(lengths)} polygons: {times[0]:.2f} s at least, "
            f"{times[len(times) // 2]:.2f} s in the middle of {runs}; {found.sum()} pairs"
        )


if __name__ == "__main__":
    main()
