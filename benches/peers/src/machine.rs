//! Describes the machine and the versions of a measurement.

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::Serialize;

use crate::{AnyError, allocator};

/// The lock file of the workspace, which has the versions of the peers.
const LOCK: &str = include_str!("../Cargo.lock");

/// The facts about the machine in the first line of every report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    processor: String,
    cores: usize,
    commit: String,
    /// The options of glibc's allocator, or `None` if there are none.
    allocator: Option<String>,
}

impl Machine {
    pub(crate) fn here() -> Self {
        Self { processor: processor(), cores: cores(), commit: commit(), allocator: allocator::told() }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} cores, commit {}", self.processor, self.cores, self.commit)?;
        self.allocator.as_ref().map_or(Ok(()), |told| write!(f, ", {told}"))
    }
}

/// Writes a report to `path`. Does nothing if `path` is `None`.
pub(crate) fn write_json(path: Option<&Path>, report: &impl Serialize) -> Result<(), AnyError> {
    let Some(path) = path else { return Ok(()) };
    let text = serde_json::to_string_pretty(report)?;
    std::fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Returns the number of threads that can run at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the name of the processor from `/proc/cpuinfo`, or else the name of the architecture.
fn processor() -> String {
    line_of("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// Returns a value of `/proc/self/status` in bytes, or `None` if the file does not have it.
pub(crate) fn memory_bytes(name: &str) -> Option<u64> {
    kibibytes(&line_of("/proc/self/status", name)?)
}

/// Returns the available memory of the machine in bytes, or `None` if it is not known.
pub(crate) fn available_bytes() -> Option<u64> {
    kibibytes(&line_of("/proc/meminfo", "MemAvailable")?)
}

fn kibibytes(line: &str) -> Option<u64> {
    line.trim_end_matches("kB").trim().parse().ok().map(|count: u64| count * 1024)
}

/// Returns the commit of the sources of this program, with a `+` if files differ from the commit. The current folder has no
/// influence.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let here = ["-C", env!("CARGO_MANIFEST_DIR")];
        let output =
            Command::new("git").args(here).args(arguments).output().ok().filter(|o| o.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return "unknown".into() };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|s| !s.is_empty());
    if changed { commit + "+" } else { commit }
}

/// Returns the locked version of a package, or `unknown` if the lock file does not have the package. If there are several
/// versions, returns the latest.
pub(crate) fn version(package: &str) -> &'static str {
    let entry = format!("name = \"{package}\"\nversion = \"");
    LOCK.rsplit_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown")
}

fn line_of(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.split_once(':').filter(|(key, _)| key.trim() == name))?.1;
    Some(value.trim().to_owned())
}
