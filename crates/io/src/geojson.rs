//! Reads polygons from GeoJSON (RFC 7946), as planar coordinates.
//!
//! The input is a FeatureCollection, a Feature, a bare Polygon or a bare MultiPolygon. The input may also be a sequence
//! of these GeoJSON values, as newline-delimited GeoJSON or as a text sequence (RFC 8142). The reader recognises gzip
//! by the first bytes of the input, not by the name, and decompresses the input. Zeros after the compressed data are
//! ignored as padding. Any other bytes after the compressed data are an error. The members of an object may come in any
//! order. The reader ignores `crs`, `bbox` and members that GeoJSON does not define.

mod encoding;
mod gzip;
mod kept;
mod malformed;
mod nesting;
mod ordinates;
mod parse;
mod position;
#[allow(dead_code)]
mod quick;
mod replay;
mod scan;
mod skip;
mod surrogates;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::time::Duration;

use sat2d::glam::DVec2;

use super::id::{Id, tell_apart};
use crate::{Error, Result};
use gzip::{Gunzip, Packing};
use parse::{Feature, Geometry, Name, Naming, Parsed};
use position::{Place, SyntaxError};
use rayon::prelude::*;
use sat2d::internal::{Instant, try_reserve};
use sat2d::{Cleanup, PolygonObject};
use scan::{Batch, Element, Scanner, Stop};

const BUFFER_BYTES: usize = 1 << 16;
/// Enough features for every thread, few enough that a big file takes little memory besides its polygons.
const BATCH_BYTES: usize = 4 << 20;

/// Options of [`read`] and [`read_from`].
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The property whose value is the name of a feature. If `id_property` is `None`, the name of a feature is its
    /// `id`.
    ///
    /// If the property is missing or null in a feature, the name of the feature is its index.
    /// [`ReadCounts::ids_missing`] counts the features without the property. If the property is missing or null in all
    /// features, [`read`] returns [`Error::IdProperty`].
    pub id_property: Option<String>,
    /// What to do if all features lack the property [`ReadOptions::id_property`]. With `true`, the name of each feature
    /// is its `id`, and [`Features::lacks_property`] is set. With `false`, [`read`] returns an error.
    pub id_otherwise: bool,
    /// Whether to leave out invalid features. [`Features::skipped`] lists the features that were left out. If `false`,
    /// the first invalid feature is an error.
    ///
    /// Text that is not JSON is always an error.
    pub skip_invalid: bool,
    /// Whether to accept a file of Point and MultiPoint features. [`Features::points`] holds the points. A file may not
    /// mix points and polygons.
    pub points: bool,
    /// Maximum size of the text of one feature, in bytes. For a larger feature, [`read`] returns
    /// [`Error::Feature`] with the source [`Error::FeatureTooLarge`], even if [`ReadOptions::skip_invalid`] is set. The default is [`MAX_FEATURE_BYTES`].
    ///
    /// The size does not include the members that the reader skips: the properties (unless a property names the
    /// feature), and the members that GeoJSON does not define.
    pub max_feature_bytes: usize,
}

/// The default of [`ReadOptions::max_feature_bytes`]: 256 MiB, about ten million positions.
pub const MAX_FEATURE_BYTES: usize = 256 << 20;

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            id_property: None,
            id_otherwise: false,
            skip_invalid: false,
            points: false,
            max_feature_bytes: MAX_FEATURE_BYTES,
        }
    }
}

