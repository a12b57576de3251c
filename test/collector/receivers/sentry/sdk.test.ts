import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningSentry, startSentry } from './running-sentry.js';

const CLIENTS = fileURLToPath(new URL('../../../fixtures/clients', import.meta.url));
/** Keys of the machine, the installation and the time, which differ between runs. */
const VARYING_KEYS: ReadonlySet<string> = new Set([
  'app_start_time',
  'cloud_resource',
  'culture',
  'device',
  'integrations',
  'modules',
  'os',
  'runtime',
  'timestamp',
]);
const VARYING_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{32}\b/g, '<id>'],
  [/\b[0-9a-f]{16}\b/g, '<span>'],
  [/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>'],
];

let running: RunningSentry;
beforeEach(async () => {
  running = await startSentry();
});
afterEach(() => running.close());

async function runClient(sdk: string): Promise<void> {
  const env = { ...process.env, SENTRY_DSN: running.urls[0] ?? '' };
  const client = spawn(process.execPath, [join(CLIENTS, `${sdk}.mjs`)], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(client, 'exit');
  expect(code).toBe(0);
}

/** Removes what differs between runs and machines, and stack frames outside the client program. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (VARYING_KEYS.has(key)) return `<${key}>`;
    // `app` is both a context and a text of the application; only the context varies.
    if (key === 'app' && typeof member === 'object') return '<app>';
    if (key === 'frames' && Array.isArray(member)) return member.filter((frame) => isOfClient(JSON.stringify(frame)));
    if (key === 'stack' && typeof member === 'string') return member.split('\n').filter(isOfClient).join('\n');
    return member;
  });
  const anonymous = text.replaceAll(CLIENTS, '<clients>');
  return JSON.parse(VARYING_TEXTS.reduce((varying, [pattern, word]) => varying.replace(pattern, word), anonymous));
}

function isOfClient(line: string): boolean {
  return line.includes(CLIENTS) || line.startsWith('Caused by');
}

describe('a real SDK (24, 29, 31, 45, 47, 49, 50)', () => {
  it.each(['sentry-node-10', 'sentry-node-11'])(
    '%s reports an exception with its cause, a message, a value that is not an error, a log entry and a failed request, field by field',
    async (sdk) => {
      await runClient(sdk);
      const payloads = running.consumer.events.map(({ payload }) => payload);
      const sorted = payloads.toSorted((a, b) => (a.message < b.message ? -1 : 1));
      const golden = new URL(`../../../fixtures/sentry/sdk/${sdk}.json`, import.meta.url);
      expect(comparable(sorted)).toEqual(JSON.parse(await readFile(golden, 'utf8')));
      expect(running.ledger.snapshot()['sentry']).toMatchObject({ stored: 5, rejected: 0, refused: 0 });
    },
  );
});
