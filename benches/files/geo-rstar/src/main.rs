//! A contestant of `compare.py`: joins GeoParquet files with the predicates of `geo` and the tree of `rstar`.
//!
//! ```text
//! geo-rstar THREADS OUTPUT FILE [FILE]
//! ```
//!
//! The input has WKB in little-endian order. The output has the columns `a` and `b`, as the other contestants write them.

use std::error::Error;
use std::fs::File;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use geo::{BoundingRect, Geometry, Intersects, LineString, MultiPolygon, Point, Polygon};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;
type Item = GeomWithData<Rectangle<[f64; 2]>, usize>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [threads, output, files @ ..] = &arguments[..] else {
        return Err("geo-rstar THREADS OUTPUT FILE [FILE]".into());
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let sets = files.iter().map(|file| read(file)).collect::<Result<Vec<_>>>()?;
    let (a, b) = (&sets[0], sets.last().ok_or("name a file")?);
    let items = b.par_iter().enumerate().filter_map(|(index, shape)| {
        let aabb = aabb(shape)?;
        Some(Item::new(Rectangle::from_corners(aabb.lower(), aabb.upper()), index))
    });
    let tree = RTree::bulk_load(items.collect());
    let is_self = sets.len() == 1;
    let pairs: Vec<(i64, i64)> = a
        .par_iter()
        .enumerate()
        .flat_map_iter(|(index, shape)| {
            let near = aabb(shape).map(|aabb| tree.locate_in_envelope_intersecting(aabb));
            near.into_iter().flatten().filter_map(move |item| {
                let meets = (!is_self || index < item.data) && shape.intersects(&b[item.data]);
                meets.then_some((index as i64, item.data as i64))
            })
        })
        .collect();
    write(output, &pairs)
}

fn aabb(shape: &Geometry) -> Option<AABB<[f64; 2]>> {
    let rect = shape.bounding_rect()?;
    Some(AABB::from_corners([rect.min().x, rect.min().y], [rect.max().x, rect.max().y]))
}

/// Reads the geometries in the column `geometry` of a Parquet file. Each task reads one row group.
fn read(file: &str) -> Result<Vec<Geometry>> {
    let open = || {
        Ok::<_, Box<dyn Error + Send + Sync>>(ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?)
    };
    let groups = open()?.metadata().num_row_groups();
    let group = |group: usize| {
        let reader = open()?;
        let mask = ProjectionMask::columns(reader.parquet_schema(), ["geometry"]);
        let mut shapes = Vec::new();
        for batch in reader.with_projection(mask).with_row_groups(vec![group]).build()? {
            let batch = batch?;
            for wkb in batch.column(0).as_binary::<i32>().iter() {
                shapes.push(Wkb(wkb.ok_or("a geometry is null")?).geometry()?);
            }
        }
        Ok(shapes)
    };
    let groups: Vec<Vec<Geometry>> = (0..groups).into_par_iter().map(group).collect::<Result<_>>()?;
    Ok(groups.into_iter().flatten().collect())
}

/// The bytes of a geometry in WKB that are not read yet.
struct Wkb<'a>(&'a [u8]);

impl Wkb<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or("the WKB ends early")?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn number(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn position(&mut self) -> Result<(f64, f64)> {
        Ok((f64::from_le_bytes(self.take()?), f64::from_le_bytes(self.take()?)))
    }

    fn rings(&mut self) -> Result<Polygon> {
        let mut rings = Vec::new();
        for _ in 0..self.number()? {
            let ring = (0..self.number()?).map(|_| self.position()).collect::<Result<Vec<_>>>()?;
            rings.push(LineString::from(ring));
        }
        let holes = rings.split_off(1.min(rings.len()));
        Ok(Polygon::new(rings.pop().unwrap_or(LineString::new(Vec::new())), holes))
    }

    fn geometry(&mut self) -> Result<Geometry> {
        let [order] = self.take()?;
        if order != 1 {
            return Err("the WKB is big-endian".into());
        }
        match self.number()? {
            1 => Ok(Point::from(self.position()?).into()),
            3 => Ok(self.rings()?.into()),
            6 => {
                let mut parts = Vec::new();
                for _ in 0..self.number()? {
                    match self.geometry()? {
                        Geometry::Polygon(polygon) => parts.push(polygon),
                        _ => return Err("a part is not a polygon".into()),
                    }
                }
                Ok(MultiPolygon(parts).into())
            }
            kind => Err(format!("WKB of type {kind}").into()),
        }
    }
}

fn write(path: &str, pairs: &[(i64, i64)]) -> Result<()> {
    let a: ArrayRef = Arc::new(Int64Array::from_iter_values(pairs.iter().map(|pair| pair.0)));
    let b: ArrayRef = Arc::new(Int64Array::from_iter_values(pairs.iter().map(|pair| pair.1)));
    let batch = RecordBatch::try_from_iter([("a", a), ("b", b)])?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}