/// The features of one input. Object `i` is the region of feature `i`, and `ids[i]` is the name of feature `i`.
#[derive(Debug, Default)]
pub struct Features {
    /// One object for each feature. A null, empty or skipped feature has an object without a region.
    pub objects: Vec<PolygonObject>,
    /// One name for each feature. Names are unique only if the ids of the input are unique.
    /// [`ReadCounts::ids_repeated`] counts the repeated names. The name of a feature without an id is its index.
    /// Another feature may have an id that equals this index. For example, the feature with index 5 has no id, and
    /// another feature has the id `5`. The feature with index 5 is then written as `index:5`. If `index:5` is also an
    /// id, the feature is written as `index:index:5`, and so on.
    pub ids: Vec<Id>,
    /// Whether all features lack the property [`ReadOptions::id_property`]. If all features lack the property, the name
    /// of each feature is its `id`.
    pub lacks_property: bool,
    /// The points in the order of the features, each with the index of its feature. The list is empty unless
    /// [`ReadOptions::points`] is set and the input has points. The object of a feature with points has no region.
    pub points: Vec<(u32, DVec2)>,
    /// The invalid features, in the order of the input. The list is empty unless [`ReadOptions::skip_invalid`] is set.
    pub skipped: Vec<Skipped>,
    /// Counts of features and of irregularities.
    pub counts: ReadCounts,
    /// Counts of the cleanups in all polygons.
    pub cleanup: Cleanup,
    /// Wall-clock time of reading and parsing.
    pub read_time: Duration,
    /// Wall-clock time of checking polygons and splitting them into convex pieces.
    pub decompose_time: Duration,
    /// Whether the features so far are points. `None` until there is a feature that is not empty.
    are_points: Option<bool>,
    /// The `id`s of the features, until one has the property.
    own_ids: Vec<Option<Id>>,
}

/// The region of a feature.
enum Region {
    Object(PolygonObject),
    Points(Vec<DVec2>),
}

/// A feature that was left out.
#[derive(Debug)]
pub struct Skipped {
    /// Index of the feature in its input, from 0.
    pub feature: usize,
    /// The id of the feature, if it has one.
    pub id: Option<String>,
    /// Number of polygons in the feature. The reader left out all polygons of the feature. If the reader could not
    /// count the polygons, the number is 0.
    pub polygons: usize,
    /// The reason: an [`Error::Feature`], which names the file and the feature.
    pub error: Error,
}

/// Counts of features and of irregularities in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Total number of features, including skipped features and features without a region.
    pub features: usize,
    /// Number of features with a null geometry.
    pub null_geometries: usize,
    /// Number of features with a geometry without any position, such as `"coordinates": []`.
    pub empty_geometries: usize,
    /// Number of polygons without any position, in MultiPolygons that also have a polygon with positions.
    pub empty_polygons: usize,
    /// Number of positions with more than two ordinates. The reader ignored the third ordinate and any further
    /// ordinates.
    pub third_ordinates_ignored: usize,
    /// Number of rings that the reader closed, because the last position differed from the first.
    pub rings_closed: usize,
    /// Number of features without the property [`ReadOptions::id_property`]. The name of a feature without the property
    /// is its index.
    pub ids_missing: usize,
    /// Number of features whose written name equals the written name of an earlier feature.
    pub ids_repeated: usize,
    /// Number of features that have no id, and whose index equals the id of another feature. For example, the feature
    /// with index 5 is then written as `index:5`.
    pub ids_told_apart: usize,
    /// Number of features with control characters in their name.
    pub ids_with_controls: usize,
}

impl std::ops::AddAssign for ReadCounts {
    fn add_assign(&mut self, other: Self) {
        self.features += other.features;
        self.null_geometries += other.null_geometries;
        self.empty_geometries += other.empty_geometries;
        self.empty_polygons += other.empty_polygons;
        self.third_ordinates_ignored += other.third_ordinates_ignored;
        self.rings_closed += other.rings_closed;
        self.ids_missing += other.ids_missing;
        self.ids_repeated += other.ids_repeated;
        self.ids_told_apart += other.ids_told_apart;
        self.ids_with_controls += other.ids_with_controls;
    }
}

/// Reads a file, or standard input if `path` is `-`.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be opened, read or decompressed.
/// - [`Error::Syntax`] if the input is empty, not JSON or not GeoJSON.
/// - [`Error::IdProperty`] if no feature has the property that names features.
/// - [`Error::Feature`] for the first invalid feature, unless [`ReadOptions::skip_invalid`] is set. The source of this
///   error is [`Error::Malformed`], [`Error::UnsupportedGeometry`], or [`Error::Library`] with an error of
///   [`PolygonObject::from_polygon`].
/// - [`Error::Feature`] with the source [`Error::FeatureTooLarge`] for a feature that exceeds the limit on its size.
/// - [`Error::OutOfReadMemory`] if the contents do not fit in memory, and [`Error::Library`] if there are more features
///   than a 32-bit index can address.
///
/// ```
/// use sat2d_io::geojson::{ReadOptions, read_from};
/// let text = r#"{"type": "Feature", "id": "a", "properties": null, "geometry":
///     {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}}"#;
/// let features = read_from(text.as_bytes(), "a.geojson".as_ref(), &ReadOptions::default())?;
/// assert_eq!(features.ids[0].to_string(), "a");
/// assert_eq!(features.objects[0].pieces().len(), 1);
/// # Ok::<(), sat2d_io::Error>(())
/// ```
pub fn read(path: &Path, options: &ReadOptions) -> Result<Features> {
    if path.as_os_str() == "-" {
        return read_from(BufReader::with_capacity(BUFFER_BYTES, io::stdin()), path, options);
    }
    let unreadable = |source| Error::Read { path: path.into(), source };
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        let source = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a file in it");
        return Err(unreadable(source));
    }
    read_from(BufReader::with_capacity(BUFFER_BYTES, file), path, options)
}

