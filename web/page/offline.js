// Registers the service worker that stores the page in the browser (service-worker.js).

/**
 * Resolves to whether the page is kept, so that it also opens without a network. It is not kept if the browser has no service workers, if
 * the page comes by plain HTTP from another machine, or if a file cannot be loaded or stored.
 */
export async function keepPage() {
  if (!navigator.serviceWorker) return false;
  try {
    // With `none`, the browser looks for a new version at each visit, even if the server allows it to reuse files for longer.
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
