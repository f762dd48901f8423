//! Tests that a test fails if it exceeds its limit on time or memory.

use std::time::Duration;

use crate::support::bounded::{Limits, run, within};

const LIMITS: Limits = Limits { mib: 1000, seconds: 60 };

#[test]
fn a_test_within_its_limits_passes() {
    run(LIMITS, || assert_eq!(std::hint::black_box(vec![1u8; 100 << 20]).len(), 100 << 20));
}

#[test]
#[should_panic(expected = "needs more than its 1000 MiB")]
fn a_test_that_takes_too_much_memory_fails() {
    run(LIMITS, || {
        let mut all = Vec::new();
        loop {
            all.push(std::hint::black_box(vec![1u8; 10 << 20]));
        }
    });
}

#[test]
#[should_panic(expected = "took more than its 1 s")]
fn a_test_that_takes_too_long_fails() {
    run(Limits { seconds: 1, ..LIMITS }, || {
        loop {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
}

#[test]
#[should_panic(expected = "fails_within_its_limits failed: exit status: 101")]
fn a_test_that_fails_within_its_limits() {
    run(LIMITS, || panic!("this is wrong"));
}

#[test]
#[should_panic(expected = "no end within 1 s")]
fn work_that_does_not_return_fails() {
    within(1, || std::thread::sleep(Duration::from_secs(20)));
}

#[test]
#[should_panic(expected = "this is wrong")]
fn work_that_fails_fails() {
    within::<()>(60, || panic!("this is wrong"));
}