/// Reads GeoJSON from `reader`. Errors use `name` as the path of the input.
///
/// # Errors
/// Fails in the same cases as [`read`].
pub fn read_from(mut reader: impl BufRead + Send, name: &Path, options: &ReadOptions) -> Result<Features> {
    let unreadable = |source| Error::Read { path: name.into(), source };
    let start = peek(&mut reader).map_err(unreadable)?;
    match Packing::of(&start) {
        Packing::Gzip => {
            let packed = Cursor::new(start).chain(reader);
            let mut reader = BufReader::with_capacity(BUFFER_BYTES, Gunzip::new(packed));
            let start = peek(&mut reader).map_err(unreadable)?;
            let what = match Packing::of(&start) {
                Packing::Gzip => "gzip inside of gzip; unpack it once (`gzip -d`)",
                Packing::Other(what) => what,
                Packing::None => return read_text(start, reader, name, options),
            };
            Err(SyntaxError::new(Place::START, format!("the unpacked data is {what}")).in_file(name))
        }
        Packing::Other(what) => Err(SyntaxError::new(Place::START, format!("this is {what}")).in_file(name)),
        Packing::None => {
            let is_named_gzip =
                name.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
            if is_named_gzip && !gzip::may_be_text(&start) {
                let found = gzip::beginning(&start);
                let problem = format!(
                    "it is named .gz, but is neither gzip nor GeoJSON: it begins with {found}; fetch the file again"
                );
                return Err(unreadable(io::Error::new(io::ErrorKind::InvalidData, problem)));
            }
            read_text(start, reader, name, options)
        }
    }
}

/// The first bytes. There are fewer only if the input has no more bytes.
fn peek(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(gzip::START_BYTES).read_to_end(&mut start)?;
    Ok(start)
}

fn read_text(
    mut start: Vec<u8>,
    reader: impl BufRead + Send,
    name: &Path,
    options: &ReadOptions,
) -> Result<Features> {
    if start.starts_with(&[0xEF, 0xBB, 0xBF]) {
        start.drain(..3);
    }
    let began = Instant::now();
    let mut scanner = Scanner::new(Cursor::new(start).chain(reader), options);
    let mut features = Features::default();
    let mut batch = scanner.next_batch(BATCH_BYTES);
    loop {
        let end = batch.end.take();
        let (added, next) = if end.is_some() {
            (features.add(&batch, name, options), None)
        } else {
            // The next elements are read while these are parsed.
            let (added, next) =
                rayon::join(|| features.add(&batch, name, options), || scanner.next_batch(BATCH_BYTES));
            (added, Some(next))
        };
        added?;
        match (end, next) {
            (Some(Err(Stop::Read(source))), _) => return Err(Error::Read { path: name.into(), source }),
            (Some(Err(Stop::Syntax(error))), _) => return Err(error.in_file(name)),
            (Some(Err(Stop::OutOfMemory(needed_bytes))), _) => {
                return Err(Error::OutOfReadMemory { path: name.into(), needed_bytes });
            }
            (Some(Err(Stop::TooLarge)), _) => {
                let source = Box::new(Error::FeatureTooLarge { limit_bytes: options.max_feature_bytes });
                let feature = features.objects.len();
                return Err(Error::Feature { path: name.into(), feature, id: None, source });
            }
            (None, Some(next)) => batch = next,
            _ => break,
        }
    }
    if let Some(property) = &options.id_property
        && features.counts.features > 0
        && features.counts.ids_missing == features.counts.features
    {
        if !options.id_otherwise {
            return Err(Error::IdProperty { paths: vec![name.into()], property: property.clone() });
        }
        features.lacks_property = true;
        features.counts.ids_missing = 0;
        let own = std::mem::take(&mut features.own_ids).into_iter().enumerate();
        features.ids = own.map(|(feature, id)| id.unwrap_or(Id::Index(feature))).collect();
    }
    (features.counts.ids_told_apart, features.counts.ids_repeated) = tell_apart(&mut features.ids);
    features.counts.ids_with_controls = features.ids.par_iter().filter(|id| id.has_controls()).count();
    features.read_time = began.elapsed().saturating_sub(features.decompose_time);
    Ok(features)
}

