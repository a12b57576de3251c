/**
 * Builds the command (`npm run build`): dist/bundle/ holds it in a few files and dist/main.js starts those.
 * What is imported when it is first needed stays a file of its own, except for `collect`, which is one file (docs/decisions/0036).
 * `--if-changed`, after npm changed the dependencies and before it packs, ends at once if dist/main.js was built from the same sources.
 * An interrupted build leaves the earlier one intact: names of bundled files depend on their contents, every file is renamed into place, and
 * dist/main.js is the last.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

const ROOT = import.meta.dirname;
const DIST = join(ROOT, 'dist');
const BUNDLE = join(DIST, 'bundle');
/** In `BUNDLE`: of generated/common-tokens.ts. */
const COMMON_TOKENS = 'common-tokens.json';
/** What the build reads besides packages. */
const SOURCES = [
  '.bundle',
  '.bundle.mjs',
  'collector',
  'config',
  'core',
  'main.ts',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'tui',
];

const stamp = `// Built from sources ${await hashSources()}\n`;
const builtMain = await readFile(join(DIST, 'main.js'), 'utf8').catch(() => '');
if (process.argv[2] === '--if-changed' && builtMain.includes(stamp)) process.exit();
const { build, transform } = await import('esbuild');
await import('./config/generate-settings.mjs');

const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const options = {
  absWorkingDir: ROOT,
  entryPoints: ['main.ts'],
  entryNames: '[name]-[hash]',
  outdir: BUNDLE,
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Native packages; all others are bundled and are not installed with the command.
  external: Object.keys(dependencies),
  // React's development build is slower and keeps a timing of every draw for ever.
  define: { 'process.env.NODE_ENV': '"production"', 'Intl.Segmenter': 'LightSegmenter' },
  inject: ['.bundle/light-segmenter.js'],
  minifySyntax: true,
  minifyWhitespace: true,
  // For `node --enable-source-maps dist/main.js`, whose stack traces name our sources.
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
  plugins: [
    { name: 'light-start', setup: lightenStart },
    { name: 'module-addresses', setup: keepAddresses },
  ],
};
const modules = await build({
  ...options,
  entryPoints: ['main.ts', 'collector/plugins/testing.ts'],
  splitting: true,
  format: 'esm',
  // CommonJS packages ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module';\nconst require = createBundleRequire(import.meta.url);",
  },
});
// `collect` in one file, whose compiled code V8 can keep.
const collect = await build({
  ...options,
  entryNames: 'collect-[hash]',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  // A kept script cannot import.
  supported: { 'dynamic-import': false },
  define: { ...options.define, 'import.meta.url': 'bundleAddress' },
  // The function around it stands in the file, because adding it at the start copies the text.
  banner: {
    js: "globalThis.loadCollect = (require, module, exports, __filename) => {\nconst bundleAddress = require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '};' },
  external: options.external.filter((name) => name !== 'fs-native-extensions'),
  plugins: [
    { name: 'collect-only', setup: leaveOtherCommands },
    { name: 'load-late', setup: loadLate },
    { name: 'import-plugins', setup: importPlugins },
    ...options.plugins,
  ],
});
const written = Object.entries({ ...modules.metafile.outputs, ...collect.metafile.outputs });
for (const { path, contents } of [...modules.outputFiles, ...collect.outputFiles]) await replaceFile(path, contents);
const [, tokens] = /= (".*");/.exec(await readFile(join(ROOT, 'generated/common-tokens.ts'), 'utf8'));
await replaceFile(join(BUNDLE, COMMON_TOKENS), tokens);
for (const name of ['schema.json', 'default.yaml']) {
  await replaceFile(join(DIST, 'config', name), await readFile(join(ROOT, 'config', name)));
}
// A module of types only, which are copied as they are.
await replaceFile(join(DIST, 'plugin.d.ts'), await readFile(join(ROOT, 'collector/component/plugin.ts')));
await replaceFile(join(DIST, 'plugin.js'), 'export {};\n');
const testing = entryOf(modules, 'collector/plugins/testing.ts');
await replaceFile(join(DIST, 'plugin-testing.js'), `export * from './bundle/${testing}';\n`);
await replaceFile(join(DIST, 'plugin-testing.d.ts'), await typesOfTesting());
await replaceFile(
  join(DIST, 'THIRD-PARTY-LICENSES.txt'),
  await licensesOf(Object.keys({ ...modules.metafile.inputs, ...collect.metafile.inputs })),
);

const earlyStop = await readFile(join(ROOT, 'collector/commands/early-stop.ts'), 'utf8');
const starter = await readFile(join(ROOT, '.bundle/start.js'), 'utf8');
// Nothing is a static import: the whole bundle would be read before anybody listens to signals.
const start = (await transform(earlyStop + starter, { loader: 'ts' })).code
  .replace('main.js', entryOf(modules))
  .replace('collect.cjs', entryOf(collect));
await replaceFile(join(DIST, 'main.js'), `#!/usr/bin/env node\n${stamp}${start}`, 0o755);
await removeEarlier(new Set([COMMON_TOKENS, ...written.map(([path]) => basename(path))]));
await keepCompiled();

/** Returns the file name of what was built from an entry point. */
function entryOf({ metafile }, entry = 'main.ts') {
  return basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)[0]);
}

