import { luaParser } from '../../../../../core/fingerprint/stack/parsers/lua-perl-shell.js';
import { describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const trace = (
  line: number,
): string => `lua5.4: /srv/shop/cart.lua:${line}: attempt to index a nil value (field 'address')
stack traceback:
	[C]: in function 'error'
	/srv/shop/cart.lua:${line}: in local 'label'
	/srv/shop/cart.lua:${line + 20}: in function 'shop.checkout'
	/srv/shop/cart.lua:${line + 30}: in function </srv/shop/cart.lua:${line + 25}>
	(...tail calls...)
	/srv/shop/main.lua:5: in main chunk
	[C]: in ?`;

describe('frames of Lua', () => {
  it('are parsed innermost first; those of the interpreter have no file', () => {
    expect(outlineOf(trace(2))[0]).toBe('lua');
    expect(framesOf(trace(2))).toMatchObject([
      { function: 'error', file: null, inApp: false },
      { function: 'label', file: '/srv/shop/cart.lua', line: 2, inApp: true },
      { function: 'shop.checkout', line: 22 },
      { function: null, line: 32 },
      { function: null, file: '/srv/shop/main.lua', line: 5 },
      { function: null, file: null, inApp: false },
    ]);
  });

  it('decide the grouping, independent of their lines', () => {
    expect(fingerprintOf(trace(2))).toBe(fingerprintOf(trace(90)));
    expect(fingerprintOf(trace(2))).not.toBe(fingerprintOf(trace(2).replace("'label'", "'price'")));
  });

  it('are not words of other texts', () => {
    expect(framesOf('cart.lua:2: in a local shop\ncart.lua:3: in main street')).toEqual([]);
  });
});

describeText('Lua', luaParser, trace(2), trace);

describe('errors of Bash', () => {
  const error = (file: string, line: number, message: string): string => `${file}: line ${line}: ${message}`;

  it('have the script and its line as the only frame', () => {
    const text = error('/srv/shop/deploy.sh', 12, 'SHOP_TARGET: unbound variable');
    expect(outlineOf(text)[0]).toBe('shell');
    expect(framesOf(text)).toMatchObject([{ function: null, file: '/srv/shop/deploy.sh', line: 12, inApp: true }]);
    expect(outlineOf('the answer: line 12: too long')[0]).not.toBe('shell');
  });

  it('are two issues in two scripts, and one after a script grew', () => {
    const division = fingerprintOf(error('prices.sh', 4, '40 / 0: division by 0'));
    expect(fingerprintOf(error('prices.sh', 9, '41 / 0: division by 0'))).toBe(division);
    expect(fingerprintOf(error('taxes.sh', 4, '40 / 0: division by 0'))).not.toBe(division);
  });
});
