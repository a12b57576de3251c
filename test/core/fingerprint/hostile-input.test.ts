import fc from 'fast-check';
import { parameterize } from '../../../core/fingerprint/message/parameterize.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint } from './compute-fingerprint.js';

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** All texts of a fingerprint that are shown or stored, without the line break between the two lines of a message. */
function textsOf(message: string, stack: string, name: string): string {
  const { title, culprit, basis } = computeFingerprint(serverPayload({ message, stack, error_name: name }));
  const values = basis.parts.flatMap((part) => part.value).map((value) => String(value).replace('\n', ' '));
  return [title, culprit ?? '', ...values].join('');
}

describe('hostile input', () => {
  it.each([
    ['one line of a megabyte', 'x'.repeat(1_000_000)],
    ['one frame of a megabyte', `E: x\n    at f (${'/a'.repeat(500_000)}.js:1:1)`],
    ['100,000 lines', `E: x\n${'    at f (/srv/a.js:1:1)\n'.repeat(100_000)}`],
    ['100,000 causes', `E: x\n${'Caused by: E: x\n'.repeat(100_000)}`],
    ['open parentheses', `E: x\n    at ${'('.repeat(100_000)}`],
    ['evals in evals', `E: x\n    at ${'eval (eval at '.repeat(10_000)}`],
    ['only newlines', '\n'.repeat(1_000_000)],
  ])('is bounded: a stack of %s', (_, stack) => {
    expect(computeFingerprint(serverPayload({ stack })).value).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is bounded: only the first 8,192 units of a message count', () => {
    const head = 'x'.repeat(8_192);
    const one = computeFingerprint(serverPayload({ message: head }));
    expect(computeFingerprint(serverPayload({ message: head + 'y'.repeat(1_000_000) })).value).toBe(one.value);
  });

  it('never returns control characters or lone surrogates', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '\u001b[31m',
          '\u001b]0;t\u0007',
          '\r',
          '\n',
          '\u202e',
          '\u2028',
          '\ud800',
          '\udc00',
          '"',
          "'",
          ' ',
        ),
        fc.string({ maxLength: 3 }),
      ),
      maxLength: 40,
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (message, file, name) => {
        const texts = textsOf(message, `E: x\n    at ${name} (/srv/${file}.js:1:1)`, name);
        expect(texts).not.toMatch(CONTROL);
        expect(texts).toBe(Buffer.from(texts).toString());
      }),
    );
  });

  it('never throws and always has the same result', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(text, text, text, fc.dictionary(text, fc.jsonValue()), (message, stack, name, extra) => {
        const payload = serverPayload({ message, stack, error_name: name, extra: JSON.parse(JSON.stringify(extra)) });
        expect(computeFingerprint(payload)).toEqual(computeFingerprint(payload));
      }),
    );
  });

  it('handles quotations that are nested deeper than two', () => {
    const nested = (depth: number): string => (depth === 0 ? 'deep' : `msg="one two three ${nested(depth - 1)}"`);
    expect(parameterize(nested(50))).toContain('one two three');
  });

  it.each([
    '1,',
    '.a',
    'a-',
    'a/',
    '"a',
    "'a ",
    '= ',
    'a=',
    '1:',
    'ff:',
    'http://',
    'A_',
    'x.Y.',
    '1.1.1.1',
    '“1',
    '[{',
    'code ',
    '\\\\a\\',
    '1e',
    '*** ',
    '[a, ',
    '["a",',
    '{"a":',
    "{'a': ",
    '+1 ',
    '(555) ',
    'de ad ',
    'dead beef ',
    'A/1.2 (x;',
    'A/1.2 B/3 ',
    '1 234',
    "1'234",
    'a\\b',
    'a@b.',
    'abcdef',
    '-W47',
    'Sat Nov ',
    '), (',
    '{{',
    '€1',
    'connect to a:',
    'GET /a ',
    '1 errors ',
    '« ',
    'urn:a:',
  ])('costs about twice the work for twice the text: %j', (unit) => {
    const work = (length: number) => measureWork(() => parameterize(unit.repeat(length / unit.length)));
    const small = work(1_024);
    expect(work(2_048)).toBeLessThanOrEqual(2.2 * small + 64);
    expect(work(4_096)).toBeLessThanOrEqual(4.4 * small + 128);
  });
});

/** The number of regular expression matches, and the sum of their input lengths. */
function measureWork(run: () => void): number {
  const original = RegExp.prototype.exec;
  let work = 0;
  RegExp.prototype.exec = function exec(this: RegExp, text: string) {
    const match = original.call(this, text);
    work += 1 + (match?.[0].length ?? 0);
    return match;
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = original;
  }
  return work;
}
