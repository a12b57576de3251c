import fc from 'fast-check';
import { runInSlices } from '../../../../collector/processors/event-processor/steps.js';
import { Tally } from '../../../../collector/processors/redaction/tally.js';
import { TextRedactor } from '../../../../collector/processors/redaction/text-redactor.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { RedactionProcessorSettings } from '../../../../generated/settings.js';
import { forwarded, REDACTION_DEFAULTS, redacted, redactedRejection } from './redacting.js';

/** Units between two pauses. */
const PIECE = 8 * 1024;
const MEBIBYTE = 1024 * 1024;

const SECRETS = [
  'password=hunter2hunter',
  '{"user":"anna","password":"a\\"b c"}',
  'Authorization: Bearer abc.def-123',
  'Authorization: Digest username="anna", response="1f"\r\n',
  "-H 'Cookie: sid=1; a=2' -v",
  'Set-Cookie: a=b; Path=/',
  'AKIAIOSFODNN7EXAMPLE and then wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYAB',
  'postgres://shop:p%40ss/w@db:5432/shop',
  'paid with 4111 1111 1111 1111 123',
  'mail anna.k@example.com or anna%40example.com: no such user',
  '-----BEGIN EC PRIVATE KEY-----\nAAaa anna@example.com password=x1y2\n-----END EC PRIVATE KEY-----',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N',
  '<wsse:Password>x1</wsse:Password> mysql --password hunter2 shop',
  'CUST-4711 😀CUST-1 blue car',
  `token="${'a1 '.repeat(6_000)}"`,
];

function bothWays(text: string, settings: Partial<RedactionProcessorSettings>): Promise<[string, string]> {
  const redactor = new TextRedactor({ ...REDACTION_DEFAULTS, ...settings });
  const [whole, pieces] = [new Tally(), new Tally()];
  const summaryOf = (result: string, { masked, byKind }: Tally): string =>
    `${masked} ${JSON.stringify([...byKind].sort())} ${result}`;
  return runInSlices(redactor.redactInSteps(text, pieces)).then((result) => [
    summaryOf(result, pieces),
    summaryOf(redactor.redact(text, whole), whole),
  ]);
}

describe('a text that is scanned in steps', () => {
  const filler = fc.constantFrom('.', ' ', '\n', 'a', '1', '-', 'ü', '😀', 'a line of prose\n', 'token:');
  const secretAt = fc.record({
    secret: fc.constantFrom(...SECRETS),
    piece: fc.constantFrom(1, 2),
    before: fc.integer({ min: -200, max: 300 }),
    filler,
  });
  const settings: Partial<RedactionProcessorSettings> = {
    blocked_values: ['CUST-\\d+\\b', '(?m)^blue', 'colou?r$'],
    allowed_values: ['CUST-1\\b', 'otto@example\\.com'],
  };

  it('has the same result as a synchronous scan, at any position of a secret', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(secretAt, { minLength: 1, maxLength: 4 }), filler, async (secrets, behind) => {
        let text = '';
        for (const { secret, piece, before, filler: with_ } of secrets.sort((one, other) => one.piece - other.piece)) {
          const missing = Math.max(0, piece * PIECE - before - text.length);
          text += with_.repeat(Math.ceil(missing / with_.length)).slice(0, missing) + secret;
        }
        text += behind.repeat(200);
        const [pieces, whole] = await bothWays(text, settings);
        expect(pieces === whole).toBe(true);
      }),
    );
  });

  it('has the same result as a synchronous scan if it consists of secrets', async () => {
    const text = SECRETS.join('\n').repeat(8);
    const [pieces, whole] = await bothWays(text, settings);
    expect(pieces).toBe(whole);
  });

  it('loses matches of a pattern up to 8,192 units long, and everything after one without an end', async () => {
    const long = `${' '.repeat(PIECE - 10)}<${'x'.repeat(8_000)}>`;
    const [pieces, whole] = await bothWays(`${long} ${long}`, { blocked_values: ['<x*>'] });
    expect(pieces).toBe(whole);
    const endless = await redacted(
      { message: `kept ${'x'.repeat(200_000)} anything` },
      { blocked_values: ['x+'], builtin_patterns: [] },
    );
    expect(endless.message).toBe('kept ****');
  });

  it('pauses at least once per step', async () => {
    const redactor = new TextRedactor(REDACTION_DEFAULTS);
    const steps = redactor.redactInSteps('token:'.repeat(PIECE), new Tally());
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBeGreaterThanOrEqual(6);
    expect(await runInSlices(redactor.redactInSteps('', new Tally()))).toBe('');
  });
});

describe('a large event', () => {
  const prose = 'The order could not be sent because the upstream answered 502.\n'.repeat(MEBIBYTE / 64);

  it('lets other work run while it is scanned', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { message } = await redacted({ message: `${'token:'.repeat(MEBIBYTE / 6)}\npassword=hunter2 x` });
    isDone = true;
    expect(turns).toBeGreaterThan(2);
    expect(message.endsWith('password=**** x')).toBe(true);
  });

  it('loses its secrets at any position, and small events around it keep their order', async () => {
    const small = (message: string) => ({ payload: { ...large, message } });
    const large = await redacted({ message: 'x' });
    const extra = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key_${at}`, at]));
    const event = {
      payload: {
        ...large,
        message: `${prose}password=hunter2`,
        stack: `${prose}anna@example.com`,
        extra: { ...extra, list: [prose, { [`${prose}otto@example.com`]: 1 }], api_key: prose },
      },
    };
    const meters = new Meters();
    const { events } = await forwarded({ events: [small('first'), event, small('last')] }, {}, meters);
    const [first, middle, last] = events.map(({ payload }) => payload);
    expect([first?.message, last?.message]).toEqual(['first', 'last']);
    expect(middle?.message).toBe(`${prose}password=****`);
    expect(middle?.stack).toBe(`${prose}****@example.com`);
    expect(middle?.extra).toEqual({ ...extra, list: [prose, { [`${prose}****@example.com`]: 1 }], api_key: '****' });
    expect(meters.samples('faultline_processor_changed_items').map(({ value }) => value)).toEqual([1]);
  });

  it('loses its secrets if it was rejected', async () => {
    const content = { message: 5, text: prose.slice(0, 200_000), password: 'hunter2' };
    const { text } = await redactedRejection(Buffer.from(JSON.stringify(content)));
    expect(JSON.parse(text)).toEqual({ ...content, password: '****' });
  });
});
