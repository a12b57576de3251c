import fc from 'fast-check';
import { normalizeFile } from '../../../../../core/fingerprint/stack/frames.js';
import { FOREIGN_FILES, isAppFile } from '../../../../../core/fingerprint/stack/in-app.js';
import { plainAppPath } from '../../../../../core/fingerprint/stack/parsers/javascript.js';
import { UNSTABLE_PATHS } from '../../../../../core/fingerprint/stack/stable-path.js';

const EXAMPLES: readonly string[] = [
  ...FOREIGN_FILES.flatMap(({ examples }) => examples),
  ...UNSTABLE_PATHS.flatMap(({ examples }) => examples.map(([path]) => path)),
  '/home/anna/shop/cart.js',
  '/app/node_modules/gems/bower_components/site-packages/dist-packages/pkg/mod/cart.js',
  '/usr/local/lib/usr/share/php/usr/libexec/src/goroot/src/System/Library/Developer/nix/store/BuildRoot/apex/cart.js',
  '/lib/elixir/lib/deps/web/src/library/core/src/data/app/shop/compiler-rt/libsanitizer/vdso/cart.js',
  '/jspm_packages/Pods/checkouts/third-party/third_party/thirdparty/vendor/a/b/chunk-vendors.js',
  '/assets/deadbeefcafe/cart-AbCdEfGh.js/cart.ABCDEFGH.js/dart_sdk.js/polyfills~main.js',
];
/** The words of all rows, in lower and upper case, with and without a prefix. */
const WORDS = [...new Set(EXAMPLES.flatMap((path) => path.split(/[/\\]+/)))];
const written = fc
  .tuple(
    fc.constantFrom('', 'my', 'my-', 'my_'),
    fc.constantFrom(...WORDS),
    fc.constantFrom('unchanged', 'upper', 'lower'),
  )
  .map(
    ([before, word, form]) =>
      before + (form === 'upper' ? word.toUpperCase() : form === 'lower' ? word.toLowerCase() : word),
  );
const folders = fc.array(fc.oneof(written, fc.stringMatching(/^[A-Za-z_.-]{1,12}$/)), { maxLength: 6 });
const names = fc.oneof(fc.constantFrom(...WORDS), fc.stringMatching(/^[A-Za-z]{1,9}(?:[._-][A-Za-z]{1,9}){0,2}$/));
const endings = fc.constantFrom('.js', '.mjs', '.tsx', '.vue', '.min.js', '');

describe('a plain path of the application', () => {
  it('matches no row for library code and is changed by no row for paths', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '/', 'file:///'), folders, names, endings, (start, above, name, ending) => {
        const path = `${start}${[...above, name].join('/')}${ending}`;
        const plain = plainAppPath(path);
        if (plain === null) return;
        expect([path, isAppFile(path)]).toEqual([path, true]);
        expect([path, normalizeFile(path)]).toEqual([path, plain]);
      }),
    );
  });

  it.each([
    ['/srv/shop/dist/src/cart/cart-service.js', '/srv/shop/dist/src/cart/cart-service.js'],
    ['file:///srv/shop/src/cart.mjs', '/srv/shop/src/cart.mjs'],
    ['/srv/shop/packages/web/components/UserCard.tsx', '/srv/shop/packages/web/components/UserCard.tsx'],
  ])('is detected by one test: %s', (path, plain) => {
    expect(plainAppPath(path)).toBe(plain);
  });

  it.each(EXAMPLES)('is consistent with the rows: %s', (path) => {
    const plain = plainAppPath(path);
    expect([null, normalizeFile(path)]).toContain(plain);
    expect(plain === null || isAppFile(path)).toBe(true);
  });
});
