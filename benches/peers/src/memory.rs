//! Measures the peak memory of large joins. Each join has its own process, which reads the polygons from its input. Otherwise,
//! the memory left by the generator would hide the memory of the join. The answer is compared with the stored answer, or with
//! the answer of exact arithmetic.

use sat2d::Relations;
use std::io::{BufReader, BufWriter, Read, Write, stdin};
use std::process::{Command, Stdio};
use std::time::Instant;

use sat2d::scenes::Scene;
use sat2d::{Backend, Engine, PolygonSet, RelatedPair};
use serde::{Deserialize, Serialize};

use crate::bars::{self, Bar, Verdict};
use crate::expected::{Expected, Standard};
use crate::machine::{Machine, memory_bytes, version, write_json};
use crate::unequal::Units;
use crate::{AnyError, Arguments, Rings};

const COUNT: usize = 1_000_000;
/// The accepted number of bytes for each polygon of up to 8 vertices, without input and output.
const BYTES_A_POLYGON: f64 = 500.0;
/// The seed of the scenes. The octagons have a fixed seed.
const SEED: u64 = 1;
/// The accepted number of additional bytes for each vertex of a polygon beyond the eighth.
const BYTES_A_VERTEX: f64 = 32.0;

/// The measurements of one process that joins polygons. Memory is in bytes.
#[derive(Debug, Serialize, Deserialize)]
struct Peak {
    vertices: u64,
    vertices_beyond_8: u64,
    answer: Expected,
    seconds: f64,
    /// The peak memory of the process, with input and output.
    peak: u64,
    /// The memory of the process before the join: the rings, which are one `Vec` each, and the process itself.
    input: u64,
    output: u64,
}

impl Peak {
    fn working(&self) -> u64 {
        self.peak.saturating_sub(self.input + self.output)
    }

    fn bound(&self) -> f64 {
        COUNT as f64 * BYTES_A_POLYGON + self.vertices_beyond_8 as f64 * BYTES_A_VERTEX
    }
}

#[derive(Debug, Serialize)]
struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    count: usize,
    peaks: Vec<Subject>,
    bars: Vec<Bar>,
}

#[derive(Debug, Serialize)]
struct Subject {
    name: &'static str,
    /// Whether the answer equals the expected answer.
    is_right: bool,
    #[serde(flatten)]
    peak: Peak,
}

/// Measures the join of each set of polygons in a process of its own.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let mut report = Report {
        stage: "memory",
        machine: Machine::here(),
        count: COUNT,
        peaks: Vec::new(),
        bars: Vec::new(),
    };
    println!("{}", report.machine);
    println!(
        "sat2d {}: the whole self-join of {COUNT} polygons, all threads; MB are 10^6 bytes",
        version("sat2d")
    );
    println!(
        "\n  {:<10} {:>10} {:>10} {:>8} {:>8} {:>8} {:>8} {:>10}  answers",
        "", "vertices", "candidates", "peak MB", "input", "output", "beside", "B/polygon"
    );
    for scene in [None, Some(Scene::BigNgons)] {
        let name = scene.map_or("octagons", Scene::name);
        let rings = scene.map_or_else(octagons, |scene| scene.generate(COUNT, SEED));
        let standard = Standard::new(scene, SEED, &rings)?;
        let peak = measure_apart(&rings).map_err(|error| format!("{name}: {error}"))?;
        let is_right = peak.answer == standard.expected;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "  {name:<10} {:>10} {:>10} {:>8.0} {:>8.0} {:>8.0} {:>8.0} {:>10.0}  {}",
            peak.vertices,
            peak.answer.candidates,
            megabytes(peak.peak),
            megabytes(peak.input),
            megabytes(peak.output),
            megabytes(peak.working()),
            peak.working() as f64 / COUNT as f64,
            standard.says(is_right)
        );
        let what = format!("{name}: MB beside input and output");
        report.bars.push(Bar::at_most(what, megabytes(peak.working()), peak.bound() / 1e6));
        report.peaks.push(Subject { name, is_right, peak });
    }
    println!(
        "  input: the rings, a Vec each; bound: {BYTES_A_POLYGON} B a polygon, {BYTES_A_VERTEX} more for each vertex beyond 8"
    );
    bars::print(&report.bars);
    write_json(arguments.json.as_deref(), &report)?;
    Ok(Verdict::new(report.peaks.iter().all(|subject| subject.is_right), &report.bars))
}

