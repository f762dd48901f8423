// Writes FOLDER/files.js for the service worker, the list of the page's files and a hash of their content: `node web/offline.mjs FOLDER`.

import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const [folder] = process.argv.slice(2);
/** The files of the service worker itself. The browser keeps these files by itself, so the list leaves them out. */
const own = ['files.js', 'service-worker.js'];

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile())
  .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join('/'))
  .filter((file) => !own.includes(file))
  .sort();
const hash = createHash('sha256');
for (const file of files) hash.update(`${file}\n`).update(await readFile(join(folder, file)));
const page = { version: hash.digest('hex').slice(0, 16), files: ['./', ...files] };
await writeFile(join(folder, 'files.js'), `self.page = ${JSON.stringify(page, null, 1)};\n`);
