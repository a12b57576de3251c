import fc from 'fast-check';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { nodeFiles } from '../../core/storage/files/node-files.js';
import { rebuildIndex } from '../../core/storage/verify/rebuild-index.js';
import { verifyFolder } from '../../core/storage/verify/verify-folder.js';
import { computeFingerprint } from '../core/fingerprint/compute-fingerprint.js';
import { expectCountsOfRecord, type IsOwnIssue } from '../core/storage/counts-of-record.js';
import { everything } from '../core/storage/retention/folder-under-retention.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { attributesJson } from './receivers/otlp/bodies.js';
import { envelope } from './receivers/sentry/running-sentry.js';
import { originOf, type RunningService, settingsFor, startService, stopServices } from './running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

const SPAN = '00f067aa0ba902b7';
const RAISED = '  File "/app/pay.py", line 9, in charge\n    raise error\n';
const LOGGED = `Traceback (most recent call last):\n  File "/app/pay.py", line 4, in handle\n    charge()\n${RAISED}`;
const ON_SPAN = `Traceback (most recent call last):\n  File "/sdk/trace.py", line 602, in use_span\n    yield span\n${LOGGED}`;

/** One report of a failure, by one signal. */
const REPORT = fc.record({
  signal: fc.constantFrom('otlp log', 'span event', 'sentry log', 'sentry event', 'sentry message'),
  trace: fc.nat(3),
  className: fc.constantFrom('Declined', 'KeyError', 'OSError'),
  text: fc.constantFrom('checkout failed', 'card refused'),
  service: fc.constantFrom('pay', 'gateway'),
  env: fc.constantFrom('live', 'test'),
  release: fc.constantFrom(undefined, 'shop@1.2.3', 'till@7'),
  project: fc.constantFrom(1, 2),
  user: fc.constantFrom('u1', 'u2'),
});
type Report = typeof REPORT extends fc.Arbitrary<infer One> ? One : never;

const STEP = fc.oneof(
  { weight: 8, arbitrary: fc.array(REPORT, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom('restart', 'merge') },
);

const isSentry = ({ signal }: Report): boolean => signal.startsWith('sentry');
const traceIdOf = ({ trace }: Report): string => String(trace + 1).padStart(32, 'a');

/** How often failures count: each report that is not the other half of an occurrence, and each exception of Sentry. */
class Occurrences {
  count = 0;
  /** Logged reports without their other half, less the others without theirs, by what two halves have in common. */
  readonly #unpaired = new Map<string, number>();

  add(report: Report): void {
    const { signal, trace, className, service, project, text } = report;
    const isLog = signal === 'otlp log' || signal === 'sentry log';
    const key = isSentry(report)
      ? `sentry ${project} ${trace} ${text}`
      : `otlp ${trace} ${service} ${className} ${text}`;
    const unpaired = this.#unpaired.get(key) ?? 0;
    const isOtherHalf = isLog ? unpaired < 0 : unpaired > 0;
    this.#unpaired.set(key, unpaired + (isLog ? 1 : -1));
    if (!isOtherHalf || signal === 'sentry event') this.count++;
  }

  /** The process that remembers the reports ends. */
  restart(): void {
    this.#unpaired.clear();
  }
}

async function post(url: string, type: string, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  expect(response.status).toBe(200);
}

/** Makes the times of exceptions differ, without which they are one. */
let sentByOtlp = 0;

async function sendOtlp(running: RunningService, report: Report): Promise<void> {
  const { signal, className, text, service, env, release } = report;
  const isLog = signal === 'otlp log';
  const resource = {
    attributes: attributesJson({
      'service.name': service,
      'deployment.environment.name': env,
      ...(release !== undefined && { 'service.version': release }),
    }),
  };
  const attributes = attributesJson({
    'exception.type': isLog ? className : `pay.${className}`,
    'exception.message': text,
    'exception.stacktrace': `${isLog ? LOGGED : ON_SPAN}pay.${className}: ${text}\n`,
  });
  const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n + BigInt(sentByOtlp++));
  const ids = { traceId: traceIdOf(report), spanId: SPAN };
  const record = { ...ids, timeUnixNano, severityNumber: 17, attributes };
  const span = { ...ids, name: 'pay', kind: 2, events: [{ timeUnixNano, name: 'exception', attributes }] };
  const logs = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] };
  const traces = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
  const url = `${originOf(running, 'otlp')}/v1/${isLog ? 'logs' : 'traces'}`;
  await post(url, 'application/json', JSON.stringify(isLog ? logs : traces));
}

