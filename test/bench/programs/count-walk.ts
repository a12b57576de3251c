import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsFor, startService } from '../../collector/running-service.js';
import { sampleEvent } from '../sample-events.js';

/**
 * Prints the source files that run for one request with one event, new or with a known stack and message:
 * `node dist/test/bench/programs/count-walk.js`, with `otlp` for a log record as JSON.
 */
const isOtlp = process.argv[2] === 'otlp';
const OTLP_SETS = [
  'service.pipelines.events.receivers=[otlp]',
  'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
  'receivers.otlp.protocols.grpc=null',
];
/** Longer than the timers of the store. */
const QUIET_MS = 1_500;

function bodyOf(kind: number): string {
  const event = sampleEvent(kind, kind);
  if (!isOtlp) return JSON.stringify(event);
  const attributes = Object.entries({
    'exception.type': event.error_name,
    'exception.message': event.message,
    'exception.stacktrace': event.stack,
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const record = { timeUnixNano: '1790000000000000000', severityNumber: 17, attributes };
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
}

/** Returns the files whose functions ran since the last call, without module code. */
async function filesThatRan(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ ranges: [whole] }) => whole !== undefined && whole.count > 0 && whole.startOffset > 0),
  );
  const paths = ran.map(({ url }) => /\/dist\/((?:collector|core|generated)\/.*)\.js$/.exec(url)?.[1]);
  return paths.filter((path) => path !== undefined).sort();
}

function print(what: string, files: readonly string[]): void {
  process.stdout.write(`${what}: ${files.length} files\n${files.map((file) => `  ${file}.ts\n`).join('')}`);
}

const directory = await mkdtemp(join(tmpdir(), 'faultline-walk-'));
const { service, eventsUrl } = await startService(settingsFor(directory, ...(isOtlp ? OTLP_SETS : [])));
const url = isOtlp ? `${eventsUrl}/v1/logs` : eventsUrl;
const headers = { 'content-type': 'application/json' };
const send = async (kind: number): Promise<void> => {
  const response = await fetch(url, { method: 'POST', headers, body: bodyOf(kind) });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
};
const session = new Session();
session.connect();
// Texts are cached from their second occurrence on.
for (const kind of [1, 2, 1, 1]) await send(kind);
await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (const [what, kind] of [
  ['known stack and message', 1],
  ['new', 3],
] as const) {
  await filesThatRan(session);
  await send(kind);
  print(what, await filesThatRan(session));
}
session.disconnect();
await service.shutdown();
await rm(directory, { recursive: true, force: true });
