/** A part of a path that differs between builds, runs or machines. */
interface PathRow {
  /** A faster test that matches whenever `pattern` does. */
  readonly sign: RegExp;
  readonly pattern: RegExp;
  readonly replacement: string;
  readonly reason: string;
  /** Paths and their results. */
  readonly examples: readonly (readonly [string, string])[];
}

/** Removed from a path, in order; the length of the path is bounded. */
export const UNSTABLE_PATHS: readonly PathRow[] = [
  {
    sign: /^(?:blob|data):/,
    pattern: /^(blob|data):.*$/s,
    replacement: '<$1>',
    reason: 'Addresses that a page made at run time.',
    examples: [['blob:https://a.example/5f1c9c2e', '<blob>']],
  },
  {
    sign: /^file:/,
    pattern: /^file:\/\/(?:localhost)?(?:\/(?=[A-Za-z]:))?/,
    replacement: '',
    reason: 'A file of this machine, as modules write it and as scripts do.',
    examples: [
      ['file:///srv/shop/cart.js', '/srv/shop/cart.js'],
      ['file:///C:/shop/cart.js', 'C:/shop/cart.js'],
    ],
  },
  {
    sign: /^</,
    pattern: /^<([a-z]{1,20}(?:-[a-z]{1,20})*)-\d[\w-]{0,80}>$/,
    replacement: '<$1>',
    reason: 'Cells of notebooks are numbered.',
    examples: [['<ipython-input-12-8f3a91c2>', '<ipython-input>']],
  },
  {
    sign: /\) : /,
    pattern: /\(\d{1,9}\) : (?:eval\(\)'d code|runtime-created function).*$/,
    replacement: '',
    reason: 'PHP writes where the evaluated text stands.',
    examples: [["/app/rules.php(12) : eval()'d code", '/app/rules.php']],
  },
  {
    sign: /^\(/,
    pattern: /^\(eval at (.{1,400}?)(?::\d{1,9})?\)$/,
    replacement: '$1',
    reason: 'Ruby writes where the evaluated text stands.',
    examples: [['(eval at /app/rules.rb:12)', '/app/rules.rb']],
  },
  {
    sign: / line /,
    pattern: /(?: line \d{1,9} > (?:eval|Function|injectedScript))+$/,
    replacement: '',
    reason: 'Firefox writes where the evaluated text stands.',
    examples: [['https://a.example/rules.js line 12 > eval', 'https://a.example/rules.js']],
  },
  {
    sign: /hosted/,
    pattern: /^.{0,500}[/\\]hosted[/\\][^/\\]{1,100}[/\\]/,
    replacement: '',
    reason: 'The cache of packages of Dart.',
    examples: [['/root/.pub-cache/hosted/pub.dev/http-1.1.0/lib/src/client.dart', 'http-1.1.0/lib/src/client.dart']],
  },
  {
    sign: /cargo/,
    pattern: /^.{0,500}[/\\]?\bcargo[/\\](?:registry[/\\]src|git[/\\]checkouts)[/\\][^/\\]{1,100}[/\\]/,
    replacement: '',
    reason: 'The registry of Rust.',
    examples: [
      ['/usr/local/cargo/registry/src/index.example-6f17d22bba15001f/log-0.4.1/src/lib.rs', 'log-0.4.1/src/lib.rs'],
    ],
  },
  {
    sign: /rustc/,
    pattern: /^[/\\]rustc[/\\][0-9a-f]{6,40}[/\\]/,
    replacement: '',
    reason: 'The standard library of Rust is named by its commit.',
    examples: [['/rustc/8f3a91c2d4/library/core/src/panicking.rs', 'library/core/src/panicking.rs']],
  },
  {
    sign: /ython|pypy|ruby/,
    pattern:
      /^.{0,500}[/\\](?:python\d(?:\.\d{1,3})?|pypy\d(?:\.\d{1,3})?|Python(?:[\d-]{1,8}|[/\\]\d[\d.]{1,10}[/\\]x\d\d)[/\\][Ll]ib|ruby[/\\]\d{1,3}\.\d{1,3}\.\d{1,3})[/\\]/,
    replacement: '',
    reason: 'The standard library below the version of its language.',
    examples: [
      ['/usr/lib/python3.11/json/decoder.py', 'json/decoder.py'],
      ['C:\\Python311\\Lib\\json\\decoder.py', 'json\\decoder.py'],
      ['/usr/local/lib/ruby/3.2.0/net/http.rb', 'net/http.rb'],
    ],
  },
  {
    sign: /vendor/,
    pattern: /^.{0,500}[/\\]vendor[/\\](?=[^/\\]{1,100}[/\\][^/\\]{1,100}[/\\])/,
    replacement: '',
    reason: 'Packages in vendor.',
    examples: [['/app/vendor/acme/http/src/Kernel.php', 'acme/http/src/Kernel.php']],
  },
  {
    sign: /Application|Devices|app/,
    pattern:
      /^.{0,500}[/\\](?:Bundle[/\\]Application|CoreSimulator[/\\]Devices|data[/\\]app)[/\\](?:[^/\\]{20,}[/\\])+/,
    replacement: '',
    reason: 'Installations of applications on phones.',
    examples: [
      [
        '/var/containers/Bundle/Application/0F2E3A5C-1111-2222-3333-444455556666/Shop.app/main.jsbundle',
        'Shop.app/main.jsbundle',
      ],
    ],
  },
  {
    sign: /^webpack/,
    pattern: /^(webpack-internal:\/\/\/|webpack:\/\/[^/]{0,200}\/)(?:\([\w-]{1,40}\)\/)?(?:\.{1,2}\/)+/,
    replacement: '$1',
    reason: 'Bundlers write paths from where they stood.',
    examples: [['webpack-internal:///(ssr)/./src/cart.ts', 'webpack-internal:///src/cart.ts']],
  },
  {
    sign: /^\./,
    pattern: /^(?:\.{1,2}[/\\])+/,
    replacement: '',
    reason: 'The same, without a scheme.',
    examples: [['../../src/cart.ts', 'src/cart.ts']],
  },
  {
    sign: /\|| \+ /,
    pattern: /\|[\w-]{1,40}(?:\|[\w-]{0,40}){0,4}$|(?: \+ \d{1,6} modules)$/,
    replacement: '',
    reason: 'Modules that bundlers put together are marked behind their names.',
    examples: [['./src/cart.ts + 12 modules', 'src/cart.ts']],
  },
  {
    sign: /^[/\\]{2}\?/,
    pattern: /^[/\\]{2}\?[/\\]/,
    replacement: '',
    reason: 'Windows marks paths of any length.',
    examples: [['\\\\?\\C:\\shop\\cart.rs', 'C:\\shop\\cart.rs']],
  },
  {
    sign: /\.py[co]$/,
    pattern: /(?:__pycache__[/\\])?([^/\\.]{1,100})(?:\.[a-z]{2,10}-?\d{1,4}(?:\.opt-\d)?)?\.py[co]$/,
    replacement: '$1.py',
    reason: 'Python compiles a module beside its source; the name has the version of the interpreter.',
    examples: [
      ['/srv/shop/__pycache__/cart.cpython-311.opt-1.pyc', '/srv/shop/cart.py'],
      ['cart.pyc', 'cart.py'],
    ],
  },
  {
    sign: /gems/,
    pattern: /((?:^|[/\\])bundler[/\\]gems[/\\][^/\\]{1,100})-[0-9a-f]{7,40}(?=[/\\])/,
    replacement: '$1',
    reason: 'Bundler names what it takes from a repository by its commit.',
    examples: [['/srv/bundler/gems/rack-4f2a91bc0d3e/lib/rack.rb', '/srv/bundler/gems/rack/lib/rack.rb']],
  },
  {
    sign: /[/\\][Tt]e?mp[/\\]tmp/,
    pattern: /([/\\][Tt]e?mp[/\\])tmp[a-z0-9_]{8}(?=[./\\]|$)/,
    replacement: '$1tmp',
    reason: 'Temporary files of Python have random names.',
    examples: [['/tmp/tmpab3x9k2q.py', '/tmp/tmp.py']],
  },
  {
    sign: /^\/nix/,
    pattern: /^\/nix\/store\/[0-9a-z]{32}-[^/]{1,100}\//,
    replacement: '',
    reason: 'Nix names what it installs by a hash.',
    examples: [['/nix/store/0a1b2c3d4f5g6h7i8j9k0l1m2n3p4q5r-shop-1.2/lib/cart.rb', 'lib/cart.rb']],
  },
  {
    sign: /execroot/,
    pattern: /^.{0,400}\/execroot\/[^/]{1,100}\/(?:bazel-out\/[^/]{1,100}\/bin\/)?/,
    replacement: '',
    reason: 'Bazel builds below a folder of the user and of the configuration.',
    examples: [['/home/anna/.cache/bazel/execroot/shop/bazel-out/k8-opt/bin/web/cart.py', 'web/cart.py']],
  },
];

/** Matches whenever a `sign` may match; most paths do not. */
const MAY_CHANGE =
  /^(?:[a-z]{2,}:|[.<(]|[/\\]{2}\?|\/nix)|[(|]| line | \+ |[/\\](?:hosted|vendor|Application|Devices|app|gems|execroot|[Tt]e?mp)[/\\]|cargo|rustc|ython|pypy|ruby|\.py[co]$/;

/** Removes the parts of a path that differ between builds, runs or machines. */
export function stablePath(path: string): string {
  if (!MAY_CHANGE.test(path)) return path;
  let rest = path;
  for (const { sign, pattern, replacement } of UNSTABLE_PATHS) {
    if (sign.test(rest)) rest = rest.replace(pattern, replacement);
  }
  return rest;
}