async function sendSentry(running: RunningService, report: Report): Promise<void> {
  const { signal, className, text, env, release, project, user } = report;
  const timestamp = Date.now() / 1000;
  const [trace_id, span_id] = [traceIdOf(report), SPAN];
  const named = { 'sentry.environment': env, ...(release !== undefined && { 'sentry.release': release }) };
  const attributes = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { value }]));
  const entry = { timestamp, trace_id, span_id, level: 'error', body: text, attributes };
  const event = {
    ...{ timestamp, release, environment: env, user: { id: user }, platform: 'python', level: 'fatal' },
    logentry: { message: text },
    contexts: { trace: { trace_id, span_id } },
    ...(signal === 'sentry event' && {
      exception: { values: [{ type: className, value: `reason of ${className}` }] },
    }),
  };
  const item =
    signal === 'sentry log'
      ? [
          { type: 'log', item_count: 1 },
          { version: 2, items: [entry] },
        ]
      : [{ type: 'event' }, event];
  const url = `${originOf(running, 'sentry')}/api/${project}/envelope/?sentry_key=abc`;
  await post(url, 'application/x-sentry-envelope', envelope({}, ...item));
}

/** Sends reports at the same time, those of Sentry in turn: which is stored depends on their order. */
async function send(running: RunningService, reports: readonly Report[]): Promise<void> {
  const ofSentry = async () => {
    for (const report of reports.filter(isSentry)) await sendSentry(running, report);
  };
  const ofOtlp = reports.filter((report) => !isSentry(report));
  await Promise.all([ofSentry(), ...ofOtlp.map((report) => sendOtlp(running, report))]);
}

/** Merges the two issues that were seen first. */
async function merge({ apiUrl }: RunningService): Promise<void> {
  const url = new URL(apiUrl).origin;
  const reader = createHttpReader({ url });
  const [into, from] = (await reader.listIssues({ limit: 2, sort: 'first_seen' })).issues;
  await reader.close();
  if (into === undefined || from === undefined) return;
  const body = JSON.stringify({ action: 'merge', issues: [from.issue_id] });
  await fetch(`${apiUrl}/issues/${into.issue_id}/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

/** What the collector says of its issues, without the trend, which moves with the clock. */
async function issuesOf({ apiUrl }: RunningService): Promise<unknown> {
  const reader = createHttpReader({ url: new URL(apiUrl).origin });
  const { details, events, stats } = await everything(reader);
  await reader.close();
  const { events: stored, sampled, repeated } = stats;
  const shown = { details, events, stored, sampled, repeated };
  return JSON.parse(JSON.stringify(shown, (key, value) => (key === 'trend' ? [] : value)));
}

describe('a failure that OTLP logs, spans, Sentry log items and error events report in any order and under any names', () => {
  it('counts in an issue of its own names, and no issue shows 0, live, after restarts, and in a rebuilt index', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEP, { minLength: 4, maxLength: 16, size: 'max' }),
        fc.boolean(),
        async (steps, samples) => {
          const directory = await temporaryFolder();
          const start = () =>
            startService(
              settingsFor(
                directory,
                'service.pipelines.events.receivers=[otlp, sentry]',
                'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
                'receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
                'receivers.sentry.endpoint=127.0.0.1:0',
                'exporters.store.durability=os',
                ...(samples
                  ? [
                      'service.pipelines.events.processors=[sample]',
                      'processors.sample={keep_first: 2, keep_one_in: 3}',
                    ]
                  : []),
              ),
            );
          let running = await start();
          const occurrences = new Occurrences();
          for (const step of steps) {
            if (step === 'merge') await merge(running);
            else if (step === 'restart') {
              await running.service.shutdown();
              running = await start();
              occurrences.restart();
            } else {
              await send(running, step);
              for (const report of step) occurrences.add(report);
            }
          }
          // What the sampler held back is stored at the end.
          const before = samples ? undefined : await issuesOf(running);
          await running.service.shutdown();
          running = await start();
          const live = await issuesOf(running);
          if (before !== undefined) expect(live).toEqual(before);
          const reader = createHttpReader({ url: new URL(running.apiUrl).origin });
          const isOwn: IsOwnIssue = (payload, { fingerprint }) => computeFingerprint(payload).value === fingerprint;
          const counted = await expectCountsOfRecord(reader, { files: nodeFiles, directory }, { isOwn });
          expect(counted).toBe(occurrences.count);
          const { details } = await everything(reader);
          const counts = details.map((issue) => issue?.count);
          expect(counts).not.toContain(0);
          if (!samples) expect(details.every((issue) => issue?.sampled === 0)).toBe(true);
          await reader.close();
          await running.service.shutdown();
          const damage: string[] = [];
          await verifyFolder({
            directory,
            onFinding: ({ severity, damage: text }) => severity === 'damage' && damage.push(text),
          });
          expect(damage).toEqual([]);
          await rebuildIndex({ directory });
          running = await start();
          expect(await issuesOf(running)).toEqual(live);
          await running.service.shutdown();
        },
      ),
      // Dear: each run starts a collector three to eight times.
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 25) / 10) },
    );
  });
});
