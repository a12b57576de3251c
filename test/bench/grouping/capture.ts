import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Captured, capturesFile } from './captures.js';
import { LANGUAGES } from './languages.js';
import { HALVES, laterRelease, type Program, readPrograms } from './program.js';

/** Programs that are built and run at the same time. */
const CONCURRENCY = 2;
/** Only ends a program that hangs. */
const TIMEOUT_MS = 60_000;
/** Where the programs seem to be installed. */
const INSTALLED = '/srv/app';
const PYTHON_LIBRARY = /"\/[^"\n]*(?=\/lib\/python3)/g;

interface Ended {
  readonly exitCode: number;
  readonly stderr: string;
}

async function run([command = '', ...args]: readonly string[], cwd: string, env: Program['env']): Promise<Ended> {
  const { RUST_BACKTRACE: _, ...own } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { ...own, LC_ALL: 'C.UTF-8', NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? -1, stderr }));
  });
}

/** Replaces paths of this machine; throws if one is left. */
function withoutMachine(text: string, folder: string): string {
  const replaced = text.replaceAll(folder, INSTALLED).replaceAll(PYTHON_LIBRARY, '"/usr/local');
  for (const path of [`${homedir()}/`, process.cwd(), folder])
    if (replaced.includes(path)) throw new Error(`a path under ${path} is left in an output`);
  return replaced;
}

/** Builds both releases of a program and runs its cases, each run on one of the releases in turn. */
async function capture(program: Program, folder: string): Promise<Captured[]> {
  const { half, language, name, file, source, env, cases } = program;
  const { build, start } = LANGUAGES[language] ?? {};
  if (start === undefined) throw new Error(`no language ${language}`);
  const releases = [source, laterRelease(program)].map((text, index) => {
    const path = join(folder, `${language}-${name}-${index + 1}`);
    mkdirSync(path);
    writeFileSync(join(path, file), text);
    return path;
  });
  const [command = '', ...args] = build?.(file, name) ?? [];
  if (command !== '') for (const cwd of releases) await promisify(execFile)(command, args, { cwd });
  const captured: Captured[] = [];
  for (const { label, runs } of cases)
    for (const [index, words] of runs.entries()) {
      const release = 1 + (index % releases.length);
      const path = releases[release - 1] ?? '';
      const { exitCode, stderr } = await run([...start(file, name, source), ...words], path, env);
      // The data of a held-out run stays out of this message.
      if (exitCode <= 0) throw new Error(`${half}/${label}: run ${index + 1} ended with ${exitCode}`);
      captured.push({ label, half, language, release, exitCode, stderr: withoutMachine(stderr, path) });
    }
  return captured;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-grouping-'));
  try {
    for (const half of HALVES) {
      const programs = readPrograms(half);
      const found = new Map<Program, Captured[]>();
      const waiting = [...programs];
      const work = async (): Promise<void> => {
        for (let program = waiting.shift(); program !== undefined; program = waiting.shift())
          found.set(program, await capture(program, mkdtempSync(join(folder, 'program-'))));
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
      const all = programs.flatMap((program) => found.get(program) ?? []);
      writeFileSync(capturesFile(half), all.map((one) => `${JSON.stringify(one)}\n`).join(''));
      process.stdout.write(`${half}: ${programs.length} programs, ${all.length} failures\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
