//! Runs tests with limits. Without limits, a test of broken code could take all memory or run forever.
#![allow(dead_code)]

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The resources that a test may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The size of the process's address space in MiB.
    pub(crate) mib: usize,
    pub(crate) seconds: u64,
}

/// Runs `test`, the body of the calling test, in its own process with these limits. If the process fails, the test
/// fails. If the process exceeded a limit, the message names this limit. On systems other than Unix, runs `test` in this
/// process without limits.
#[track_caller]
pub(crate) fn run<F: FnOnce()>(limits: Limits, test: F) {
    if cfg!(not(unix)) || std::env::var_os(IS_CHILD).is_some() {
        return test();
    }
    if let Err(problem) = run_in_child(limits, test_name::<F>()) {
        panic!("{problem}");
    }
}

/// Calls `work` on its own thread, and fails if it does not return in time. The thread is then abandoned.
#[track_caller]
pub(crate) fn within<T: Send + 'static>(seconds: u64, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    let worker = std::thread::spawn(move || {
        let _ = sender.send(work());
    });
    match receiver.recv_timeout(Duration::from_secs(seconds)) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("no end within {seconds} s"),
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("a thread that sends nothing panics"),
        },
    }
}

/// The variable that marks the process with the limits.
const IS_CHILD: &str = "SAT2D_TEST_HAS_LIMITS";

/// Returns the name of a test in the test binary, from the type of a closure in the test.
fn test_name<F>() -> &'static str {
    let path = std::any::type_name::<F>();
    let path = path.split("::{{closure}}").next().unwrap_or(path);
    // Remove the name of the crate.
    path.split_once("::").map_or(path, |(_, name)| name)
}

#[cfg(not(unix))]
fn run_in_child(_: Limits, _: &str) -> Result<(), String> {
    Ok(())
}

#[cfg(unix)]
fn run_in_child(limits: Limits, name: &str) -> Result<(), String> {
    use std::process::Command;
    use std::time::Instant;

    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &(limits.mib << 10).to_string()]);
    command.arg(std::env::current_exe().map_err(|error| error.to_string())?);
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    // Threads take address space, so the number of threads is the same on every machine.
    command.env(IS_CHILD, "1").env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "2");
    let time = Duration::from_secs(limits.seconds);
    let start = Instant::now();
    let output = assert_cmd::Command::from_std(command).timeout(time).output();
    let output = output.map_err(|error| error.to_string())?;
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.success() && out.contains("test result: ok. 1 passed") {
        return Ok(());
    }
    let problem = if output.status.success() {
        format!("there is no test {name}")
    } else if start.elapsed() >= time {
        format!("{name} took more than its {} s", limits.seconds)
    } else if err.contains("memory allocation of") {
        format!("{name} needs more than its {} MiB", limits.mib)
    } else {
        format!("{name} failed: {}", output.status)
    };
    Err(format!("{problem}\n{out}{err}"))
}
