import { fdatasync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * The least that a request costs in Node: `bare-http` parses the last line of each body and encodes it again; `bare-http <folder>` appends
 * the body to one file and a line to another, and syncs both.
 */
const [folder] = process.argv.slice(2);
const sync = promisify(fdatasync);
const [raw = 0, commits = 0] =
  folder === undefined ? [] : ['raw', 'commits'].map((name) => openSync(join(folder, name), 'a'));

async function take(body: Buffer): Promise<void> {
  if (folder === undefined) {
    JSON.stringify(JSON.parse(body.subarray(body.lastIndexOf('\n') + 1).toString()));
    return;
  }
  writeSync(raw, body);
  writeSync(commits, `{"lines":1,"bytes":${body.length}}\n`);
  await Promise.all([sync(raw), sync(commits)]);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    await take(Buffer.concat(chunks));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => process.exit(0));
