import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Folder of the programs, one folder for each language. */
export const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));

/** How the programs of a language are built and started. */
interface Language {
  /** The programs that must be installed; the first one starts an interpreted program. */
  readonly needs: readonly [string, ...string[]];
  /** Whether its programs start fast enough for `npm run test:system`. */
  readonly isQuick: boolean;
  /** Commands that build all programs of the language; `BUILT` stands for the folder of what they build. */
  readonly build: readonly (readonly string[])[];
  /** The words before the arguments of a program; `BUILT` as above. */
  start(file: string): readonly string[];
}

/** Stands for the folder of built programs in the commands of this table. */
const BUILT = '<built>';

function interpreted(program: string, isQuick = true): Language {
  return { needs: [program], isQuick, build: [], start: (file) => [program, file] };
}

function compiled(needs: Language['needs'], build: Language['build']): Language {
  return { needs, isQuick: false, build, start: (file) => [join(BUILT, file)] };
}

const SANITIZE = ['-g', '-fno-omit-frame-pointer', '-fsanitize=address,undefined'];

/** The languages by the name of their folder. Commands run in the folder of the language. */
export const LANGUAGES = {
  python: interpreted('python3'),
  node: interpreted('node'),
  perl: interpreted('perl'),
  bash: interpreted('bash'),
  ruby: interpreted('ruby'),
  php: interpreted('php'),
  lua: interpreted('lua5.4'),
  elixir: interpreted('elixir', false),
  erlang: interpreted('escript', false),
  go: compiled(
    ['go'],
    [
      ['go', 'build', '-o', BUILT, 'panics.go'],
      ['go', 'build', '-o', BUILT, 'reports.go'],
    ],
  ),
  java: {
    needs: ['java', 'javac'],
    isQuick: false,
    build: [['javac', '-d', BUILT, 'Shop.java']],
    start: (file) => ['java', '-ea', '-cp', BUILT, file],
  },
  rust: compiled(['rustc'], [['rustc', '--edition=2021', '-g', '-o', join(BUILT, 'panics'), 'panics.rs']]),
  c: compiled(
    ['gcc'],
    [
      ['gcc', '-g', '-fstack-protector-all', '-o', join(BUILT, 'crashes'), 'crashes.c'],
      ['gcc', ...SANITIZE, '-o', join(BUILT, 'sanitized'), 'sanitized.c'],
    ],
  ),
  cpp: compiled(
    ['g++'],
    [
      ['g++', '-g', '-D_GLIBCXX_ASSERTIONS', '-pthread', '-o', join(BUILT, 'crashes'), 'crashes.cpp'],
      ['g++', ...SANITIZE, '-o', join(BUILT, 'sanitized'), 'sanitized.cpp'],
    ],
  ),
} as const satisfies Record<string, Language>;

/** Name of a language in the table. */
export type LanguageName = keyof typeof LANGUAGES;

/** Returns which of the programs that a language needs are missing here. */
export async function missingPrograms(language: LanguageName): Promise<string[]> {
  const missing: string[] = [];
  for (const program of LANGUAGES[language].needs)
    await promisify(execFile)('sh', ['-c', `command -v ${program}`]).catch(() => missing.push(program));
  return missing;
}

/** Builds the programs of a language into a folder. Rejects with the compiler's output. */
export async function buildPrograms(language: LanguageName, built: string): Promise<void> {
  for (const command of LANGUAGES[language].build) {
    const [program = '', ...words] = command.map((word) => word.replace(BUILT, built));
    await promisify(execFile)(program, words, { cwd: join(PROGRAMS, language) });
  }
}

/** Returns the words that start a program of a language. */
export function startOf(language: LanguageName, file: string, built: string): string[] {
  return LANGUAGES[language].start(file).map((word) => word.replace(BUILT, built));
}
