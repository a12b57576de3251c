import { runProgram } from './run-program.js';

interface StoreSize {
  readonly events: number;
  readonly issues: number;
}

/** A data folder of the size that the performance targets assume. */
export interface FilledStore extends StoreSize {
  readonly directory: string;
  /** Ids of some events, spread over the history. */
  readonly eventIds: readonly string[];
  /** Issues with about ten events each, in different segments. */
  readonly rareIssues: readonly string[];
  /** The issue of every twentieth event. */
  readonly frequentIssue: string;
}

/** FAULTLINE_BENCH_EVENTS, default 1,000,000, and FAULTLINE_BENCH_ISSUES, default a tenth of it. */
function configuredSize(): StoreSize {
  const events = Number(process.env['FAULTLINE_BENCH_EVENTS'] ?? 1_000_000);
  return { events, issues: Number(process.env['FAULTLINE_BENCH_ISSUES'] ?? events / 10) };
}

/** Fills a folder in a child process. */
export async function fillStore(
  directory: string,
  { events, issues }: StoreSize = configuredSize(),
): Promise<FilledStore> {
  const { eventIds, rareIssues, frequentIssue } = await runProgram('fill-store', [directory, `${events}`, `${issues}`]);
  return {
    directory,
    events,
    issues,
    eventIds: texts(eventIds),
    rareIssues: texts(rareIssues),
    frequentIssue: String(frequentIssue),
  };
}

/** Formats the size for names of rows. */
export function sizeOf({ events, issues }: FilledStore): string {
  return `${events.toLocaleString('en')} events, ${issues.toLocaleString('en')} issues`;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
