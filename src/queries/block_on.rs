//! Blocks the calling thread until the future of a query is ready.

/// Blocks until a future is ready. The future may only wait for the device, and it polls the device itself.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    #[cfg(feature = "gpu")]
    return pollster::block_on(future);
    #[cfg(not(feature = "gpu"))]
    {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        loop {
            // Without a device, the future never waits.
            if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
    }
}