/** Returns the types of the test kit, which names those of plugins only. */
async function typesOfTesting() {
  const { default: typescript } = await import('typescript');
  const text = await readFile(join(ROOT, 'collector/plugins/testing.ts'), 'utf8');
  const { outputText } = typescript.transpileDeclaration(text, { compilerOptions: { module: 'nodenext' } });
  return outputText.replaceAll('../component/plugin.js', './plugin.js');
}

/** Returns a hash of the names and contents of all sources. */
async function hashSources() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const below = await readdir(join(ROOT, source), { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = below?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) ?? [
      join(ROOT, source),
    ];
    for (const file of files.sort()) {
      hash.update(`\0${relative(ROOT, file)}\0`).update(await readFile(file));
    }
  }
  return hash.digest('hex');
}

/** Writes a file under another name and renames it. */
async function replaceFile(path, contents, mode = 0o644) {
  const temporary = `${path}.${process.pid}.new`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, contents);
  await chmod(temporary, mode);
  await rename(temporary, path);
}

/** Returns the names, versions and license texts of the packages of bundled files. */
async function licensesOf(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'));
    const files = (await readdir(join(ROOT, folder))).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
    const terms = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
    return [`${name} ${version} (${license})`, ...terms.map((text) => text.trim())].join('\n\n');
  });
  const sorted = [...new Set(await Promise.all(texts))].sort();
  return `The bundle contains these packages.\n\n${sorted.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Keeps the address of a module that looks for something beside it: what tsc wrote of ours, the file itself of a package. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /\.([mc]?[jt]s|tsx)$/ }, async ({ path }) => {
    const text = await readFile(path, 'utf8');
    if (!text.includes('import.meta.url')) return undefined;
    const source = /\.(tsx?)$/.exec(path)?.[1];
    const module = source ? join(DIST, relative(ROOT, path)).replace(/tsx?$/, 'js') : path;
    const address = `new URL(${JSON.stringify(relative(BUNDLE, module))}, import.meta.url).href`;
    return { contents: text.replaceAll('import.meta.url', address), loader: source ?? 'js' };
  });
}

/** Takes out of Ink what costs time at the start and is not needed: 71 ms for `fetch`, which Yoga and zstddec would decode their own text with, 50 for widths of emoji. */
function lightenStart({ onLoad, onResolve }) {
  const lightWidth = join(ROOT, '.bundle/light-string-width.js');
  onResolve({ filter: /^string-width$/ }, ({ importer }) =>
    importer === lightWidth ? undefined : { path: lightWidth, namespace: 'light-width' },
  );
  onLoad({ filter: /./, namespace: 'light-width' }, ({ path }) => ({
    contents: `export { stringWidth as default } from ${JSON.stringify(path)};`,
    resolveDir: ROOT,
  }));
  // Connects to React's developer tools where `DEV` says so; they are no dependency of ours.
  onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: 'devtools', namespace: 'nothing' }));
  onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: '' }));
  onLoad({ filter: /(yoga-wasm-base64-esm\.js|zstddec-stream\.mjs)$/ }, async ({ path }) => ({
    contents: `const fetch = undefined, _address = '';\n${(await readFile(path, 'utf8')).replaceAll('import.meta.url', '_address')}`,
  }));
}

/** Leaves all commands but `collect` out; the terminal cannot be CommonJS, because Yoga awaits while it is loaded. */
function leaveOtherCommands({ onLoad, onResolve }) {
  const needed = /\/(tight-heap|collect|usage-sentence|text-output)\.js$/;
  onResolve({ filter: /^\./ }, ({ kind, importer, path }) =>
    kind === 'dynamic-import' && /(^|\/)(main|[\w-]+-commands?)\.ts$/.test(importer) && !needed.test(path)
      ? { path, namespace: 'other-command' }
      : undefined,
  );
  onLoad({ filter: /./, namespace: 'other-command' }, () => ({ contents: '' }));
}

/**
 * Loads what Node has built in when it is first used, if a start without TLS, gRPC calls and profiles does not use it, and finds a native file without a
 * search. Takes out what makes the text long, which every start reads: Express's parsers of bodies, which we do not use, and the tokens of MCP.
 */
function loadLate({ onLoad, onResolve }) {
  onLoad({ filter: /node_modules\/body-parser\/index\.js$/ }, () => ({ contents: 'module.exports = {};' }));
  onResolve({ filter: /\/common-tokens\.js$/ }, ({ path }) => ({ path, namespace: 'late-tokens' }));
  onLoad({ filter: /./, namespace: 'late-tokens' }, () => ({
    contents: `const load = require; module.exports = { get COMMON_TOKENS() { return load('./${COMMON_TOKENS}'); } };`,
  }));
  onResolve({ filter: /^node:(dns|http2|https|inspector\/promises|tls)$/ }, ({ kind, path }) =>
    kind === 'import-statement' ? { path, namespace: 'late' } : undefined,
  );
  onLoad({ filter: /./, namespace: 'late' }, ({ path }) => {
    const names = Object.keys(process.getBuiltinModule(path));
    const getters = names.map((name) => `get ${name}() { return require(${JSON.stringify(path)}).${name}; }`);
    return { contents: `module.exports = { ${getters.join(', ')} };` };
  });
  onLoad({ filter: /fs-native-extensions\/binding\.js$/ }, () => ({
    contents: `const load = require;
      try { module.exports = load(\`fs-native-extensions/prebuilds/\${process.platform}-\${process.arch}/fs-native-extensions.node\`); } catch { module.exports = load('fs-native-extensions/binding.js'); }`,
  }));
}

/** Leaves the import of plugins to dist/main.js, because a kept script cannot import. */
function importPlugins({ onLoad }) {
  onLoad({ filter: /\/load-plugins\.ts$/ }, async ({ path }) => ({
    contents: (await readFile(path, 'utf8')).replace('import(pathToFileURL', 'globalThis.importModule(pathToFileURL'),
    loader: 'ts',
  }));
}

/** Starts and stops the collector over an empty folder, so that the compiled code of this Node is kept. */
async function keepCompiled() {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-build-'));
  const child = spawn(process.execPath, [join(DIST, 'main.js'), 'collect', '--port=0', `--data=${folder}`]);
  child.stdout.once('data', () => child.kill());
  child.stderr.resume();
  await once(child, 'close');
  await rm(folder, { recursive: true });
}

/** Removes what earlier builds wrote; only after the new files are there, because a command may be starting. */
async function removeEarlier(written) {
  for (const name of await readdir(BUNDLE)) {
    if (!written.has(name)) await rm(join(BUNDLE, name), { force: true });
  }
}
