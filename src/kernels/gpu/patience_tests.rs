//! Tests of waits for three kinds of devices: a device that finishes nothing, a slow device, and a device that
//! recovers.
#![allow(clippy::unwrap_used, reason = "a test ends where an answer is missing")]

use std::cell::Cell;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Error;
use crate::answers::backend::Backend;
use crate::engine::Engine;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::gpu::patience::poll_until_done;
use crate::packed::grid::Grid;
use crate::packed::layout::PointCandidate;
use crate::queries::kinds::{Containments, Penetrations, Relations};
use crate::scenes::Scene;

const PATIENCE: Duration = Duration::from_millis(120);
const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn a_wait_without_progress_ends_in_time() {
    let polls = Cell::new(0);
    let never = |timeout: Duration| {
        polls.set(polls.get() + 1);
        assert!(timeout <= PATIENCE / 10);
        // The wait must end even if polls return at once.
        assert!(polls.get() < 100_000_000);
        Ok(false)
    };
    assert!(!poll_until_done(PATIENCE, || 7, never).unwrap());
}

#[test]
fn progress_and_a_stopped_process_do_not_count_as_silence() {
    // Each submission takes most of the allowed time, and all submissions together take ten times the allowed time.
    let polls = Cell::new(0);
    let slow = |timeout: Duration| {
        sleep(timeout);
        polls.set(polls.get() + 1);
        Ok(polls.get() == 400)
    };
    assert!(poll_until_done(PATIENCE, || polls.get() / 40, slow).unwrap());

    // In a few polls, a debugger stops the process for longer than the allowed time.
    let stops = Cell::new(0);
    let stopped = |_: Duration| {
        sleep(PATIENCE);
        stops.set(stops.get() + 1);
        Ok(stops.get() == 5)
    };
    assert!(poll_until_done(PATIENCE, || 7, stopped).unwrap());
}

#[test]
fn an_error_ends_a_wait() {
    let lost = |_: Duration| Err(Error::DeviceLost { reason: "gone".into() });
    assert!(matches!(poll_until_done(PATIENCE, || 7, lost), Err(Error::DeviceLost { .. })));
}

#[track_caller]
fn assert_given_up<T: std::fmt::Debug>(found: Result<T, Error>, what: &str) {
    let error = found.unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error:?}");
    let expected = format!("GPU device: no progress for 120ms while waiting for {what}; try another adapter");
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[test]
fn every_wait_for_a_stuck_device_is_an_error() {
    let start = Instant::now();
    let set = PolygonSet::from_convex_rings(&Scene::Ngons.generate(400, 3)).unwrap();
    let engine = Engine::new(Backend::Gpu).unwrap();
    let join = || engine.self_join(&set).query(Relations);
    let expected = join().unwrap().items;
    let pairs: Vec<[u32; 2]> = expected.iter().map(|found| [found.a, found.b]).collect();
    let gpu = engine.backends.gpu.as_ref().unwrap();
    let finished = gpu.device.watch.finished();
    assert!(finished > 0, "no submission was counted");

    gpu.device.watch.inject(true, PATIENCE);
    assert_given_up(join(), "the relations of pairs");
    assert_given_up(engine.piece_pairs(&set, &set, &pairs).query(Penetrations), "the measurements of pairs");
    assert_given_up(engine.object_pairs(&set, &set, &pairs).query(Containments), "the relations of pairs");
    let grid = Grid::over(Aabb::around_all(&set.piece_boxes()));
    let candidates = [PointCandidate::default(); 3];
    let points = pollster::block_on(async {
        let mut session = gpu.point_session(Pieces::of(&set), grid).await?;
        session.codes(&candidates, &mut Vec::new(), &mut 0).await
    });
    assert_given_up(points, "the relations of points");

    // The engine uses a device that recovers again, with buffers that no submission in flight writes to.
    gpu.device.watch.inject(false, MINUTE);
    assert_eq!(join().unwrap().items, expected);
    assert!(gpu.device.watch.finished() > finished);
    assert!(start.elapsed() < MINUTE, "the patience of tests is not kept to");
}
