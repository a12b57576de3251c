import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c, encodeName, eventIdOf } from '../audit/read-record.js';
import { payloadOf } from './journal.js';

const ABSENT = {
  level: null,
  method: null,
  release: null,
  request_id: null,
  session_id: null,
  stack: null,
  status_code: null,
  tags: {},
  timestamp: null,
  user_id: null,
};

/** Writes an old hour of events for retention, in the documented format. */
export function writeOldHour({ collector, journal, random, hoursAgo }) {
  const micros = (Math.floor(Date.now() / 3.6e6) - hoursAgo) * 3.6e9 + 1_234_567;
  const receivedAt = new Date(micros / 1000)
    .toISOString()
    .replace(/\.\d+Z$/, `.${String(micros % 1e6).padStart(6, '0')}Z`);
  const { app, service, env } = payloadOf(random);
  const folder = ['raw', ...[env, service, app].map(encodeName), ...receivedAt.slice(0, 13).split(/[-T]/)].join('/');
  const path = join(collector.directory, folder, 'raw.ndjson');
  const lines = Array.from({ length: 20 }, (_, line) => {
    const address = { eventId: eventIdOf(collector.directory, folder, micros, line), path, line };
    const { event } = journal.add(
      'old hour',
      { ...payloadOf(random), app, service, env },
      { isAcknowledged: true, address, after: '' },
    );
    const payload = { ...ABSENT, ...event.payload };
    return `${JSON.stringify(Object.fromEntries(Object.entries(payload).sort(([one], [other]) => (one < other ? -1 : 1))))}\n`;
  });
  const bytes = Buffer.from(lines.join(''));
  const commit = {
    line: 0,
    lines: lines.length,
    offset: 0,
    bytes: bytes.length,
    received_at: receivedAt,
    crc32c: crc32c(bytes),
  };
  mkdirSync(join(collector.directory, folder), { recursive: true });
  writeFileSync(path, bytes);
  writeFileSync(join(collector.directory, folder, 'commits.ndjson'), `${JSON.stringify(commit)}\n`);
}
