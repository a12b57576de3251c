import { HASHES } from '../../../../core/fingerprint/stack/build-hash.js';
import { libraryFile, normalizeFile, projectFile } from '../../../../core/fingerprint/stack/file-names.js';
import { isAppFile } from '../../../../core/fingerprint/stack/in-app.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';

const HEX = '0123456789abcdef';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const BASE_32 = `${UPPER}234567`;
const BASE_58 = `${UPPER}${LOWER}123456789`.replace(/[IOl]/g, '');
const BASE_62 = `${UPPER}${LOWER}${DIGITS}`;
const BASE_64 = `${BASE_62}-_`;
const BUILDS = 400;

/** The name of a file, where HASH stands for the hash of a build. */
interface Form {
  readonly bundler: string;
  readonly form: string;
  readonly letters: string;
  readonly length: number;
  readonly name: string;
}

/** What bundlers write if nobody changes their settings. */
const FORMS: readonly Form[] = [
  ['Nuxt', '/_nuxt/HASH.js', BASE_64, 8, '<hash>.js'],
  ['Nuxt', '/_nuxt/entry.HASH.js', BASE_64, 8, 'entry.<hash>.js'],
  ['Nuxt 2', '/_nuxt/HASH.js', HEX, 7, '<hash>.js'],
  ['Vite', '/assets/cart-HASH.js', BASE_64, 8, 'cart-<hash>.js'],
  ['Vite', '/assets/user-settings-HASH.js', BASE_64, 8, 'user-settings-<hash>.js'],
  ['Vite', '/assets/cart-legacy-HASH.js', BASE_64, 8, 'cart-legacy-<hash>.js'],
  ['Vite 3', '/assets/cart.HASH.js', HEX, 8, 'cart.<hash>.js'],
  ['Rollup', '/js/HASH.js', BASE_64, 8, '<hash>.js'],
  ['Rollup', '/js/cart-HASH.mjs', BASE_64, 8, 'cart-<hash>.mjs'],
  ['SvelteKit', '/_app/immutable/chunks/HASH.js', BASE_64, 8, '<hash>.js'],
  ['SvelteKit', '/_app/immutable/nodes/3.HASH.js', BASE_64, 8, '<n>.<hash>.js'],
  ['SvelteKit', '/_app/immutable/entry/start.HASH.js', BASE_64, 8, 'start.<hash>.js'],
  ['Astro', '/_astro/hoisted.HASH.js', BASE_64, 8, 'hoisted.<hash>.js'],
  ['Astro', '/_astro/_HASH.css', BASE_64, 8, '<hash>.css'],
  ['VitePress', '/assets/guide.md.HASH.lean.js', BASE_64, 8, 'guide.md.<hash>.lean.js'],
  ['Qwik', '/build/q-HASH.js', BASE_64, 8, '<hash>.js'],
  ['Remix', '/build/root-HASH.js', BASE_32, 8, 'root-<hash>.js'],
  ['Remix', '/assets/root-HASH.js', BASE_64, 8, 'root-<hash>.js'],
  ['Angular', '/chunk-HASH.js', BASE_32, 8, 'chunk-<hash>.js'],
  ['Angular', '/main-HASH.js', BASE_32, 8, 'main-<hash>.js'],
  ['Angular 16', '/main.HASH.js', HEX, 16, 'main.<hash>.js'],
  ['esbuild', '/out/cart-HASH.js', BASE_32, 8, 'cart-<hash>.js'],
  ['Parcel', '/cart.HASH.js', HEX, 8, 'cart.<hash>.js'],
  ['webpack', '/js/cart.HASH.js', HEX, 20, 'cart.<hash>.js'],
  ['webpack', '/js/417.HASH.js', HEX, 20, '<n>.<hash>.js'],
  ['webpack', '/js/chunk.HASH.mjs', BASE_62, 20, 'chunk.<hash>.mjs'],
  ['webpack', '/js/cart.HASH.js', BASE_58, 16, 'cart.<hash>.js'],
  ['Create React App', '/static/js/main.HASH.chunk.js', HEX, 8, 'main.<hash>.chunk.js'],
  ['Next', '/_next/static/chunks/417-HASH.js', HEX, 16, '<n>-<hash>.js'],
  ['Next', '/_next/static/chunks/app/cart/page-HASH.js', HEX, 16, 'cart/page-<hash>.js'],
  ['Next', '/_next/static/chunks/HASH.js', HEX, 16, '<hash>.js'],
  ['Next', '/_next/static/HASH/pages/index.js', BASE_64, 21, 'pages/index.js'],
  ['Gatsby', '/component---src-pages-cart-js-HASH.js', HEX, 20, 'component---src-pages-cart-js-<hash>.js'],
  ['Ember', '/assets/shop-HASH.js', HEX, 32, 'shop-<hash>.js'],
  ['Metro', '/_expo/static/js/web/index-HASH.js', HEX, 32, 'web/index-<hash>.js'],
  ['Bun', '/chunk-HASH.js', '0123456789abcdefghjkmnpqrstvwxyz', 8, 'chunk-<hash>.js'],
].map(([bundler, form, letters, length, name]) => ({ bundler, form, letters, length, name }) as Form);

