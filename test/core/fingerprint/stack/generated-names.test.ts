import fc from 'fast-check';
import { normalizeFile } from '../../../../core/fingerprint/stack/file-names.js';
import { normalizeFunction, normalizeGenerated } from '../../../../core/fingerprint/stack/frames.js';
import { GENERATED_NAMES } from '../../../../core/fingerprint/stack/generated-names.js';
import { stablePath, UNSTABLE_PATHS } from '../../../../core/fingerprint/stack/stable-path.js';

describe('generated parts of names', () => {
  it.each(GENERATED_NAMES.flatMap((row) => row.examples))('%j is %j', (name, left) => {
    expect(normalizeGenerated(name)).toBe(left);
  });

  it.each([
    'total',
    'Cart.total',
    'shop::cart::total',
    'Cart#total',
    '$store',
    'v2',
    'sha256',
    'toUtf8',
    'Cart$Item',
    'onclick',
  ])('do not exist in %s', (name) => {
    expect(normalizeGenerated(name)).toBe(name);
  });

  it.each(['<listcomp>', '12345', '_0x3f2a', '???', '<lambda>', ''])('leave no name of %p', (name) => {
    expect(normalizeFunction(name)).toBeNull();
  });

  it('are removed once: a second pass changes nothing', () => {
    for (const [name] of GENERATED_NAMES.flatMap((row) => row.examples)) {
      const once = normalizeGenerated(name);
      expect(normalizeGenerated(once)).toBe(once);
    }
  });

  it('never make normalization throw', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400, unit: 'binary' }), (name) => {
        expect(normalizeGenerated(name).length).toBeLessThanOrEqual(600);
        normalizeFile(name);
      }),
    );
  });
});

describe('changing parts of paths', () => {
  it.each(UNSTABLE_PATHS.flatMap((row) => row.examples))('%s is %s', (path, left) => {
    expect(stablePath(path)).toBe(left);
  });

  it.each(['src/cart.ts', '/srv/shop/src/cart.js', 'Cart.java', 'package:shop/cart.dart', 'C:\\shop\\cart.cs'])(
    'do not exist in %s',
    (path) => {
      expect(stablePath(path)).toBe(path);
    },
  );
});
