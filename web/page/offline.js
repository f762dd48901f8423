// Lets the browser keep the page: see service-worker.js.

/**
 * Resolves to whether the page is kept, so that it also opens without a network. Where the browser keeps no pages, or the page comes
 * by plain HTTP from another machine, it is not.
 */
export async function keepPage() {
  if (!navigator.serviceWorker) return false;
  try {
    // A new version is seen at the next visit, whatever the server says of how long files hold.
    const registration = await navigator.serviceWorker.register('service-worker.js', { updateViaCache: 'none' });
    const worker = registration.active ?? registration.installing ?? registration.waiting;
    while (worker.state !== 'activated') {
      if (worker.state === 'redundant') return false;
      await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }));
    }
    return true;
  } catch {
    return false;
  }
}
