import fc from 'fast-check';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { nodeFiles } from '../../core/storage/files/node-files.js';
import { rebuildIndex } from '../../core/storage/verify/rebuild-index.js';
import { verifyFolder } from '../../core/storage/verify/verify-folder.js';
import { computeFingerprint } from '../core/fingerprint/compute-fingerprint.js';
import { expectCountsOfRecord } from '../core/storage/counts-of-record.js';
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

/** One report of a failure, by one signal. Those of a trace with the same class or text are one occurrence. */
const REPORT = fc.record({
  signal: fc.constantFrom('otlp log', 'span event', 'sentry log', 'sentry event'),
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

const traceIdOf = ({ trace }: Report): string => String(trace + 1).padStart(32, 'a');

async function post(url: string, type: string, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  expect(response.status).toBe(200);
}

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
  const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n);
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
    exception: { values: [{ type: className, value: `reason of ${className}` }] },
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

const send = (running: RunningService, report: Report): Promise<void> =>
  report.signal.startsWith('sentry') ? sendSentry(running, report) : sendOtlp(running, report);

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
  it('counts once, in one place, live, after restarts, and in a rebuilt index', async () => {
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
          for (const step of steps) {
            if (step === 'merge') await merge(running);
            else if (step === 'restart') {
              await running.service.shutdown();
              running = await start();
            } else await Promise.all(step.map((report) => send(running, report)));
          }
          // What the sampler held back is stored at the end.
          const before = samples ? undefined : await issuesOf(running);
          await running.service.shutdown();
          running = await start();
          const live = await issuesOf(running);
          if (before !== undefined) expect(live).toEqual(before);
          const reader = createHttpReader({ url: new URL(running.apiUrl).origin });
          await expectCountsOfRecord(
            reader,
            { files: nodeFiles, directory },
            { isOwn: (payload, { fingerprint }) => computeFingerprint(payload).value === fingerprint },
          );
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
      { numRuns: 5 },
    );
  }, 300_000);
});