/// Sends the rings to a process that joins them, and reads its measurements.
fn measure_apart(rings: &Rings) -> Result<Peak, AnyError> {
    let mut process = Command::new(std::env::current_exe()?)
        .arg("--memory-of-input")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut out = BufWriter::new(process.stdin.take().ok_or("the process takes no input")?);
    out.write_all(&(rings.len() as u64).to_le_bytes())?;
    for ring in rings {
        out.write_all(&(ring.len() as u64).to_le_bytes())?;
        for x in ring.iter().flatten() {
            out.write_all(&x.to_le_bytes())?;
        }
    }
    out.flush()?;
    drop(out);
    let output = process.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("the process that joins failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Joins the rings from standard input, and writes the measurements as JSON.
pub(crate) fn measure() -> Result<(), AnyError> {
    let status = |name| memory_bytes(name).ok_or("/proc/self/status does not tell how much memory is used");
    let rings = read()?;
    let input = status("VmRSS")?;
    let start = Instant::now();
    let set = PolygonSet::from_convex_rings(&rings)?;
    let join = Engine::new(Backend::Cpu)?.self_join(&set).query(Relations)?;
    let seconds = start.elapsed().as_secs_f64();
    // The peak is read before the answer is compared, because the comparison also takes memory.
    let peak = status("VmHWM")?;
    let peak = Peak {
        vertices: set.vertex_count() as u64,
        vertices_beyond_8: rings.iter().map(|ring| ring.len().saturating_sub(8) as u64).sum(),
        answer: Expected::of(join.counts.candidate_pairs, &join.items),
        seconds,
        peak,
        input,
        output: (join.items.len() * size_of::<RelatedPair>()) as u64,
    };
    println!("{}", serde_json::to_string(&peak)?);
    Ok(())
}

/// Reads rings in the format of [`measure_apart`].
fn read() -> Result<Vec<Vec<[f64; 2]>>, AnyError> {
    let mut input = BufReader::new(stdin().lock());
    let mut bytes = || {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes).map(|()| bytes)
    };
    let count = u64::from_le_bytes(bytes()?);
    let mut rings = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let length = u64::from_le_bytes(bytes()?) as usize;
        let mut ring = Vec::with_capacity(length);
        for _ in 0..length {
            ring.push([f64::from_le_bytes(bytes()?), f64::from_le_bytes(bytes()?)]);
        }
        rings.push(ring);
    }
    Ok(rings)
}

/// Returns affine images of a regular octagon. The images are uniformly distributed in a square, and have about 6 neighbours
/// each. One half axis is from 0.3 to 1 long, and the other half axis is 0.4 to 1 times as long. The images are sheared by up
/// to a half. They are the same in every run.
fn octagons() -> Vec<Vec<[f64; 2]>> {
    let h = 0.5f64.sqrt();
    let regular = [[1.0, 0.0], [h, h], [0.0, 1.0], [-h, h], [-1.0, 0.0], [-h, -h], [0.0, -1.0], [h, -h]];
    let side = (COUNT as f64).sqrt();
    let mut units = Units(1);
    (0..COUNT)
        .map(|_| {
            let (x, y) = (side * units.next(), side * units.next());
            let a = 0.3 + 0.7 * units.next();
            let (b, shear) = (a * (0.4 + 0.6 * units.next()), units.next() - 0.5);
            regular.iter().map(|v| [x + a * v[0] + shear * b * v[1], y + b * v[1]]).collect()
        })
        .collect()
}
