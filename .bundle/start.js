/**
 * The end of dist/main.js; the build replaces the two names. `collect` is one CommonJS file whose compiled code V8 keeps beside it between starts,
 * all other commands are modules. Nothing else may write to that folder, because V8 runs what the kept file says.
 */
const OTHER_USERS_WRITE = 0o022;
/** Of SHA-1. */
const DIGEST_BYTES = 20;

if (process.argv[2] === 'collect') startCollect();
else await import('./bundle/main.js');

function startCollect() {
  // Not imported: an import of these also loads what they load on demand.
  const [{ readFileSync }, { createRequire }, { dirname }, { fileURLToPath }, v8, vm] = [
    'fs',
    'module',
    'path',
    'url',
    'v8',
    'vm',
  ].map((name) => process.getBuiltinModule(name));
  // For plugins: a kept script cannot import.
  globalThis.importModule = (address) => import(address);
  const file = fileURLToPath(new URL('./bundle/collect.cjs', import.meta.url));
  const require = createRequire(file);
  const load = () => {
    const module = { exports: {} };
    globalThis.loadCollect(require, module, module.exports, file);
  };
  // Node reads source maps only for files that it loads itself.
  if (process.sourceMapsEnabled) {
    require(file);
    return load();
  }

  const tag = v8.cachedDataVersionTag();
  const kept = `${file}.${process.version}-${process.arch}-${tag}.cache`;
  const cachedData = ifPossible(() => isOurs(dirname(file)) && withoutDigest(readFileSync(kept))) || undefined;
  // All characters are ASCII.
  const script = new vm.Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
  script.runInThisContext();
  load();
  if (cachedData !== undefined && !script.cachedDataRejected) return;
  // At the end, when the code of a whole run is compiled, and changed flags do no harm. Only `collect` itself listens to SIGHUP.
  process.once('exit', () => process.listenerCount('SIGHUP') > 0 && ifPossible(() => write(script, kept, tag)));
}

/** Writes the kept file, under another name first. V8 takes it only with the flags that it was written with, which `keepHeapTight` changed. */
function write(script, kept, tag) {
  const { renameSync, rmSync, writeFileSync } = process.getBuiltinModule('fs');
  const { dirname } = process.getBuiltinModule('path');
  const v8 = process.getBuiltinModule('v8');
  if (!isOurs(dirname(kept))) return;
  const temporary = `${kept}.${process.pid}.new`;
  v8.setFlagsFromString('--heap-growing-percent=0');
  v8.setFlagsFromString('--semi-space-growth-factor=2');
  v8.setFlagsFromString('--parallel-scavenge');
  v8.setFlagsFromString('--concurrent-marking');
  if (v8.cachedDataVersionTag() !== tag) return;
  try {
    writeFileSync(temporary, withDigest(script.createCachedData()), { flag: 'wx', mode: 0o644, flush: true });
    renameSync(temporary, kept);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** V8 does not notice damaged code, and runs it. */
function withDigest(code) {
  return Buffer.concat([digestOf(code), code]);
}

/** Returns undefined if the code is damaged. */
function withoutDigest(bytes) {
  const code = bytes.subarray(DIGEST_BYTES);
  return digestOf(code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : undefined;
}

function digestOf(code) {
  return process.getBuiltinModule('crypto').createHash('sha1').update(code).digest();
}

/** Whether only the owner, who is root or this user, can write to a folder. */
function isOurs(folder) {
  const { mode, uid } = process.getBuiltinModule('fs').statSync(folder);
  return (mode & OTHER_USERS_WRITE) === 0 && (uid === 0 || uid === process.getuid());
}

/** Returns undefined if a call fails: without the kept code a start only takes longer. */
function ifPossible(call) {
  try {
    return call();
  } catch {
    return undefined;
  }
}
