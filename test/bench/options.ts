import { parseArgs } from 'node:util';

const GROUPS = ['group', 'peers', 'read', 'scale', 'terminal', 'pipeline', 'fleet'] as const;

/** The measurements of a run. */
export interface BenchOptions {
  /** All groups, or one; only a run of all groups rewrites the page. */
  readonly groups: ReadonlySet<(typeof GROUPS)[number]>;
  /** Whether rows that take minutes are included. */
  readonly isLong: boolean;
}

/** Parses `--only group|peers|read|scale|terminal|pipeline|fleet` and `--long`; throws for other arguments. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string' }, long: { type: 'boolean' } } });
  const groups = GROUPS.filter((group) => values.only === undefined || values.only === group);
  if (groups.length === 0) throw new Error(`--only must be one of ${GROUPS.join(', ')}, not "${values.only}"`);
  return { groups: new Set(groups), isLong: values.long === true };
}

/** Whether a run measures all groups of the page. */
export function hasAllGroups({ groups }: BenchOptions): boolean {
  return groups.size === GROUPS.length;
}
