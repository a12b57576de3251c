import { createHash } from 'node:crypto';
import type { Steps } from '../../../../collector/processors/event-processor/steps.js';
import { Tally } from '../../../../collector/processors/redaction/tally.js';
import { TextRedactor } from '../../../../collector/processors/redaction/text-redactor.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { REDACTION_DEFAULTS, redacted } from './redacting.js';

/** Bound of the search for the end of a secret. */
const BOUND = 256 * 1024;
const MANY = 5_000;

function members(make: (at: number) => [string, JsonObject[string]]): JsonObject {
  return Object.fromEntries(Array.from({ length: MANY }, (_, at) => make(at)));
}

function finish<Result>(steps: Steps<Result>): { readonly result: Result; readonly pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, pauses };
  }
}

describe('a secret of any length', () => {
  const long = 'x1y2'.repeat(BOUND / 4 - 4);

  it.each([
    [`password="${long}" end`, 'password="****" end'],
    [`password=${long} end`, 'password=**** end'],
    [`Bearer ${long} end`, 'Bearer **** end'],
    [`Cookie: a=${long}\nend`, 'Cookie: ****\nend'],
    [`eyJhbGciOiJI.${long.slice(100)} end`, '**** end'],
    [`ghp_${long} end`, '**** end'],
    [`http://u:${long}@host/ end`, 'http://u:****@host/ end'],
    [`-----BEGIN PRIVATE KEY-----${long}-----END it`, '-----BEGIN PRIVATE KEY-----****-----END it'],
  ])('of up to 256 Ki units is masked: case %#', async (message, expected) => {
    expect((await redacted({ message })).message).toBe(expected);
  });

  it.each([
    [`password="${long}${long}" end`, 'password="****'],
    [`password=${long}${'.'.repeat(BOUND)} end`, 'password=****'],
    [`Bearer ${long}${long} end`, 'Bearer ****'],
    [`Authorization: Digest a=${long}${long}\nend`, 'Authorization: Digest ****'],
    [`Cookie: a=${long}${long}\nend`, 'Cookie: ****'],
    [`eyJhbGciOiJI.${long}${long} end`, '****'],
    [`ghp_${long}${long} end`, '****'],
    [`http://u:${long}${long}@host/ end`, 'http://u:****'],
    [`-----BEGIN PRIVATE KEY-----${long}${long}-----END it`, '-----BEGIN PRIVATE KEY-----****'],
  ])('that is longer is masked with everything after it: case %#', async (message, expected) => {
    expect((await redacted({ message })).message).toBe(expected);
  });

  it('is found after a name that is longer than that', async () => {
    const message = `key${'-a'.repeat(BOUND)}-password=x1y2`;
    expect((await redacted({ message })).message.endsWith('-password=****')).toBe(true);
  });

  it.each([
    ['md5', 'md5'],
    ['sha1', 'sha1'],
    ['sha3', 'sha3-256'],
  ] as const)(
    'is replaced by its %s with pauses, also with a surrogate pair at a boundary',
    (hash_function, algorithm) => {
      const redactor = new TextRedactor({ ...REDACTION_DEFAULTS, hash_function });
      const secret = `${'x'.repeat(BOUND - 1)}😀${'ü'.repeat(BOUND)}`;
      const tally = new Tally();
      const { result, pauses } = finish(redactor.redactWhole(secret, 'blocked_keys', tally));
      expect(result).toBe(createHash(algorithm).update(secret).digest('hex'));
      expect([tally.masked, pauses]).toEqual([1, 3]);
      expect(finish(redactor.redactInSteps(`password="${secret.slice(0, 9_000)}" end`, tally)).result).toBe(
        `password="${createHash(algorithm).update(secret.slice(0, 9_000)).digest('hex')}" end`,
      );
    },
  );
});

describe('an object of many members', () => {
  it('keeps their order if values are masked, and gets a summary', async () => {
    const extra = members((at) => [`key_${at}`, at % 2 === 0 ? at : 'password=x1y2']);
    const result = await redacted({ extra }, { summary: 'info' });
    const { faultline, ...rest } = result.extra ?? {};
    expect(JSON.stringify(rest)).toBe(JSON.stringify(extra).replaceAll('x1y2', '****'));
    expect(faultline).toEqual({ redaction: { masked_count: MANY / 2 } });
  });

  it('is unchanged if only the message is masked', async () => {
    const extra = members((at) => [`key_${at}`, at]);
    const before = JSON.stringify(extra);
    const part = { cuts: [], ...members((at) => [`own_${at}`, at]) };
    const result = await redacted(
      { message: 'password=x1y2', extra: { ...extra, faultline: part } },
      { summary: 'info' },
    );
    const { faultline, ...rest } = result.extra ?? {};
    expect([JSON.stringify(rest), JSON.stringify(extra)]).toEqual([before, before]);
    expect(faultline).toEqual({ ...part, redaction: { masked_count: 1 } });
    expect(Object.hasOwn(part, 'redaction')).toBe(false);
  });

  it('keeps __proto__ as a member and colliding keys distinct, also if values change', async () => {
    const text = JSON.stringify(members((at) => [`k${at}@example.com`, 'password=x1y2']));
    const result = await redacted({ extra: JSON.parse(`{"__proto__":"password=x1y2",${text.slice(1)}`) });
    const keys = Object.keys(result.extra ?? {});
    expect([keys[0], keys[1], keys[2], keys.length]).toEqual([
      '__proto__',
      '****@example.com',
      '****@example.com~2',
      MANY + 1,
    ]);
    expect(new Set(Object.values(result.extra ?? {}))).toEqual(new Set(['password=****']));
  });
});

describe('a key of a megabyte', () => {
  const key = 'abcd '.repeat(200_000);

  it('is matched by the patterns of the operator', async () => {
    const extra = {
      [`${key}iban`]: 'DE00',
      [`raw_${key}`]: 'password=x1y2',
      [`${key}password`]: 'hunter2',
      [key]: 'kept',
    };
    const settings = { blocked_key_patterns: ['(?i)IBAN$'], ignored_key_patterns: ['^raw_'] };
    expect(Object.values((await redacted({ extra }, settings)).extra ?? {})).toEqual([
      '****',
      'password=x1y2',
      '****',
      'kept',
    ]);
  });

  it('is not ignored if its pattern cannot be decided', async () => {
    const settings = { ignored_key_patterns: ['^a.*x$'] };
    expect(Object.values((await redacted({ extra: { [key]: 'password=x1y2' } }, settings)).extra ?? {})).toEqual([
      'password=****',
    ]);
  });
});
