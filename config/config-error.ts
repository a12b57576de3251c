import { printable } from './values/printable.js';

/** Problems, and warnings, in the message of a ConfigError; the rest is only counted. */
const MAX_SHOWN = 100;
const MAX_PART_LENGTH = 400;

/** One problem of the configuration, with its position. */
export interface ConfigProblem {
  /** Name of the file, or `--set a.b.c` without its value. */
  source: string;
  /** One-based, from `yaml/parse-yaml.ts` or `check/locate-faults.ts`; absent for a `--set` and for a file that cannot be read. */
  line?: number;
  /** One-based, in UTF-16 code units; present if `line` is. */
  column?: number;
  /** Dotted key, for example `receivers.events.endpoint`; empty for the configuration as a whole. */
  key: string;
  /** One sentence: what was expected and what was found. */
  message: string;
  /** The value that was probably meant; absent if none is similar. */
  suggestion?: string | undefined;
}

/** The configuration is invalid (code `CONFIG_INVALID`); lists every problem in the order of the sources. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly ConfigProblem[];
  /** Often the cause of a problem, for example an unset environment variable. */
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

/** The problem on one line, safe for a terminal: `file:line:column: dotted.key: sentence; did you mean "…"?`. */
export function formatProblem(problem: ConfigProblem): string {
  const key = problem.key === '' ? '' : `${truncated(problem.key)}: `;
  const suggestion = problem.suggestion === undefined ? '' : `; did you mean "${problem.suggestion}"?`;
  return printable(`${formatPosition(problem)}: ${key}${problem.message}${suggestion}`);
}

/** `file:line:column`, or only the source if the line is unknown. */
export function formatPosition({ source, line, column }: Pick<ConfigProblem, 'source' | 'line' | 'column'>): string {
  return line === undefined ? truncated(source) : `${truncated(source)}:${line}:${column}`;
}

function truncated(text: string): string {
  return text.length > MAX_PART_LENGTH ? `${text.slice(0, MAX_PART_LENGTH).toWellFormed()}…` : text;
}

function limited(lines: readonly string[]): string[] {
  const rest = lines.length - MAX_SHOWN;
  return rest > 0 ? [...lines.slice(0, MAX_SHOWN), `and ${rest} more`] : [...lines];
}
