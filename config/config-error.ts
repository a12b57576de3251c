import { printable } from './values/printable.js';

/** Lines of a kind in the message of a ConfigError; its `problems` hold all. */
const MAX_SHOWN = 100;
const MAX_PART_LENGTH = 400;

/** One thing that is wrong with the configuration, and where it was written. */
export interface ConfigProblem {
  /** Name of the file, or `--set a.b.c` without its value. */
  source: string;
  /** One-based line in the file, from `yaml/parse-yaml.ts` or `check/place-faults.ts`; absent for a `--set` and for a file that could not be read. */
  line?: number;
  /** One-based column in UTF-16 code units; present when `line` is. */
  column?: number;
  /** Dotted key, for example `receivers.events.endpoint`; empty for the configuration as a whole. */
  key: string;
  /** One sentence: what was expected and what was found. */
  message: string;
  /** What was probably meant; absent when nothing is close. */
  suggestion?: string;
}

/** The configuration cannot be used (code `CONFIG_INVALID`); lists every problem, in the order in which they were written. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly ConfigProblem[];
  /** What is doubtful but no error; often the cause of a problem, for example an unset environment variable. */
  readonly warnings: readonly string[];

  constructor(problems: readonly ConfigProblem[], warnings: readonly string[] = []) {
    super(
      [
        'invalid configuration:',
        ...limited(problems.map(formatProblem)),
        ...limited(warnings.map((text) => `warning: ${text}`)),
      ].join('\n  '),
    );
    this.name = 'ConfigError';
    this.problems = problems;
    this.warnings = warnings;
  }
}

/** One problem on one line, safe for a terminal: `file:line:column: dotted.key: sentence; did you mean "…"?`. */
export function formatProblem(problem: ConfigProblem): string {
  const key = problem.key === '' ? '' : `${truncated(problem.key)}: `;
  const suggestion = problem.suggestion === undefined ? '' : `; did you mean "${problem.suggestion}"?`;
  return printable(`${formatPosition(problem)}: ${key}${problem.message}${suggestion}`);
}

/** `file:line:column`, or the source alone without a line. */
export function formatPosition({ source, line, column }: Pick<ConfigProblem, 'source' | 'line' | 'column'>): string {
  return line === undefined ? truncated(source) : `${truncated(source)}:${line}:${column}`;
}

function truncated(text: string): string {
  return text.length > MAX_PART_LENGTH ? `${text.slice(0, MAX_PART_LENGTH)}…` : text;
}

function limited(lines: readonly string[]): string[] {
  const rest = lines.length - MAX_SHOWN;
  return rest > 0 ? [...lines.slice(0, MAX_SHOWN), `and ${rest} more`] : [...lines];
}
