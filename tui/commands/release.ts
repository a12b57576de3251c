import { printable } from '../../config/values/printable.js';
import type { FailureReader, FailureReleases, ReleaseChange } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { formatTimestamp, parseTimestamp } from '../../core/normalize/timestamp.js';
import type { ReleaseDetail, ReleaseHealth, ReleaseSummary, Timestamp } from '../../generated/reader-answers.js';
import type { Column } from '../text/columns.js';
import { fullCount } from '../text/counts.js';
import { clockTime } from '../text/moments.js';
import { neutralise } from '../text/visible.js';
import { printTable } from './print-table.js';
import { checkLimit, type PrintingOptions, runPrinting } from './printing-command.js';
import { print, printJson } from './text-output.js';

/** Parses a time that was typed; throws `ARGUMENT_INVALID`. */
export function parseTime(typed: string): Timestamp {
  const parsed = parseTimestamp(typed);
  if (parsed !== undefined) return formatTimestamp(parsed);
  throw new Fault('ARGUMENT_INVALID', `"${typed}" is not a time such as 2026-11-21T10:00:00Z.`);
}

/** Records changes of a release and prints it. Returns the exit code. */
export function runRecord(
  options: Omit<PrintingOptions, 'reader'> & {
    readonly open: () => Promise<FailureReader & FailureReleases>;
    /** The changes; called first, so that a wrong call opens nothing. */
    readonly plan: () => Promise<readonly ReleaseChange[]>;
  },
): Promise<number> {
  const { open, plan, json, stdout } = options;
  return runPrinting(options, async () => {
    const changes = await plan();
    const store = await open();
    try {
      for (const [index, change] of changes.entries()) {
        const release = await store.recordRelease(change);
        if (index < changes.length - 1) continue;
        if (json) await printJson(stdout, release);
        else await print(stdout, `${summaryLines(release).join('\n')}\n`);
      }
    } finally {
      await store.close();
    }
  });
}

/** Prints the releases. Returns the exit code. */
export function runReleases(options: PrintingOptions & { readonly limit: number }): Promise<number> {
  const { reader, limit, json, env, stdout, stderr } = options;
  return runPrinting(options, async () => {
    checkLimit(limit);
    const listed = await reader.listReleases({ limit });
    if (json) await printJson(stdout, listed);
    else if (listed.releases.length > 0) await printTable(stdout, env, COLUMNS, listed.releases);
    else await print(stderr, 'No releases.\n');
    const more = listed.total - listed.releases.length;
    if (!json && more > 0) await print(stderr, `${listed.releases.length} shown; --limit shows more.\n`);
  });
}

/** Prints one release. Returns the exit code. */
export function runRelease(options: PrintingOptions & { readonly name: string }): Promise<number> {
  const { reader, name, json, stdout } = options;
  return runPrinting(options, async () => {
    const release = await reader.getRelease(name);
    if (release === undefined) throw new Fault('RELEASE_NOT_FOUND', `Release ${name} does not exist.`);
    if (json) await printJson(stdout, release);
    else await print(stdout, `${[...summaryLines(release), ...detailLines(release)].join('\n')}\n`);
  });
}

const COLUMNS: readonly Column<ReleaseSummary>[] = [
  { heading: 'RELEASE', cells: 'rest', text: ({ name }) => printable(name) },
  { heading: 'FIRST SEEN', cells: 14, text: ({ first_seen: at }) => timeWords(at) },
  { heading: 'CREATED', cells: 14, text: ({ created_at: at }) => timeWords(at) },
  { heading: 'RELEASED', cells: 14, text: ({ released_at: at }) => timeWords(at) },
  { heading: 'DEPLOYED TO', cells: 20, from: 110, text: deployedTo },
  { heading: 'EVENTS', cells: 8, align: 'right', text: ({ events }) => fullCount(events) },
  { heading: 'CRASH-FREE', cells: 10, align: 'right', text: ({ health }) => share(health?.crash_free_sessions) },
];

function deployedTo({ deploys }: ReleaseSummary): string {
  return [...new Set(deploys.map(({ environment }) => environment))].join(', ');
}

function summaryLines(release: ReleaseSummary): string[] {
  const { name, created_at, released_at, first_seen, last_seen, url, events, commits, deploys, health } = release;
  const facts: (readonly [string, string])[] = [
    ['created', timeWords(created_at)],
    ['released', timeWords(released_at)],
    ['events', first_seen === null ? '0' : `${fullCount(events)}, ${seenWords(first_seen, last_seen)}`],
    ['commits', fullCount(commits)],
    ['deploys', deploys.length === 0 ? '0' : `${deploys.length}, to ${deployedTo(release)}`],
    ['sessions', health === null ? '0' : healthWords(health)],
    ...(url === null ? [] : [['url', url] as const]),
  ];
  return [neutralise(printable(name)), ...facts.map(([label, value]) => `  ${label.padEnd(9)} ${neutralise(value)}`)];
}

function detailLines({ deploys, health, commit_list: commits }: ReleaseDetail): string[] {
  return [
    ...deploys.map(({ environment, name, finished_at, started_at }) => {
      return `  deploy    ${timeWords(finished_at ?? started_at)}  ${[environment, name ?? ''].map(neutralise).join('  ')}`;
    }),
    ...(health?.environments ?? []).map((one) => `  ${neutralise(one.environment)}: ${countWords(one)}`),
    ...commits.map(({ id, message, author_name: author, timestamp }) => {
      return `  ${[id.slice(0, 10), timeWords(timestamp), author ?? '-', message].map(neutralise).join('  ')}`;
    }),
  ];
}

function seenWords(first: Timestamp, last: Timestamp | null): string {
  return last === null ? `since ${timeWords(first)}` : `from ${timeWords(first)} to ${timeWords(last)}`;
}

function healthWords(health: ReleaseHealth): string {
  const users = health.crash_free_users === null ? '' : `, ${share(health.crash_free_users)} of users`;
  return `${countWords(health)}; crash-free ${share(health.crash_free_sessions)}${users}`;
}

function countWords(health: Pick<ReleaseHealth, 'sessions' | 'errored' | 'crashed' | 'abnormal'>): string {
  const counts = (['errored', 'crashed', 'abnormal'] as const).map((kind) => `${fullCount(health[kind])} ${kind}`);
  return `${fullCount(health.sessions)} (${counts.join(', ')})`;
}

function share(percent: number | null | undefined): string {
  return percent === null || percent === undefined ? '-' : `${percent.toFixed(2)} %`;
}

function timeWords(time: Timestamp | null): string {
  return time === null ? '-' : clockTime(time, 'short');
}
