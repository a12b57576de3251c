import fc from 'fast-check';
import { hermesParser } from '../../../../../core/fingerprint/stack/parsers/javascript.js';
import { detectParser } from '../../../../../core/fingerprint/stack/parsers/stack-parsers.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';
import { expectFramesOfLines, framesBy } from '../../stack-parsers/read-text.js';

const trace = (column: number) => `TypeError: undefined is not a function
    at total (address at index.android.bundle:1:${column})
    at ?anon_0_submit (address at index.android.bundle:1:${column + 7})
    at next (native)
    at asyncGeneratorStep (address at InternalBytecode.js:1:${column + 9})
    at anonymous (address at index.android.bundle:1:99)
    ... skipping 12 frames
    at apply (native)`;

const framesOf = (stack: string) => framesBy(hermesParser, stack);

describe('frames of Hermes', () => {
  it('have bytecode addresses, native calls and numbered functions', () => {
    expect(framesOf(trace(12_345))).toMatchObject([
      { function: 'total', file: 'index.android.bundle', inApp: true },
      { function: 'submit', inApp: true },
      { function: 'next', file: null, inApp: false },
      { function: 'asyncGeneratorStep', inApp: false },
      { function: null, inApp: true },
      { function: 'apply', inApp: false },
    ]);
  });

  it('differ from V8 by their addresses', () => {
    expect(detectParser(trace(1))).toBe(hermesParser);
  });

  it('ignore addresses in the fingerprint', () => {
    const value = (column: number) =>
      computeFingerprint(serverPayload({ error_name: 'TypeError', message: 'x', stack: trace(column) })).value;
    fc.assert(
      fc.property(fc.nat(9_999_999), (column) => {
        expect(value(column)).toBe(value(1));
      }),
    );
  });

  it('are parsed from any text without throwing', () => {
    expectFramesOfLines(hermesParser, ['at ', '?anon_', '(address at ', '(native)', ')', '\n', ':1:2', '0_', ' ']);
  });
});