/** Numbers between 0 and 1 that are the same in each run. */
function* numbers(seed: number): Generator<number> {
  let state = seed;
  while (true) {
    state = (state * 1103515245 + 12345) % 2147483648;
    yield state / 2147483648;
  }
}

function hashes({ letters, length }: Form): string[] {
  const next = numbers(letters.length * 100 + length);
  const letter = () => letters[Math.floor((next.next().value ?? 0) * letters.length)] ?? '';
  return Array.from({ length: BUILDS }, () => Array.from({ length }, letter).join(''));
}

function fileOf(path: string): string {
  const file = normalizeFile(path) ?? '';
  return isAppFile(path) ? projectFile(file) : libraryFile(file);
}

function failureIn(path: string): string {
  const stack = `Error: no price\n    at total (${path}:1:100)`;
  return computeFingerprint(serverPayload({ message: 'no price', stack })).value;
}

describe('hashes in names of files', () => {
  it.each(HASHES.flatMap(({ pattern, examples }) => examples.map((example) => [example, pattern] as const)))(
    '%s has a form of a hash',
    (example, pattern) => {
      expect(pattern.test(example)).toBe(true);
    },
  );

  it.each(FORMS)('of $bundler, $form with $length letters, become one in 400 builds', (form) => {
    const paths = hashes(form).map((hash) => `https://shop.example${form.form.replace('HASH', hash)}`);
    expect([...new Set(paths.map(fileOf))]).toEqual([form.name]);
    expect(new Set(paths.slice(0, 40).map(failureIn)).size).toBe(1);
  });

  it.each([
    'D4hK-s1a.js',
    'app:///qTzWbXcv.js',
    'https://shop.example/assets/a-b_c1d2e.js',
    '/srv/web/chunks/x9_Kq-2Z.mjs',
  ])('are all that %s has', (path) => {
    expect(fileOf(path)).toMatch(/^<hash>\.m?js$/);
  });

  it('keep the word before them', () => {
    expect(failureIn('https://shop.example/assets/cart-DbQ2xY9p.js')).not.toBe(
      failureIn('https://shop.example/assets/profile-DbQ2xY9p.js'),
    );
  });
});

describe('words in names of files', () => {
  it.each(
    (
      'checkout Workbox OAuth2Client S3Uploader Http2Server vector2d bootstrap jQuery d3 three i18n base64 utf8 md5 Sha256 es2015 webgl2 ' +
      'x86_64 mp3Player Web3Modal ipv6 k8s-client a11y useOAuth2 getCart index-page user-settings my-component cart-item2 app-checkout ' +
      'BackgroundSync keyboard DownloadManager shopping-cart order_history parseJSON toBase64 react-i18n v2-checkout ' +
      'HTMLRenderer XMLParser p2pClient oauth2-callback S3Client EC2Instance lazyload'
    ).split(' '),
  )('stay in %s', (word) => {
    for (const folder of ['', '/srv/shop/lib/', '/srv/shop/src/', '/srv/shop/dist/', 'https://shop.example/assets/']) {
      expect(fileOf(`${folder}${word}.js`)).toBe(`${word}.js`);
    }
    expect(fileOf(`/srv/shop/${word}.py`)).toBe(`${word}.py`);
  });

  it.each([
    ['/srv/shop/OAuth2Client.js', '/srv/shop/S3Uploader.js'],
    ['/srv/shop/step_1.py', '/srv/shop/step_2.py'],
    ['/srv/shop/step-1/index.js', '/srv/shop/step-2/index.js'],
    ['/srv/shop/Face2Face.php', '/srv/shop/Http2Server.php'],
    ['/srv/shop/carts/views.py', '/srv/shop/menus/views.py'],
    ['/srv/shop/routes/cart/+page.js', '/srv/shop/routes/menu/+page.js'],
    ['C:\\work\\C#\\Cart.cs', 'C:\\work\\C#\\Profile.cs'],
    [
      'https://shop.example/_next/static/chunks/app/cart/page-1f2e3d4c.js',
      'https://shop.example/_next/static/chunks/app/menu/page-1f2e3d4c.js',
    ],
  ])('tell %s and %s apart', (one, other) => {
    expect(fileOf(one)).not.toBe(fileOf(other));
  });
});

