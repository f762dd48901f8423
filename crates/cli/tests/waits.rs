//! Waits for a process with a time limit. A process that hangs is killed, and its test fails.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The greatest time for which a test waits for the end of a command. It is long enough for a busy machine.
const RUN: Duration = Duration::from_secs(180);
/// The greatest time for which [`wait_until`] waits for its condition.
const WAIT: Duration = Duration::from_secs(60);
/// The pause between two checks of a process.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs a command with an empty input. Returns its output and its exit status.
#[track_caller]
pub(crate) fn output_of(mut command: Command) -> Output {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    output_of_child(&mut command.spawn().unwrap())
}

/// Runs a command with the given input, and returns its output.
#[track_caller]
pub(crate) fn output_with_input(mut command: Command, input: impl Into<Vec<u8>>) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.into());
    // Writes on another thread, because the process may leave its input unread. It is no failure if the process ends before it
    // has read everything.
    std::thread::spawn(move || stdin.write_all(&input));
    output_of_child(&mut child)
}

/// Returns the exit status of a process, and the output that was not read before. Fails if the process does not end in time.
#[track_caller]
pub(crate) fn output_of_child(child: &mut Child) -> Output {
    let stdout = child.stdout.take().map(in_background);
    let stderr = child.stderr.take().map(in_background);
    let status = ended(child, RUN);
    let text = |reader: Option<Receiver<Vec<u8>>>| {
        reader.map_or_else(Vec::new, |reader| reader.recv_timeout(WAIT).unwrap())
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    let Some(status) = status else {
        let [out, err] = [&stdout, &stderr].map(|text| String::from_utf8_lossy(text));
        panic!("killed after {RUN:?}\n{out}{err}");
    };
    Output { status, stdout, stderr }
}

/// Starts a thread that reads `from` to its end. The receiver gets the text.
fn in_background(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = from.read_to_end(&mut text);
        let _ = sender.send(text);
    });
    receiver
}

/// Waits for the end of a process. If the process does not end within `limit`, kills it and returns `None`.
fn ended(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if start.elapsed() >= limit {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Waits for the end of a process, and returns its exit status. Fails if the process does not end in time.
#[track_caller]
pub(crate) fn end_of(child: &mut Child) -> ExitStatus {
    let Some(status) = ended(child, WAIT) else { panic!("killed after {WAIT:?}: it did not end") };
    status
}

/// Waits until `condition` holds. Fails if the process ends before, or if the time limit passes. `what` names the condition in
/// messages.
#[track_caller]
pub(crate) fn wait_until(child: &mut Child, what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        if let Some(status) = child.try_wait().unwrap() {
            // The condition may have become true since the last check.
            assert!(condition(), "it ended without {what}: {status}");
            return;
        }
        if start.elapsed() >= WAIT {
            let _ = child.kill();
            let _ = child.wait();
            panic!("killed after {WAIT:?} without {what}");
        }
        std::thread::sleep(PAUSE);
    }
}
