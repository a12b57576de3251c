import assert from 'node:assert/strict';
import { checkSchema, type PluginSchema } from '../../config/check/plugin-schemas.js';
import { within } from '../../core/within.js';
import { emptyPayload } from '../../generated/event-fields.js';
import type {
  Batch,
  Component,
  EndpointContext,
  Factory,
  Outcome,
  Payload,
  Plugin,
  StoredEvent,
} from '../component/plugin.js';
import { readPayload } from './plugin-payload.js';

/** A collector in memory, for one component. */
export interface Host extends EndpointContext {
  /** What a receiver sends; keeps payloads, or refuses them while `isRefusing`. */
  readonly consumer: { consume(batch: Batch): Promise<readonly Outcome[]> };
  readonly payloads: Payload[];
  isRefusing: boolean;
  /** By name, what `metrics.count` counted. */
  readonly counts: Map<string, number>;
  /** Level and text of each log line. */
  readonly logged: string[];
}

/** A check for any test runner: `for (const { name, run } of conformance(…)) test(name, run);`. */
export interface Check {
  readonly name: string;
  /** Rejects with an AssertionError that says what is wrong. */
  run(): Promise<void>;
}

/** The kind of a component, as its plugin exports it. */
export type Section = 'receivers' | 'processors' | 'exporters' | 'extensions';

type Made = Component & { consume?(batch: Batch<StoredEvent>): Promise<readonly unknown[]> };

const MANY = 500;

/** Creates a collector in memory. */
export function createHost(id = 'under_test'): Host {
  const log = (level: string) => (_fields: object, text: string) => void host.logged.push(`${level} ${text}`);
  const host: Host = {
    id,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    metrics: { count: (name, by = 1) => void host.counts.set(name, (host.counts.get(name) ?? 0) + by) },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    ledger: { snapshot: () => ({}) },
    allow: () => [(_request, _response, next) => next()],
    payloads: [],
    isRefusing: false,
    counts: new Map(),
    logged: [],
    consumer: {
      async consume({ events }) {
        return events.map(({ payload }): Outcome => {
          if (host.isRefusing) return { kind: 'refused', reason: 'STORE_FULL', retryable: true };
          const reading = readPayload(payload);
          if (!reading.ok) return { kind: 'rejected', ...reading.rejection };
          host.payloads.push(reading.payload);
          return { kind: 'stored' };
        });
      },
    },
  };
  return host;
}

/** A payload for tests, with other members. */
export function samplePayload(changes: Partial<Payload> = {}): Payload {
  return {
    ...emptyPayload(),
    app: 'shop',
    service: 'api',
    env: 'test',
    error_name: 'TypeError',
    message: 'boom',
    route: '/cart',
    level: 'error',
    method: 'GET',
    release: 'v1',
    status_code: 500,
    stack: 'TypeError: boom\n    at f (/srv/a.js:1:2)',
    ...changes,
  };
}

/** A stored event for tests of exporters. */
export function sampleEvent(changes: Partial<Payload> = {}): StoredEvent {
  const payload = samplePayload(changes);
  const event_id = '018f0000-0000-7000-8000-000000000000';
  const normalized = { ...payload, event_id, level: payload.level ?? 'error', timestamp: '2026-01-01T00:00:00Z' };
  const issueId = '00000000-0000-5000-8000-000000000000';
  const place = {
    fingerprint: '0'.repeat(32),
    receivedAtMicros: 1_767_225_600_000_000,
    raw: { path: '/raw', line: 0 },
  };
  return { payload, normalized, issueId, ...place };
}

/** Returns the checks that every component must pass. `settings` are those of one component, without defaults; a call may last `answerMs`, default 5,000. */
export function conformance<Type extends Section>(
  section: Type,
  factory: NonNullable<Plugin[Type]>[string],
  settings: object = {},
  { answerMs = 5_000 }: { readonly answerMs?: number } = {},
): Check[] {
  const running = async (work: (made: Made) => Promise<void>): Promise<void> => {
    const { description, schema, stability } = factory;
    assert.ok(['stable', 'beta', 'alpha'].includes(stability), 'stability must be stable, beta or alpha');
    const part: PluginSchema = { section, type: 'under_test', description, schema };
    const filled = structuredClone(settings);
    const check = await checkSchema(part);
    assert.ok(check(filled), `the settings do not match the schema: ${JSON.stringify(check.errors)}`);
    const made = (factory as Factory<Made, Host, object>).create(filled, createHost());
    const answers = async (what: string, call: () => Promise<void> | undefined): Promise<void> => {
      const ended = await within(
        answerMs,
        Promise.resolve(call()).then(() => true),
      );
      assert.ok(ended, `${what} took longer than ${answerMs} ms`);
    };
    await answers('start', () => made.start?.());
    await work(made).finally(() => answers('shutdown', () => made.shutdown?.()));
  };
  const consume = async (made: Made, count: number): Promise<readonly unknown[] | undefined> =>
    made.consume?.({
      events: Array.from({ length: count }, (_, index) => deepFrozen(sampleEvent({ message: `m ${index}` }))),
    });
  const takes = (count: number) => async (made: Made) => {
    const results = await within(answerMs, consume(made, count));
    assert.equal(results?.length, count, 'consume must return one result per event');
    for (const result of results ?? []) assertResult(section, result);
  };
  const twice: Check = {
    name: 'starts and stops twice',
    run: async () => {
      await running(async () => undefined);
      await running(async () => undefined);
    },
  };
  if (section !== 'processors' && section !== 'exporters') return [twice];
  const stopping = async (): Promise<void> => {
    let ended: Promise<unknown> = Promise.resolve();
    await running(async (made) => {
      const end = () => true;
      ended = consume(made, MANY).then(end, end);
    });
    assert.ok(await within(answerMs, ended), 'consume must end after shutdown');
  };
  return [
    twice,
    { name: 'takes a batch of none', run: () => running(takes(0)) },
    { name: 'takes a large batch without changing it', run: () => running(takes(MANY)) },
    { name: 'stops while it consumes', run: stopping },
  ];
}

function assertResult(section: Section, result: unknown): void {
  const { kind, as, reason, payload } = Object(result);
  const isDrop = kind === 'dropped' && ['filtered', 'sampled'].includes(as) && /^[A-Z][A-Z0-9_]{0,63}$/.test(reason);
  if (isDrop || (section === 'processors' && kind === 'failed') || (section === 'exporters' && kind === 'stored'))
    return;
  assert.equal(section, 'processors', `an exporter returns stored or a drop, not ${JSON.stringify(result)}`);
  const reading = readPayload(payload);
  if (!reading.ok) assert.fail(`the payload is not valid: ${reading.rejection.field} ${reading.rejection.reason}`);
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}
