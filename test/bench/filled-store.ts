import { runProgram } from './run-program.js';

interface StoreSize {
  readonly events: number;
  readonly issues: number;
}

/** A data folder of the size that promises are made for. */
export interface FilledStore extends StoreSize {
  readonly directory: string;
  /** Ids of some events, spread over the whole history. */
  readonly eventIds: readonly string[];
  /** Issues with about ten events each, which lie far apart. */
  readonly rareIssues: readonly string[];
  /** The issue of every twentieth event. */
  readonly frequentIssue: string;
}

/** FAULTLINE_BENCH_EVENTS and FAULTLINE_BENCH_ISSUES, 1,000,000 and a tenth as many by default. */
function askedSize(): StoreSize {
  const events = Number(process.env['FAULTLINE_BENCH_EVENTS'] ?? 1_000_000);
  return { events, issues: Number(process.env['FAULTLINE_BENCH_ISSUES'] ?? events / 10) };
}

/** Fills a folder, in a process of its own; by default as large as the environment asks for. */
export async function fillStore(directory: string, { events, issues }: StoreSize = askedSize()): Promise<FilledStore> {
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

/** The size in words, for names of rows. */
export function sizeOf({ events, issues }: FilledStore): string {
  return `${events.toLocaleString('en')} events, ${issues.toLocaleString('en')} issues`;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
