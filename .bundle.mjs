/**
 * Builds the command (`npm run build`): dist/bundle/ holds it in a few files and dist/main.js starts those.
 * What is imported when it is first needed stays a file of its own.
 * `--if-changed`, after npm changed the dependencies and before it packs, ends at once if dist/main.js was built from the same sources.
 * An interrupted build leaves the earlier one intact: names of bundled files depend on their contents, every file is renamed into place, and
 * dist/main.js is the last.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const ROOT = import.meta.dirname;
const DIST = join(ROOT, 'dist');
const BUNDLE = join(DIST, 'bundle');
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
const { outputFiles, metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ['main.ts', 'collector/plugins/testing.ts'],
  entryNames: '[name]-[hash]',
  outdir: BUNDLE,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Native packages; all others are bundled and are not installed with the command.
  external: Object.keys(dependencies),
  // React's development build is slower and keeps a timing of every draw for ever.
  define: { 'process.env.NODE_ENV': '"production"', 'Intl.Segmenter': 'LightSegmenter' },
  inject: ['.bundle/light-segmenter.js'],
  // CommonJS packages ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module';\nconst require = createBundleRequire(import.meta.url);",
  },
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
});
for (const { path, contents } of outputFiles) await replaceFile(path, contents);
for (const name of ['schema.json', 'default.yaml']) {
  await replaceFile(join(DIST, 'config', name), await readFile(join(ROOT, 'config', name)));
}
// A module of types only, which are copied as they are.
await replaceFile(join(DIST, 'plugin.d.ts'), await readFile(join(ROOT, 'collector/component/plugin.ts')));
await replaceFile(join(DIST, 'plugin.js'), 'export {};\n');
await replaceFile(
  join(DIST, 'plugin-testing.js'),
  `export * from './bundle/${entryOf('collector/plugins/testing.ts')}';\n`,
);
await replaceFile(join(DIST, 'plugin-testing.d.ts'), await typesOfTesting());
await replaceFile(join(DIST, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(Object.keys(metafile.inputs)));

const earlySignals = await readFile(join(ROOT, 'collector/commands/early-signals.ts'), 'utf8');
const { code } = await transform(earlySignals, { loader: 'ts' });
// Not a static import: the whole bundle would be read before anybody listens to signals.
const start = `${code}await import('./bundle/${entryOf('main.ts')}');\n`;
await replaceFile(join(DIST, 'main.js'), `#!/usr/bin/env node\n${stamp}${start}`, 0o755);
await removeEarlier(new Set(outputFiles.map(({ path }) => basename(path))));

/** Returns the file name of what was built from an entry point. */
function entryOf(source) {
  return basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source)[0]);
}

/** Returns the types of the test kit, which names those of plugins only. */
async function typesOfTesting() {
  const source = 'collector/plugins/testing.ts';
  const folder = await mkdtemp(join(tmpdir(), 'faultline-types-'));
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const format = ['--module', 'nodenext', '--declaration', '--emitDeclarationOnly', '--noCheck'];
    const places = ['--ignoreConfig', '--types', 'node', '--rootDir', ROOT, '--outDir', folder];
    await promisify(execFile)(process.execPath, [compiler, ...format, ...places, join(ROOT, source)]);
    const text = await readFile(join(folder, source.replace(/ts$/, 'd.ts')), 'utf8');
    return text.replaceAll('../component/plugin.js', './plugin.js');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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

/** Removes what earlier builds wrote; only after the new files are there, because a command may be starting. */
async function removeEarlier(written) {
  for (const name of await readdir(BUNDLE)) {
    if (!written.has(name)) await rm(join(BUNDLE, name), { force: true });
  }
}
