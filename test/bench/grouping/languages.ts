/** How programs of a language are compiled and started; commands run in the folder of the source. */
interface Language {
  /** Suffix of its source files. */
  readonly suffix: string;
  /** Compiles one program; undefined for interpreted languages. */
  build?(file: string, name: string): readonly string[];
  /** The words before the arguments of a program. */
  start(file: string, name: string, source: string): readonly string[];
}

const PACKAGE = /^package ([\w.]+);/m;

/** The languages of the corpus by the name of their folder. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  python: { suffix: '.py', start: (file) => ['python3', file] },
  go: {
    suffix: '.go',
    build: (file, name) => ['go', 'build', '-o', name, file],
    start: (_, name) => [`./${name}`],
  },
  java: {
    suffix: '.java',
    build: (file) => ['javac', '-d', '.', file],
    start: (_, name, source) => [
      ...['java', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', '-cp', '.'],
      `${PACKAGE.exec(source)?.[1]}.${name}`,
    ],
  },
  node: { suffix: '.mjs', start: (file) => ['node', file] },
  rust: {
    suffix: '.rs',
    build: (file, name) => ['rustc', '--edition=2021', '-g', '-o', name, file],
    start: (_, name) => [`./${name}`],
  },
};
