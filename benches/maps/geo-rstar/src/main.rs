//! Joins the polygons of a GeoJSON file with each other, on one thread. The crate geojson reads them, rstar finds the candidate
//! pairs, and geo decides the pairs.
//!
//!     geo-rstar FILE.geojson.gz OUTPUT
//!
//! Prints the seconds from the file to geometries, and from geometries to sorted pairs. Writes the pairs to `OUTPUT`, with
//! the indices of two features on each line.

use std::error::Error;
use std::fmt::Write;
use std::io::Read;
use std::time::Instant;

use geo::{BoundingRect, Geometry, Intersects};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: geo-rstar FILE.geojson.gz OUTPUT".into());
    };
    let start = Instant::now();
    let shapes = read(&input)?;
    let read = start.elapsed();
    let pairs = join(&shapes);
    let all = start.elapsed();
    println!("{} {}", read.as_secs_f64(), (all - read).as_secs_f64());
    let mut lines = String::new();
    for (a, b) in pairs {
        writeln!(lines, "{a} {b}")?;
    }
    std::fs::write(output, lines)?;
    Ok(())
}

fn read(file: &str) -> Result<Vec<Geometry<f64>>, Box<dyn Error>> {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(file)?).read_to_string(&mut text)?;
    let collection: geojson::FeatureCollection = text.parse()?;
    let shape = |feature: geojson::Feature| -> Result<Geometry<f64>, Box<dyn Error>> {
        let geometry = feature.geometry.ok_or("a feature without a geometry")?;
        Ok(Geometry::try_from(geometry.value)?)
    };
    collection.features.into_iter().map(shape).collect()
}

/// Returns each pair of features that have a common point. Each pair occurs once.
fn join(shapes: &[Geometry<f64>]) -> Vec<(u32, u32)> {
    let leaf = |(index, shape): (u32, &Geometry<f64>)| {
        let around = shape.bounding_rect()?;
        let bounds = AABB::from_corners([around.min().x, around.min().y], [around.max().x, around.max().y]);
        Some(GeomWithData::new(Rectangle::from_aabb(bounds), index))
    };
    let tree = RTree::bulk_load((0..).zip(shapes).filter_map(leaf).collect());
    // The tree yields each pair twice, and each feature with itself.
    let candidates = tree.intersection_candidates_with_other_tree(&tree).map(|(a, b)| (a.data, b.data));
    let meet = |&(a, b): &(u32, u32)| a < b && shapes[a as usize].intersects(&shapes[b as usize]);
    let mut pairs: Vec<_> = candidates.filter(meet).collect();
    pairs.sort_unstable();
    pairs
}
