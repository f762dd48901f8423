//! Describes the machine on which the benchmark ran.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use rayon::prelude::*;

/// The machine that ran the benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Machine {
    /// Name of the processor.
    pub(super) cpu: String,
    /// Number of threads that can run at once.
    pub(super) cores: usize,
    /// The widest vector instructions that the processor has, such as `AVX2`.
    pub(super) vectors: String,
    /// Size of the memory in bytes. `null` if unknown.
    pub(super) memory_bytes: Option<u64>,
    /// Name of the operating system, and version of its kernel.
    pub(super) system: String,
}

impl Machine {
    pub(super) fn this() -> Self {
        Self {
            cpu: processor(),
            cores: cores(),
            vectors: vectors().into(),
            memory_bytes: memory_bytes(),
            system: system(),
        }
    }

    pub(super) fn line(&self) -> String {
        let memory = self.memory_bytes.map(|bytes| format!(", {:.0} GB", bytes as f64 / 1e9));
        let Self { cpu, cores, vectors, system, .. } = self;
        format!("{cpu}, {cores} cores, {vectors}{}, {system}", memory.unwrap_or_default())
    }
}

pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn processor() -> String {
    line_of("/proc/cpuinfo", "model name", ':')
        .or_else(|| output_of(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"])))
        .or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok())
        .unwrap_or_else(|| std::env::consts::ARCH.into())
}

fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if !cfg!(sat2d_no_avx512) && std::arch::is_x86_feature_detected!("avx512f") {
            return "AVX-512";
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            return "AVX2";
        }
        "SSE2"
    }
    #[cfg(target_arch = "aarch64")]
    return "NEON";
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    "vectors unknown"
}

fn memory_bytes() -> Option<u64> {
    if let Some(line) = line_of("/proc/meminfo", "MemTotal", ':') {
        return line.trim_end_matches("kB").trim().parse().ok().map(|kibibytes: u64| kibibytes * 1024);
    }
    output_of(Command::new("sysctl").args(["-n", "hw.memsize"]))?.parse().ok()
}

fn system() -> String {
    let name = line_of("/etc/os-release", "PRETTY_NAME", '=').map(|name| name.trim_matches('"').to_owned());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let known = [name, kernel.map(|kernel| kernel.trim().to_owned())].into_iter().flatten();
    let known: Vec<String> = known.filter(|part| !part.is_empty()).collect();
    if known.is_empty() { std::env::consts::OS.into() } else { known.join(", ") }
}

/// Returns the commit of the build. If the source may differ from the commit, a `+` follows.
///
/// For a program that was moved to another machine, the environment variable `SAT2D_COMMIT` names the commit.
/// Otherwise, git names the current commit of the build folder. If the folder is no longer a repository, the result is
/// `unknown`. The source may differ if tracked files differ from the commit, or if the commit was checked out after the
/// build.
pub(super) fn commit() -> String {
    if let Ok(commit) = std::env::var("SAT2D_COMMIT") {
        return commit;
    }
    let folder = env!("CARGO_MANIFEST_DIR");
    let git = |arguments: &[&str]| output_of(Command::new("git").args(["-C", folder]).args(arguments));
    // If the package lies within another repository, the commit of that repository says nothing about the package.
    let is_root = git(&["rev-parse", "--show-toplevel"])
        .is_some_and(|root| Path::new(&root).join("crates/cli") == Path::new(folder));
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]).filter(|_| is_root) else {
        return "unknown".into();
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|s| !s.is_empty());
    // The time when the commit was made, and the time of the last checkout. Git does not report the second time in every
    // repository.
    let seconds = |text: String| text.trim_start_matches("HEAD@{").trim_end_matches('}').parse().ok();
    let made: Option<u64> = git(&["log", "-1", "--format=%ct"]).and_then(seconds);
    let came: Option<u64> = git(&["reflog", "-1", "--date=unix", "--format=%gd", "HEAD"]).and_then(seconds);
    let is_older = made.max(came).is_none_or(built_before);
    if changed || is_older { commit + "+" } else { commit }
}

/// Returns whether this program was built before the time `seconds`, in seconds since 1970. Returns true if the time of the
/// build is unknown.
fn built_before(seconds: u64) -> bool {
    let built = std::env::current_exe().and_then(|program| program.metadata()?.modified());
    built.map_or(true, |built| built < std::time::UNIX_EPOCH + Duration::from_secs(seconds))
}

/// Returns the CPU time of all threads of this process, or `None` if the system does not report it.
pub(super) fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).ok()?))
    }
    #[cfg(not(unix))]
    None
}

/// Returns the rate of copies of 256 MiB on the host, in bytes read and written per second. The copies run in the current
/// thread pool, and the fastest of five counts.
pub(super) fn copy_bytes_per_second() -> f64 {
    /// The number of bytes that one copy reads.
    const BYTES: usize = 1 << 28;
    /// The number of bytes that one task of a copy copies.
    const PART: usize = 1 << 20;
    let source = vec![1u8; BYTES];
    let mut target = vec![0u8; BYTES];
    let mut copy = || {
        let start = Instant::now();
        target.par_chunks_mut(PART).zip(source.par_chunks(PART)).for_each(|(to, from)| {
            to.copy_from_slice(std::hint::black_box(from));
        });
        std::hint::black_box(&target);
        start.elapsed()
    };
    // The first copy maps the pages, so it is not timed.
    let _warm_up = copy();
    let best = (0..5).map(|_| copy()).min().unwrap_or_default();
    2.0 * BYTES as f64 / best.as_secs_f64().max(1e-9)
}

fn line_of(path: &str, name: &str, separator: char) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let value =
        text.lines().find_map(|line| line.split_once(separator).filter(|(key, _)| key.trim() == name))?.1;
    Some(value.trim().to_owned())
}

fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stderr(std::process::Stdio::null()).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_named() {
        let machine = Machine::this();
        assert!(machine.cores > 0 && !machine.cpu.is_empty() && !machine.system.is_empty(), "{machine:?}");
    }
}
