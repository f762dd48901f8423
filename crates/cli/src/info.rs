use clap::Args;

use super::Outcome;
use super::contents::{self, FileArguments};
use super::terminal::{print, row};
use crate::error::Result;
use sat2d::{Backend, Engine};

/// Describe a file, or show the adapters.
///
/// With FILE, prints its format, its coordinate reference system, its columns, the number of features of each type, its extent,
/// and its invalid features. Without FILE, prints the adapters, their limits, and which backend `auto` would choose and why.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    file: FileArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(file) = arguments.file.file.as_deref() {
        contents::run(&arguments.file, file)?;
        return Ok(Outcome::Answered);
    }
    super::use_threads(None)?;
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(row(name, value));
    line("sat2d", env!("CARGO_PKG_VERSION").into());
    line("cpu", format!("{} threads", rayon::current_num_threads()));
    #[cfg(feature = "gpu")]
    {
        let adapters = pollster::block_on(sat2d::adapters());
        if adapters.is_empty() {
            line(
                "adapters",
                "none (on Debian and Ubuntu, mesa-vulkan-drivers has a software adapter)".into(),
            );
        }
        for adapter in adapters {
            let kind = if adapter.is_hardware { "hardware" } else { "software" };
            line("adapter", format!("{} ({kind})", adapter.name));
            line("  interface", adapter.interface);
            line("  driver", adapter.driver);
            let limits = adapter.limits;
            line("  binding", format!("{} bytes at most", limits.max_storage_buffer_binding_size));
            line("  buffer", format!("{} bytes at most", limits.max_buffer_size));
            line(
                "  dispatch",
                format!("{} workgroups per dimension", limits.max_compute_workgroups_per_dimension),
            );
        }
    }
    #[cfg(not(feature = "gpu"))]
    line("adapters", "not looked for: built without the `gpu` feature".into());
    let engine = Engine::new(Backend::Auto)?;
    let choice = engine.choice();
    let adapter = choice.adapter.as_ref().map(|a| format!(", {a}")).unwrap_or_default();
    line("auto", format!("{}{adapter}: {}", choice.backend, choice.reason));
    print(&lines)?;
    Ok(Outcome::Answered)
}
