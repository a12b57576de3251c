import { eventsOf } from '../../../../core/storage/index/content/find-events.js';
import type { IndexContent } from '../../../../core/storage/index/content/index-content.js';
import type { IssueState } from '../../../../core/storage/index/content/issue-state.js';
import type { MemoryRecord } from './memory-record.js';

/** The content of an index, independent of its segments. */
export interface IndexState {
  readonly events: number;
  readonly lastReceivedAtMicros: number;
  readonly issues: readonly (Omit<IssueState, 'lastSegment'> & { readonly locations: readonly string[] })[];
}

/** Returns the content of an index, with the locations of the events of each issue, newest first. */
export async function stateOf(content: IndexContent): Promise<IndexState> {
  const issues: IndexState['issues'][number][] = [];
  for (const issue of content.issues.inOrder) {
    const { lastSegment: _, ...rest } = issue;
    const locations: string[] = [];
    for await (const row of eventsOf(content, issue)) {
      locations.push(
        `${row.receivedAtMicros} ${row.partition.folder} ${row.line} ${row.offset} ${row.bytes}${weightSuffix(row.weight)}`,
      );
    }
    issues.push({ ...rest, locations });
  }
  return { events: content.segments.events, lastReceivedAtMicros: content.lastReceivedAtMicros, issues };
}

function weightSuffix(weight: number): string {
  return weight === 1 ? '' : ` x${weight}`;
}

/** Returns the locations of all events of a record, newest first, in the form of `stateOf`. */
export function locationsIn(record: MemoryRecord): string[] {
  return record.commits
    .flatMap(({ receivedAtMicros, events }) =>
      events.map(({ partition, line, offset, bytes, rawLine }) => {
        const { extra } = JSON.parse(rawLine.toString('utf8'));
        const weight = 1 + (extra?.faultline?.sampled ?? 0);
        return `${receivedAtMicros} ${partition.folder} ${line} ${offset} ${bytes}${weightSuffix(weight)}`;
      }),
    )
    .reverse();
}
