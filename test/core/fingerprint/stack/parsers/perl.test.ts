import { perlParser } from '../../../../../core/fingerprint/stack/parsers/lua-perl-shell.js';
import { describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const trace = (
  line: number,
  value: number | string = 120,
): string => `discount of ${value} percent at /srv/shop/cart.pl line ${line}.
	Shop::Cart::discount(${value}) called at /srv/shop/cart.pl line ${line + 3}
	eval {...} called at /srv/shop/cart.pl line ${line + 4}
	main::checkout("order, at once", HASH(0x55d0c8)) called at /srv/shop/cart.pl line ${line + 9}
	Try::Tiny::try(CODE(0x55d0c8)) called at /usr/share/perl5/Try/Tiny.pm line 100`;

describe('frames of Perl', () => {
  it('are the calls of Carp at the location before them', () => {
    expect(outlineOf(trace(7))[0]).toBe('perl');
    expect(framesOf(trace(7))).toMatchObject([
      { function: 'discount', module: 'Shop::Cart', file: '/srv/shop/cart.pl', line: 7, inApp: true },
      { function: null, line: 10 },
      { function: 'checkout', module: null, line: 11 },
      { function: 'try', module: 'Try::Tiny', line: 16 },
      { function: null, line: 100, inApp: false },
    ]);
  });

  it('are not messages that name a call', () => {
    const undefinedCall = 'Undefined subroutine &main::print called at /srv/shop/cart.pl line 7.\n';
    expect(outlineOf(undefinedCall)[0]).not.toBe('perl');
    expect(framesOf(`${undefinedCall}\tmain::label(1) called at /srv/shop/cart.pl line 9`)).toMatchObject([
      { function: 'label', line: 7 },
      { function: null, line: 9 },
    ]);
  });

  it('decide the grouping, independent of lines and arguments', () => {
    expect(fingerprintOf(trace(7))).toBe(fingerprintOf(trace(70, 110)));
    expect(fingerprintOf(trace(7))).not.toBe(fingerprintOf(trace(7).replace('::discount', '::refund')));
  });
});

describeText('Perl', perlParser, trace(7), trace);
