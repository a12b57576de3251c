import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Programs that run what they find in a package, by name: its name says more than theirs. */
const PACKAGE_RUNNERS = new Set(['node', 'nodejs', 'npm', 'npx', 'yarn', 'pnpm', 'bun', 'deno', 'tsx', 'ts-node']);
/** Programs that run a script; names with a version, as `python3.12`, count too. */
const INTERPRETERS = new Set([
  ...PACKAGE_RUNNERS,
  ...['python', 'ruby', 'php', 'perl', 'bash', 'dash', 'sh', 'zsh', 'elixir', 'dotnet'],
]);
const EXTENSION = /\.(?:[cm]?[jt]sx?|py|rb|php|pl|sh|exs?|exe|dll|jar)$/i;

/**
 * What a command is called: the package in the working folder for Node and its kin, the script of an interpreter, the module of `python -m`,
 * the jar of `java -jar`, else the program itself.
 */
export function programName(command: readonly string[], packageName: string | undefined): string {
  const [file = '', ...words] = command;
  const program = bareName(file) || file;
  const unversioned = program.replace(/[\d.]{1,10}$/, '') || program;
  if (PACKAGE_RUNNERS.has(unversioned) && packageName !== undefined) return packageName;
  const [first, second] = words;
  const isNamed = (first === '-m' && unversioned === 'python') || (first === '-jar' && unversioned === 'java');
  if (isNamed && second !== undefined) return bareName(second) || program;
  if (!INTERPRETERS.has(unversioned)) return program;
  // A word behind an option may be that option's value; only a script that comes first is one for sure.
  const script = first !== undefined && !first.startsWith('-') ? first : undefined;
  return script === undefined ? program : bareName(script) || program;
}

function bareName(path: string): string {
  return basename(path).replace(EXTENSION, '');
}

/** The name in a folder's package.json, without its scope; undefined when there is none that can be read. */
export async function readPackageName(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const name = typeof manifest === 'object' && manifest !== null && 'name' in manifest ? manifest.name : undefined;
    return typeof name === 'string' ? name.replace(/^@[^/]{0,214}\//, '') || undefined : undefined;
  } catch {
    return undefined;
  }
}
