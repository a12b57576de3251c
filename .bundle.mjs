/**
 * Bundles the command (`npm run build`, after tsc): dist/bundle/ holds it in a few files and dist/main.js starts those.
 * Loading its modules one by one was 38 to 45 % of the CPU time of the collector's start.
 * What is imported when it is first needed stays a file of its own.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';

const ROOT = import.meta.dirname;
const DIST = join(ROOT, 'dist');
const BUNDLE = join(DIST, 'bundle');

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ['main.ts'],
  outdir: BUNDLE,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Native, or big and loaded only by those who need them. CommonJS that we import dynamically has no names once bundled.
  external: ['@lydell/node-pty', '@node-rs/crc32', 'express', 'fs-native-extensions', 'protobufjs', 'snappy'],
  // React's development build is slower and keeps a timing of every draw for ever.
  define: { 'process.env.NODE_ENV': '"production"', 'Intl.Segmenter': 'LightSegmenter' },
  inject: ['.bundle/light-segmenter.js'],
  minifySyntax: true,
  minifyWhitespace: true,

  // CommonJS packages ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module';\nconst require = createBundleRequire(import.meta.url);",
  },
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
// Not a static import: the whole bundle would be read before anybody listens to signals.
await writeFile(
  join(DIST, 'main.js'),
  "#!/usr/bin/env node\nimport './collector/commands/early-stop.js';\nawait import('./bundle/main.js');\n",
);
await removeEarlier(new Set(Object.keys(metafile.outputs).map((path) => basename(path))));

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
