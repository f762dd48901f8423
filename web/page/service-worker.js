// Keeps the page's own files in the browser, so that the page also works without a network. While there is a network, the files come from
// there: what is kept never hides a newer page.

// `version` and `files`, made when the page is built.
importScripts('files.js');

const { version, files } = self.page;
const PREFIX = 'sat2d-page-';
const name = `${PREFIX}${version}`;

/** All files or none. The browser asks the server whether its own copies still hold, which costs no second transfer if they do. */
async function keep() {
  const cache = await caches.open(name);
  await cache.addAll(files.map((file) => new Request(file, { cache: 'no-cache' })));
  await self.skipWaiting();
}

/** Other versions go; pages that are open, and the workers they start, are served from now on. */
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