/// The name of a feature, and its geometry or why it has none.
type Identified = (Name, Result<Geometry>);

/// A feature that is complete or was skipped.
struct Decomposed {
    name: Name,
    counts: ReadCounts,
    polygons: usize,
    region: Result<Region>,
}

impl Features {
    /// Makes room for `count` further features, or returns the number of refused bytes.
    fn reserve(&mut self, count: usize, naming: Naming<'_>) -> Result<(), usize> {
        let keeps_own = naming.keeps_ids && self.counts.ids_missing == self.counts.features;
        let own = if keeps_own { count } else { 0 };
        let reserved = try_reserve(&mut self.objects, count)
            .and_then(|()| try_reserve(&mut self.ids, count))
            .and_then(|()| try_reserve(&mut self.own_ids, own));
        let of_own = if keeps_own { size_of::<Option<Id>>() } else { 0 };
        let bytes = size_of::<PolygonObject>() + size_of::<Id>() + of_own;
        reserved.map_err(|_| (self.ids.len() + count) * bytes)
    }

    fn add(&mut self, batch: &Batch, name: &Path, options: &ReadOptions) -> Result<()> {
        let naming = Naming { property: options.id_property.as_deref(), keeps_ids: options.id_otherwise };
        self.reserve(batch.elements.len(), naming)
            .map_err(|needed_bytes| Error::OutOfReadMemory { path: name.into(), needed_bytes })?;
        let parsed: Vec<Result<Identified, SyntaxError>> =
            batch.elements.par_iter().map(|element| parse_element(batch, element, naming)).collect();
        let began = Instant::now();
        let decomposed: Vec<Result<Decomposed, SyntaxError>> = parsed
            .into_par_iter()
            .map(|parsed| {
                let (name, geometry) = parsed?;
                let mut counts = ReadCounts { features: 1, ..ReadCounts::default() };
                counts.ids_missing = usize::from(naming.property.is_some() && name.id.is_none());
                let polygons = geometry.as_ref().map_or(0, |geometry| geometry.polygons().len());
                let region = geometry.and_then(|geometry| region(geometry, options.points, &mut counts));
                Ok(Decomposed { name, counts, polygons, region })
            })
            .collect();
        self.decompose_time += began.elapsed();
        for decomposed in decomposed {
            let Decomposed { name: Name { id, own }, counts, polygons, region } =
                decomposed.map_err(|e| e.in_file(name))?;
            let feature = self.objects.len();
            if u32::try_from(feature).is_err() {
                let limit = u32::MAX as usize;
                return Err(sat2d::Error::TooMany { items: "features", count: feature + 1, limit }.into());
            }
            self.counts += counts;
            let region = region.and_then(|region| self.of_one_kind(region));
            let object = match region {
                Ok(Region::Object(object)) => object,
                Ok(Region::Points(points)) => {
                    self.points.extend(points.into_iter().map(|point| (feature as u32, point)));
                    PolygonObject::empty()
                }
                Err(source) => {
                    let id = id.as_ref().or(own.as_ref()).map(Id::to_string);
                    let error = Error::Feature {
                        path: name.into(),
                        feature,
                        id: id.clone(),
                        source: Box::new(source),
                    };
                    if !options.skip_invalid {
                        return Err(error);
                    }
                    self.skipped.push(Skipped { feature, id, polygons, error });
                    PolygonObject::empty()
                }
            };
            self.cleanup += object.cleanup();
            self.objects.push(object);
            if options.id_otherwise && self.counts.ids_missing == self.counts.features {
                self.own_ids.push(own);
            } else {
                self.own_ids = Vec::new();
            }
            self.ids.push(id.unwrap_or(Id::Index(feature)));
        }
        Ok(())
    }
}

