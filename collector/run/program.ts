import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';

/** Programs that run a package: its name identifies the service better than theirs. */
const PACKAGE_RUNNERS = new Set(['node', 'nodejs', 'npm', 'npx', 'yarn', 'pnpm', 'bun', 'deno', 'tsx', 'ts-node']);
/** Programs that run a script, also with a version in the name, such as `python3.12`. */
const INTERPRETERS = new Set([
  ...PACKAGE_RUNNERS,
  'python',
  'ruby',
  'php',
  'perl',
  'bash',
  'dash',
  'sh',
  'zsh',
  'elixir',
  'dotnet',
]);
const EXTENSION = /\.(?:[cm]?[jt]sx?|py|rb|php|pl|sh|exs?|exe|dll|jar)$/i;

/** Names a command: the package for Node and similar, the script of an interpreter, the module of `python -m`, the jar, else the program. */
export function programName(command: readonly string[], packageName: string | undefined): string {
  const [file = '', first, second] = command;
  const program = bareName(file) || file;
  const unversioned = program.replace(/[\d.]{1,10}$/, '') || program;
  if (PACKAGE_RUNNERS.has(unversioned) && packageName !== undefined) return packageName;
  const isNamed = (first === '-m' && unversioned === 'python') || (first === '-jar' && unversioned === 'java');
  if (isNamed && second !== undefined) return bareName(second) || program;
  // An argument after an option may be its value; only a first argument is certainly a script.
  if (!INTERPRETERS.has(unversioned) || first === undefined || first.startsWith('-')) return program;
  return bareName(first) || program;
}

function bareName(path: string): string {
  return basename(path).replace(EXTENSION, '');
}

/** The name in a folder's package.json without its scope; undefined if the file is missing or invalid. */
export async function readPackageName(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const name = typeof manifest === 'object' && manifest !== null && 'name' in manifest ? manifest.name : undefined;
    return typeof name === 'string' ? name.replace(/^@[^/]{0,214}\//, '') || undefined : undefined;
  } catch {
    return undefined;
  }
}

/** Why a program cannot be started, with the exit code of a shell. */
export interface ProgramProblem {
  readonly exitCode: 126 | 127;
  readonly reason: string;
}

/** Finds a program as `execvp` does: a name with a slash is a path, others are searched on PATH. Returns undefined if it can be executed. */
export async function checkProgram(program: string, path: string | undefined): Promise<ProgramProblem | undefined> {
  if (program === '') return { exitCode: 127, reason: 'the command is empty' };
  const isPath = program.includes('/');
  const candidates = isPath
    ? [program]
    : (path ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter).map((folder) => join(folder || '.', program));
  let exists = false;
  for (const candidate of candidates) {
    const state = await checkFile(candidate);
    if (state === 'executable') return undefined;
    exists ||= state === 'not_executable';
  }
  if (exists) return { exitCode: 126, reason: `${program} is not executable` };
  return { exitCode: 127, reason: isPath ? `${program}: no such file` : `${program}: command not found` };
}

async function checkFile(file: string): Promise<'executable' | 'not_executable' | 'missing'> {
  try {
    if ((await stat(file)).isDirectory()) return 'not_executable';
  } catch {
    return 'missing';
  }
  return await access(file, constants.X_OK).then(
    () => 'executable',
    () => 'not_executable',
  );
}
