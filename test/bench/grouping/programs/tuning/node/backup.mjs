// Copies files to a backup and verifies them.
// case copy missing: save /nonexistent/db-7.sqlite | save /nonexistent/a/notes.txt | tree /nonexistent/shop 2 | tree /nonexistent/var/mail-2024 3
// case copy folder: save /tmp | save /usr/bin | tree /etc 1 | tree /var 4
// case verify digest: check hello 9f86d0 | check order-17 00aa | nightly stock ffee12 | nightly a1 beef
// case verify empty: check - 9f86d0 | check - 11 | nightly - e3b0 | nightly - 77aa
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

class VerifyError extends Error {
  constructor(name, details = {}) {
    const { expected, found } = details;
    super(
      expected === undefined
        ? `backup '${name}' is empty`
        : `backup '${name}': expected digest ${expected}, found ${found}`,
    );
    this.name = 'VerifyError';
  }
}

async function copy(path) {
  const content = await readFile(path);
  return content.byteLength;
}

function verify(name, content, digest) {
  if (content === '-') throw new VerifyError(name);
  const found = createHash('sha256').update(content).digest('hex').slice(0, 12);
  if (!found.startsWith(digest)) throw new VerifyError(name, { expected: digest, found });
}

async function tree(path, depth) {
  if (depth === 0) return await copy(path);
  return await tree(path, depth - 1);
}

const nightly = (content, digest) => ['mon', 'tue'].map((day) => verify(`${day}-${digest}`, content, digest));

const [command, first, second] = process.argv.slice(2);
if (command === 'save') await copy(first);
else if (command === 'tree') await tree(first, Number(second));
else if (command === 'check') verify(`daily-${second}`, first, second);
else nightly(first, second);