describe('a file in another installation', () => {
  it.each([
    ['/srv/shop/cart.py', '/srv/shop/__pycache__/cart.cpython-311.pyc'],
    ['/srv/shop/cart.py', '/srv/shop/cart.pyc'],
    ['/srv/shop/src/web/cart.rb', '/usr/src/app/src/web/cart.rb'],
    ['/srv/shop/cart.rb', '/usr/src/app/cart.rb'],
    ['/srv/shop/cart.rb', '/var/www/shop/releases/20260101120000/cart.rb'],
    ['/app/index.php', '/var/www/html/index.php'],
    ['/app/index.php', '/srv/shop/releases/42/index.php'],
    ['/app/cart/index.js', 'C:\\shop\\cart\\index.js'],
    ['C:\\shop\\src\\cart.rs', '\\\\?\\D:\\build\\src\\cart.rs'],
    ['src/cart.ts', 'http://localhost:5173/@fs/home/anna/shop/src/cart.ts?t=1700000000000'],
    ['src/my cart.ts', 'file:///home/anna/src/my%20cart.ts'],
    ['/repo/shop/cart.py', '/home/anna/.cache/bazel/execroot/shop/bazel-out/k8-opt/bin/shop/cart.py'],
    ['/srv/shop/cart.rb', '/nix/store/0a1b2c3d4f5g6h7i8j9k0l1m2n3p4q5r-shop-1.2/cart.rb'],
  ])('%s is %s', (one, other) => {
    expect(projectFile(normalizeFile(one) ?? '')).toBe(projectFile(normalizeFile(other) ?? ''));
  });
});

describe('a file of a library', () => {
  it.each([
    ['/srv/node_modules/express/lib/router/layer.js', 'express/layer.js'],
    ['/srv/node_modules/koa-router/lib/layer.js', 'koa-router/layer.js'],
    ['/srv/node_modules/.pnpm/express@4.18.2/node_modules/express/lib/router/layer.js', 'express/layer.js'],
    ['/srv/.yarn/cache/express-npm-4.18.2-0a1b.zip/node_modules/express/lib/router/layer.js', 'express/layer.js'],
    ['/srv/node_modules/@acme/http/dist/index.js', '@acme/http/index.js'],
    ['/usr/lib/python3.2/site-packages/kit-3.1.0a1-py3.2.egg/kit/bin/base.py', 'kit/base.py'],
    ['/usr/local/bundle/gems/kit-7.0.0.rc1/lib/kit.rb', 'kit/kit.rb'],
    ['/usr/local/bundle/gems/rack-2.2.3/lib/rack.rb', 'rack/rack.rb'],
    ['/srv/vendor/bundle/ruby/3.2.0/bundler/gems/rack-4f2a91bc0d3e/lib/rack.rb', 'rack/rack.rb'],
    ['/srv/venv/lib64/python3.9/site-packages/requests/api.py', 'requests/api.py'],
    ['C:\\Python311\\Lib\\json\\decoder.py', 'json/decoder.py'],
    ['/usr/lib/python3.13/json/decoder.py', 'json/decoder.py'],
    ['https://cdn.example/preact@10.1.1/dist/preact.mjs', 'preact/preact.mjs'],
    ['/srv/vendor/acme/http/src/Kernel.php', 'acme/Kernel.php'],
  ])('%s is shown as %s', (path, shown) => {
    expect(isAppFile(path)).toBe(false);
    expect(fileOf(path)).toBe(shown);
  });

  it('is not the same as one of another library, if nothing else decides', () => {
    const failures = ['express/lib/router/layer.js', 'koa-router/lib/layer.js'].map((file) =>
      failureIn(`/srv/node_modules/${file}`),
    );
    expect(new Set(failures).size).toBe(2);
  });
});