impl Features {
    /// Refuses points among polygons, and polygons among points.
    fn of_one_kind(&mut self, region: Region) -> Result<Region> {
        let are_points = match &region {
            Region::Object(object) if object.pieces().is_empty() => return Ok(region),
            Region::Points(points) if points.is_empty() => return Ok(region),
            Region::Object(_) => false,
            Region::Points(_) => true,
        };
        if *self.are_points.get_or_insert(are_points) == are_points {
            return Ok(region);
        }
        let what = if are_points { "a point among polygons" } else { "a polygon among points" };
        Err(Error::Malformed { problem: format!("{what}; put points and polygons in separate files") })
    }
}

/// The content of an element, or the reason why it is not a feature.
fn parse_element(batch: &Batch, element: &Element, naming: Naming<'_>) -> Result<Identified, SyntaxError> {
    let bytes = &batch.bytes[element.range.clone()];
    match parse::parse(bytes, element.in_collection, naming) {
        Ok(Parsed::Feature(Feature { name, geometry })) => {
            let is_read_as_0 = geometry.may_have_too_small() && ordinates::has_too_small(bytes);
            let error = if is_read_as_0 { malformed::too_small(bytes) } else { None };
            Ok((name, error.map_or(Ok(geometry), Err)))
        }
        Ok(Parsed::NoFeature(problem)) => Err(SyntaxError::new(element.origin.place, problem)),
        Err(error) => {
            let (id, error) = malformed::explain(&error, bytes, &element.origin, naming.property)?;
            Ok((Name { id, own: None }, Err(error)))
        }
    }
}

fn region(geometry: Geometry, accepts_points: bool, counts: &mut ReadCounts) -> Result<Region> {
    let Geometry::Points { kind, coordinates } = &geometry else {
        return decompose(geometry, counts).map(Region::Object);
    };
    if !accepts_points {
        return Err(Error::UnsupportedGeometry { kind: (*kind).into() });
    }
    let positions = parse::positions(kind, coordinates.as_deref())?;
    counts.empty_geometries = usize::from(positions.is_empty());
    counts.third_ordinates_ignored = positions.iter().filter(|position| position.has_third).count();
    let points: Vec<DVec2> = positions.into_iter().map(DVec2::from).collect();
    sat2d::internal::check_points(&points)?;
    Ok(Region::Points(points))
}

fn decompose(geometry: Geometry, counts: &mut ReadCounts) -> Result<PolygonObject> {
    counts.third_ordinates_ignored = geometry.third_ordinates();
    counts.rings_closed = geometry.unclosed_rings();
    let is_empty = |rings: &parse::Rings| rings.iter().all(Vec::is_empty);
    let empty_count = geometry.polygons().iter().filter(|rings| is_empty(rings)).count();
    match &geometry {
        Geometry::Null => {
            counts.null_geometries = 1;
            Ok(PolygonObject::empty())
        }
        Geometry::Unsupported(kind) => Err(Error::UnsupportedGeometry { kind: kind.clone() }),
        Geometry::Points { kind, .. } => Err(Error::UnsupportedGeometry { kind: (*kind).into() }),
        _ if empty_count == geometry.polygons().len() => {
            counts.empty_geometries = 1;
            Ok(PolygonObject::empty())
        }
        Geometry::Polygon(rings) => Ok(PolygonObject::from_polygon(rings)?),
        Geometry::MultiPolygon(polygons) if empty_count == 0 => {
            Ok(PolygonObject::from_multi_polygon(polygons)?)
        }
        _ => {
            counts.empty_polygons = empty_count;
            let kept: Vec<_> = geometry.polygons().iter().filter(|rings| !is_empty(rings)).collect();
            let object = PolygonObject::from_multi_polygon(&kept).map_err(|error| {
                // The error counts the polygons that were kept; the caller counts all.
                let all = geometry.polygons().iter().enumerate().filter(|(_, rings)| !is_empty(rings));
                let mut errors =
                    all.filter_map(|(i, r)| Some(PolygonObject::from_polygon(r).err()?.at_polygon(i)));
                errors.next().unwrap_or(error)
            })?;
            Ok(object)
        }
    }
}
