// Reads the record of a data folder as core/storage/README.md describes it, without code of the product.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CASTAGNOLI = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? 0x82f63b78 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/** Returns the CRC-32C as eight hexadecimal digits. */
export function crc32c(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = CASTAGNOLI[(rest ^ byte) & 0xff] ^ (rest >>> 8);
  return ((rest ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}

const hex = (number, digits) => number.toString(16).padStart(digits, '0');

/** UUIDv7: 48 bits of milliseconds, 12 bits of their fraction, 30 bits of line, 32 bits of the SHA-256 of the data folder's id and the partition. */
export function eventIdOf(root, folder, receivedMicros, line) {
  const ms = Math.floor(receivedMicros / 1000);
  const fraction = Math.floor(((receivedMicros % 1000) * 4096) / 1000);
  const lineDigits = hex(2 ** 31 + line, 8);
  const file = join(root, 'folder-id.json');
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  const hashed = known !== undefined && receivedMicros >= known.from_hour * 3.6e9 ? `${known.id}/${folder}` : folder;
  const folderDigits = createHash('sha256').update(hashed).digest('hex').slice(0, 8);
  const time = hex(ms, 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(fraction, 3)}-${lineDigits.slice(0, 4)}-${lineDigits.slice(4)}${folderDigits}`;
}

/** Returns the folder name of an app, a service or an environment. */
export function encodeName(name) {
  if (name === '') return '%';
  const percent = (byte) => `%${hex(byte, 2).toUpperCase()}`;
  if (name === '.' || name === '..') return [...Buffer.from(name)].map(percent).join('');
  const text = [...Buffer.from(name)].map((byte) =>
    /[A-Za-z0-9._-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : percent(byte),
  );
  return text.join('');
}

function microsOf(text) {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/.exec(text);
  return match === null ? Number.NaN : Date.parse(`${match[1]}Z`) * 1000 + Number(match[2]);
}

/** Returns the start of the hour of a partition in milliseconds since the epoch. */
export const hourMsOf = (folder) => Date.parse(`${folder.split('/').slice(4, 7).join('-')}T${folder.slice(-2)}:00:00Z`);

/** Splits a file into lines without newlines; `rest` is the length of a last line without newline. */
function splitLines(bytes) {
  const lines = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, rest: bytes.length - start };
}

function parse(bytes) {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function readPartition(root, folder, report) {
  const files = { raw: `${folder}/raw.ndjson`, commits: `${folder}/commits.ndjson` };
  const bytesOf = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file)) : Buffer.alloc(0));
  const rawBytes = bytesOf(files.raw);
  const raw = splitLines(rawBytes);
  const commits = splitLines(bytesOf(files.commits));
  if (raw.rest > 0) report('commits', files.raw, raw.lines.length, `${raw.rest} bytes after the last newline`);
  if (commits.rest > 0)
    report('commits', files.commits, commits.lines.length, `${commits.rest} bytes after the last newline`);

  const events = [];
  let next = { line: 0, offset: 0, micros: 0 };
  let previousLines = 0;
  for (const [number, text] of commits.lines.entries()) {
    const at = (check, what) => report(check, files.commits, number, what);
    const commit = parse(text);
    if (commit === undefined) {
      at('commits', 'is not JSON');
      continue;
    }
    const { line, lines, offset, bytes, received_at: receivedAt, crc32c: sum, fingerprints } = commit;
    const micros = microsOf(receivedAt);
    if (line !== next.line || offset !== next.offset) {
      at(
        'commits',
        `begins at line ${line}, byte ${offset}; the one before ends at line ${next.line}, byte ${next.offset}`,
      );
    }
    const slice = rawBytes.subarray(offset, offset + bytes);
    const own = splitLines(slice);
    if (slice.length !== bytes || own.rest > 0 || own.lines.length !== lines || !(lines > 0)) {
      at('commits', `says ${lines} lines in ${bytes} bytes; there are ${own.lines.length} in ${slice.length}`);
    }
    if (crc32c(slice) !== sum) at('checksums', `says ${sum}; the bytes have ${crc32c(slice)}`);
    // A long append has several records with the same timestamp, of 1,024 lines or 1 MiB each.
    const isSlice = micros === next.micros && (previousLines === 1024 || bytes > 2 ** 19);
    if (!(micros > next.micros) && !isSlice) at('dates', `${receivedAt} does not come after the record before`);
    if (!(Math.floor(micros / 3.6e9) * 3.6e6 === hourMsOf(folder)))
      at('dates', `${receivedAt} lies outside the hour of its folder`);
    if (fingerprints !== undefined) {
      const { version, values, crc32c: valuesSum } = fingerprints;
      if (values.length !== 32 * lines) at('checksums', `has ${values.length / 32} fingerprints for ${lines} lines`);
      if (crc32c(Buffer.from(`${version}:${values}`)) !== valuesSum)
        at('checksums', 'fingerprints do not match their checksum');
    }
    for (const [index, bytesOfLine] of own.lines.entries()) {
      const payload = parse(bytesOfLine);
      const event = {
        id: eventIdOf(root, folder, micros, line + index),
        folder,
        path: join(root, files.raw),
        line: line + index,
        payload,
      };
      if (payload === undefined) report('commits', files.raw, event.line, 'is not JSON');
      else if (
        `raw/${[payload.env, payload.service, payload.app].map(encodeName).join('/')}` !==
        folder.split('/').slice(0, 4).join('/')
      ) {
        report('addresses', files.raw, event.line, 'names another environment, service or app than its folder');
      }
      if (payload !== undefined) events.push(event);
    }
    next = { line: line + lines, offset: offset + bytes, micros: Math.max(micros, next.micros) };
    previousLines = lines;
  }
  if (next.offset !== rawBytes.length - raw.rest) {
    report('commits', files.raw, next.line, `commit records cover ${next.offset} of ${rawBytes.length} bytes`);
  }
  return { events, commits: commits.lines.length };
}

/**
 * Reads all events of a data folder without a writer. `problems` has the errors of its record: `{check, where, what}`, with lines counted
 * from zero.
 */
export function readRecord(root) {
  const problems = [];
  const report = (check, file, line, what) => problems.push({ check, where: `${file}:${line}`, what });
  const found = existsSync(join(root, 'raw')) ? readdirSync(join(root, 'raw'), { recursive: true }) : [];
  const files = found.filter((name) => name.endsWith('/raw.ndjson') || name.endsWith('/commits.ndjson'));
  const folders = [...new Set(files.map((name) => `raw/${name.slice(0, name.lastIndexOf('/'))}`))].sort();
  const partitions = folders.map((folder) => readPartition(root, folder, report));
  const events = partitions.flatMap((partition) => partition.events);
  const byId = new Map();
  for (const event of events) {
    const other = byId.get(event.id);
    if (other !== undefined) report('ids', event.folder, event.line, `has the id of ${other.folder}:${other.line}`);
    byId.set(event.id, event);
  }
  return { problems, events, byId, folders, commits: partitions.reduce((sum, { commits }) => sum + commits, 0) };
}
