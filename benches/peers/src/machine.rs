//! What the figures were measured on.

use std::process::Command;

/// The peers' versions are those that the workspace is locked to.
const LOCK: &str = include_str!("../../../Cargo.lock");

/// Threads that can run at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The processor's name, where `/proc/cpuinfo` tells it.
pub(crate) fn processor() -> String {
    line_of("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// A figure of this process in `/proc/self/status`, in MB (10^6 bytes).
pub(crate) fn memory_megabytes(name: &str) -> Option<f64> {
    let line = line_of("/proc/self/status", name)?;
    let kibibytes: f64 = line.trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

/// The commit that is checked out, `+` where files differ from it.
pub(crate) fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return "unknown".into() };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|s| !s.is_empty());
    if changed { commit + "+" } else { commit }
}

/// The locked version of a package; the latest, where there are several.
pub(crate) fn version(package: &str) -> &'static str {
    let entry = format!("name = \"{package}\"\nversion = \"");
    LOCK.rsplit_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown")
}

fn line_of(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.split_once(':').filter(|(key, _)| key.trim() == name))?.1;
    Some(value.trim().to_owned())
}
