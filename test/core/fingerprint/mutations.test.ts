import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { computeFingerprint } from './compute-fingerprint.js';

const FOLDER = new URL('../../fixtures/traces/', import.meta.url);

/** One payload of each real trace. */
const TRACES: readonly (readonly [name: string, payload: RawPayload])[] = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'programs')
  .flatMap(({ name: family }) =>
    readdirSync(new URL(`${family}/`, FOLDER)).map((file) => {
      const { runs } = JSON.parse(readFileSync(new URL(`${family}/${file}`, FOLDER), 'utf8'));
      return [`${family}/${file}`, runs[0].payload as RawPayload] as const;
    }),
  );

const trace = fc.constantFrom(...TRACES);
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);

/** Runs that are one failure for any mutation. */
function expectSame(mutate: (payload: RawPayload) => RawPayload, [name, payload]: (typeof TRACES)[number]): void {
  const [before, after] = [computeFingerprint(payload), computeFingerprint(mutate(payload))];
  expect([name, after.value]).toEqual([name, before.value]);
}

function expectIndependent<Value>(
  values: fc.Arbitrary<Value>,
  mutate: (payload: RawPayload, value: Value) => RawPayload,
): void {
  fc.assert(fc.property(trace, values, (one, value) => expectSame((payload) => mutate(payload, value), one)));
}

/** The same object with its keys reversed, at every depth. */
function reversed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).reverse())
      : inner,
  );
}

/** Changes the numbers after file names. */
function withOtherLines(stack: string, shift: number): string {
  return stack.replaceAll(/(?<=\.\w{1,5}:|:\d{1,5}:|\.py", line |\.php\(|:line |\.\w{1,5} line )\d{1,5}\b/g, (digits) =>
    String(Number(digits) + shift),
  );
}

describe('the fingerprint of a real trace does not depend on', () => {
  it('the time and environment', () => {
    const fields = fc.record({
      env: word,
      release: fc.option(word),
      level: fc.constantFrom(null, 'warning', 'fatal', 'error'),
      timestamp: fc.constantFrom(null, '2026-01-02T03:04:05Z', '2031-12-24T23:59:59.123456789+02:00'),
    });
    expectIndependent(fields, (payload, values) => ({ ...payload, ...values }));
  });

  it('its user and request', () => {
    const meeting = fc.record({
      user_id: fc.option(word),
      request_id: fc.option(fc.uuid()),
      session_id: fc.option(fc.uuid()),
      route: fc.webPath(),
      method: fc.constantFrom(null, 'GET', 'PUT'),
      status_code: fc.constantFrom(null, 404, 500),
    });
    expectIndependent(meeting, (payload, values) => ({ ...payload, ...values }));
  });

  it('its tags and its host', () => {
    const tags = fc.dictionary(fc.constantFrom('host', 'server_name', 'region', 'pod', 'trace_id'), word);
    expectIndependent(tags, (payload, values) => ({ ...payload, tags: values }));
  });

  it('the order of its keys', () => {
    expectIndependent(fc.dictionary(word, word), (payload, tags) => reversed({ ...payload, tags, extra: { tags } }));
  });

  it('line numbers, unless they are in its message', () => {
    expectIndependent(fc.integer({ min: 1, max: 4_000 }), (payload, shift) => ({
      ...payload,
      stack:
        payload.stack === null || payload.message.includes('\n') ? payload.stack : withOtherLines(payload.stack, shift),
    }));
  });

  it('memory addresses', () => {
    expectIndependent(fc.integer({ min: 1, max: 0xff_ffff }), (payload, shift) => ({
      ...payload,
      stack:
        payload.stack?.replaceAll(/\b0x([0-9a-f]{6,12})\b/g, (_, hex: string) => {
          return `0x${(Number.parseInt(hex, 16) + shift).toString(16).padStart(hex.length, '0')}`;
        }) ?? null,
    }));
  });
});

it('line numbers, which the mutation changes in most traces', () => {
  const changed = TRACES.filter(([, { stack }]) => stack !== null && withOtherLines(stack, 1) !== stack);
  expect(changed.length).toBeGreaterThan(TRACES.length / 2);
});
