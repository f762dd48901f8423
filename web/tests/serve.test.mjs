// Tests the server that `scripts/web --serve` starts.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../serve.mjs';

const script = fileURLToPath(new URL('../serve.mjs', import.meta.url));

/** Sends a path to the server unchanged. A browser would remove `..` from it first. */
async function get(url, path) {
  const { hostname, port } = new URL(url);
  const [response] = await once(request({ hostname, port, path }).end(), 'response');
  response.resume();
  return response;
}

test('files have their types, and what is not in the folder is not found', async () => {
  const { server, url } = await serve(0);
  try {
    for (const [path, type] of [
      ['/', 'text/html; charset=utf-8'],
      ['/app.js', 'text/javascript; charset=utf-8'],
      ['/style.css?v=1', 'text/css; charset=utf-8'],
      ['/readme.txt', 'text/plain; charset=utf-8'],
      ['/wasm/sat2d_web_bg.wasm', 'application/wasm'],
    ]) {
      const { statusCode, headers } = await get(url, path);
      assert.deepEqual([statusCode, headers['content-type']], [200, type], path);
    }
    for (const path of ['/none', '/../serve.mjs', '/%2e%2e/serve.mjs', '/..%2fserve.mjs', '/%', '/wasm']) {
      assert.equal((await get(url, path)).statusCode, 404, path);
    }
  } finally {
    server.close();
  }
});

test('it says where it serves, and which port is taken', async () => {
  const first = spawn(process.execPath, [script, '0']);
  try {
    const [line] = await once(first.stderr.setEncoding('utf8'), 'data');
    const [, url] = line.match(/^(http:\S+) \(Ctrl-C ends it\)\n$/);
    assert.equal((await get(url, '/')).statusCode, 200);
    const second = spawn(process.execPath, [script, new URL(url).port]);
    const [said] = await once(second.stderr.setEncoding('utf8'), 'data');
    const [status] = await once(second, 'exit');
    assert.match(said, /^error: port \d+ is taken; serve on another by: node web\/serve.mjs PORT\n$/);
    assert.equal(status, 1);
  } finally {
    first.kill();
  }
});
