//! A value that a device callback sends, and a future that waits for the value.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

pub(crate) fn oneshot() -> (Sender, Receiver) {
    let shared = Arc::new(Mutex::new(Slot::default()));
    (Sender(shared.clone()), Receiver(shared))
}

#[derive(Debug, Default)]
struct Slot {
    value: Option<bool>,
    waker: Option<Waker>,
}

#[derive(Debug)]
pub(crate) struct Sender(Arc<Mutex<Slot>>);
#[derive(Debug)]
pub(crate) struct Receiver(Arc<Mutex<Slot>>);

impl Sender {
    pub(crate) fn send(self, value: bool) {
        if let Ok(mut slot) = self.0.lock() {
            slot.value = Some(value);
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        }
    }
}

#[cfg(feature = "sim")]
impl Receiver {
    /// Returns true if the callback has sent the value.
    pub(crate) fn is_ready(&self) -> bool {
        // A panic in the callback counts as a sent value.
        self.0.lock().map_or(true, |slot| slot.value.is_some())
    }
}

impl Future for Receiver {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        match self.0.lock() {
            Ok(mut slot) => match slot.value {
                Some(value) => Poll::Ready(value),
                None => {
                    slot.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            },
            // A panic in the callback counts as a failure.
            Err(_) => Poll::Ready(false),
        }
    }
}
