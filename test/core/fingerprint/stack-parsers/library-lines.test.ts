import fc from 'fast-check';
import { isForeignScriptLine, parseV8Line } from '../../../../core/fingerprint/stack/parsers/javascript.js';
import { isForeignJavaLine, parseJvmLine } from '../../../../core/fingerprint/stack/parsers/jvm.js';

const PIECES =
  'at |async |load|Cart.|java.|java.base/|util.|List.|node:|fs|/srv/|/node_modules/|x.js|x.rs|A.java| (|(|)|:12|:3| in |!|+|<anonymous>|eval at | |.|?anon_0_|native'.split(
    '|',
  );
const lines = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 10 })
  .map((pieces) => `at ${pieces.join('').trim()}`.trim());

describe('a quick test of a line', () => {
  it('finds library frames before they are parsed', () => {
    expect(isForeignScriptLine('at get (/srv/node_modules/x/index.js:1:2)')).toBe(true);
    expect(isForeignScriptLine('at async node:internal/timers:581:17')).toBe(true);
    expect(isForeignScriptLine('at get (/srv/src/index.js:1:2)')).toBe(false);
    expect(isForeignJavaLine('at java.base/java.util.ArrayList.get(ArrayList.java:427)')).toBe(true);
    expect(isForeignJavaLine('at java.Cart(Cart.java:1)')).toBe(false);
  });

  it('never takes an in-app frame for a library frame', () => {
    fc.assert(
      fc.property(lines, (line) => {
        if (isForeignScriptLine(line)) expect(parseV8Line(line)?.inApp ?? false).toBe(false);
        if (isForeignJavaLine(line)) expect(parseJvmLine(line)?.inApp ?? false).toBe(false);
      }),
    );
  });
});
