// Keeps the page's own files in the browser, so that the page also works without a network. If the network answers, the files
// come from the network, so a stored file never hides a newer one.

// Sets `self.page` to `{ version, files }`. web/offline.mjs writes files.js when the page is built.
importScripts('files.js');

const { version, files } = self.page;
const PREFIX = 'sat2d-page-';
const name = `${PREFIX}${version}`;

/** Stores all files or none. With `no-cache`, the browser asks the server whether its own copies are current, and reuses those that are. */
async function keep() {
  const cache = await caches.open(name);
  await cache.addAll(files.map((file) => new Request(file, { cache: 'no-cache' })));
  await self.skipWaiting();
}

/** Deletes other versions, and starts to serve the pages that are already open and the workers that they start. */
async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((other) => other.startsWith(PREFIX) && other !== name).map((other) => caches.delete(other)));
  await self.clients.claim();
}

async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(name)).match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(takeOver()));
self.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  if (method === 'GET' && url.startsWith(self.registration.scope)) event.respondWith(answer(event.request));
});
