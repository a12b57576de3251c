/**
 * Builds the command (`npm run build`) into dist/, a folder that is also the published package (`npm pack ./dist`): dist/main.js is the command,
 * dist/bundle/ what it loads when it first needs it.
 * `--if-changed` ends at once if dist/main.js was built from the same sources; npm runs it after it changed the dependencies.
 * An interrupted build leaves the earlier one intact: names of bundled files depend on their contents, every file is renamed into place, and
 * dist/main.js is the last.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { glob } from 'tinyglobby';

const ROOT = import.meta.dirname;
const DIST = join(ROOT, 'dist');
/** What the build reads besides packages. */
const SOURCES = ['{collector,config,core,tui}/**', '*.{ts,mjs,json}', 'README.md', 'LICENSE'];
const TESTING_KIT = 'collector/plugins/testing.ts';
/** Installed with the published package, which has all others inside: compiled for each platform, or, of NATS, unable to close a connection when bundled. */
const INSTALLED_PACKAGES = [
  '@lydell/node-pty',
  '@nats-io/jetstream',
  '@nats-io/transport-node',
  '@node-rs/crc32',
  'fs-native-extensions',
  'snappy',
];

const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const stamp = `// Built from sources ${await hashSources()}\n`;
const builtMain = await readFile(join(DIST, 'main.js'), 'utf8').catch(() => '');
if (process.argv[2] === '--if-changed' && builtMain.endsWith(stamp)) process.exit();
await import('./config/generate-settings.mjs');

const { outputFiles, inputs } = await bundle();
const main = outputFiles.find(({ path }) => path === join(DIST, 'main.js'));
for (const { path, contents } of outputFiles) {
  if (path !== main.path) await replaceFile(path, contents);
}
for (const name of ['LICENSE', 'README.md']) await replaceFile(join(DIST, name), await readFile(join(ROOT, name)));
await replaceFile(join(DIST, 'package.json'), `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
// A module of types only, which are copied as they are, with the type of a payload in the place of its import.
const pluginSources = ['generated/payload.ts', 'collector/component/plugin.ts'].map((path) => join(ROOT, path));
const pluginTypes = (await Promise.all(pluginSources.map((path) => readFile(path, 'utf8')))).join('');
await replaceFile(join(DIST, 'plugin.d.ts'), pluginTypes.replaceAll(/^.*generated\/payload\.js';$/gm, ''));
await replaceFile(join(DIST, 'plugin.js'), 'export {};\n');
await replaceFile(join(DIST, 'plugin-testing.d.ts'), await typesOfTestingKit());
await replaceFile(join(DIST, 'THIRD-PARTY-LICENSES.txt'), await licensesOf(inputs));
await replaceFile(main.path, `${main.text}${stamp}`, 0o755);
// Files of earlier builds go last, because a command may be starting.
const written = new Set(outputFiles.map(({ path }) => basename(path)));
for (const name of await readdir(join(DIST, 'bundle'))) {
  if (!written.has(name)) await rm(join(DIST, 'bundle', name), { force: true });
}

async function bundle() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: 'main.ts', 'plugin-testing': TESTING_KIT },
    outdir: DIST,
    chunkNames: 'bundle/[name]-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // React's developer tools are asked for only where DEV=true says that they are installed.
    external: [...INSTALLED_PACKAGES, 'react-devtools-core'],
    define: {
      FAULTLINE_VERSION: JSON.stringify(manifest.version),
      // React's development build is slower and keeps a timing of every draw for ever.
      'process.env.NODE_ENV': '"production"',
    },
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
  });
  return { outputFiles, inputs: Object.keys(metafile.inputs) };
}

/** Returns package.json for those who only run the command. */
function publishedManifest() {
  const { private: _, bin: __, scripts, dependencies, devDependencies, ...described } = manifest;
  return {
    ...described,
    bin: { faultline: 'main.js' },
    exports: {
      './package.json': './package.json',
      './plugin': { types: './plugin.d.ts', default: './plugin.js' },
      './plugin/testing': { types: './plugin-testing.d.ts', default: './plugin-testing.js' },
    },
    files: ['main.js', 'plugin.js', 'plugin-testing.js', '*.d.ts', 'bundle/*.js', 'THIRD-PARTY-LICENSES.txt'],
    dependencies: Object.fromEntries(INSTALLED_PACKAGES.map((name) => [name, dependencies[name]])),
  };
}

/** Returns the types of the test kit, which names those of plugins only. */
async function typesOfTestingKit() {
  const folder = join(DIST, 'types');
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = '--ignoreConfig --module nodenext --types node --declaration --emitDeclarationOnly --noCheck';
  const args = [compiler, ...options.split(' '), '--rootDir', ROOT, '--outDir', folder, join(ROOT, TESTING_KIT)];
  await promisify(execFile)(process.execPath, args);
  const text = await readFile(join(folder, TESTING_KIT.replace(/ts$/, 'd.ts')), 'utf8');
  await rm(folder, { recursive: true });
  return text.replaceAll('../component/plugin.js', './plugin.js');
}

/** Returns a hash of the names and contents of all sources. */
async function hashSources() {
  const hash = createHash('sha256');
  for (const file of (await glob(SOURCES, { cwd: ROOT })).sort()) {
    hash.update(`\0${file}\0`).update(await readFile(join(ROOT, file)));
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
