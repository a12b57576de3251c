import { parseArgs } from 'node:util';

const PARTS = ['group', 'ingest', 'read', 'scale', 'terminal', 'pipeline'] as const;

/** What one run measures. */
export interface BenchOptions {
  /** Everything, or one part; only a run of everything rewrites the page. */
  readonly parts: ReadonlySet<(typeof PARTS)[number]>;
  /** Whether ten minutes of steady load, an hour of it under the terminal, a backend that is down and slow connections are run too. */
  readonly isLong: boolean;
}

/** Reads `--only group|ingest|read|scale|terminal|pipeline` and `--long`; throws for anything else. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string' }, long: { type: 'boolean' } } });
  const only = PARTS.filter((part) => values.only === undefined || values.only === part);
  if (only.length === 0) throw new Error(`--only takes one of ${PARTS.join(', ')}, not "${values.only}"`);
  return { parts: new Set(only), isLong: values.long === true };
}

/** Whether a run measures everything that the page shows. */
export function isWhole({ parts }: BenchOptions): boolean {
  return parts.size === PARTS.length;
}
