// Serves web/dist on this machine: `node web/serve.mjs [PORT]`, by default 8000. The tests of the page use the same server.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('dist/', import.meta.url));

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

/**
 * Starts the server on a port, or on any free one if it is 0. Resolves to `{ server, url }`. With `headers`, all files have these HTTP headers
 * too.
 */
export async function serve(port, headers = {}) {
  if (!existsSync(join(dist, 'index.html'))) throw new Error('web/dist is missing: run scripts/web');
  const server = createServer(async (request, response) => {
    try {
      // `normalize` drops each `..` that would lead above the root, so that the path stays within web/dist.
      const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
      const body = await readFile(join(dist, path.endsWith('/') ? `${path}index.html` : path));
      response.writeHead(200, { ...headers, 'content-type': types[extname(path)] ?? types['.html'] });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.argv[2] ?? 8000);
  try {
    const { url } = await serve(port);
    console.error(`${url} (Ctrl-C ends it)`);
  } catch (error) {
    const isTaken = error.code === 'EADDRINUSE';
    console.error(`error: ${isTaken ? `port ${port} is taken; serve on another by: node web/serve.mjs PORT` : error.message}`);
    process.exitCode = 1;
  }
}
