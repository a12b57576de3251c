import { eventsOf } from '../../../../core/storage/index/content/find-events.js';
import type { IndexContent } from '../../../../core/storage/index/content/index-content.js';
import type { IssueState } from '../../../../core/storage/index/content/issue-state.js';
import { usersOf } from '../../../../core/storage/index/content/user-sketch.js';
import type { MemoryRecord } from './memory-record.js';

/** What an index says, without how its segments happen to be cut. */
export interface IndexState {
  readonly events: number;
  readonly lastReceivedAtMicros: number;
  readonly issues: readonly (Omit<IssueState, 'lastSegment'> & { readonly places: readonly string[] })[];
}

/** Everything that an index says, the events of every issue included, newest first. */
export async function stateOf(content: IndexContent): Promise<IndexState> {
  const issues: IndexState['issues'][number][] = [];
  for (const issue of content.issues.inOrder) {
    const { lastSegment: _, ...rest } = issue;
    const { title, culprit, message } = issue;
    const places: string[] = [];
    for await (const { row } of eventsOf(content, issue)) {
      places.push(
        `${row.receivedAtMicros} ${row.partition.folder} ${row.line} ${row.offset} ${row.bytes}${timesOf(row.weight)}`,
      );
    }
    issues.push({ ...rest, title, culprit, message, users: usersOf(issue), places });
  }
  return { events: content.segments.events, lastReceivedAtMicros: content.lastReceivedAtMicros, issues };
}

function timesOf(weight: number): string {
  return weight === 1 ? '' : ` x${weight}`;
}

/** Places of all events of a record, newest first, as `stateOf` writes them. */
export function placesIn(record: MemoryRecord): string[] {
  return record.commits
    .flatMap(({ receivedAtMicros, events }) =>
      events.map(({ partition, line, offset, bytes, rawLine }) => {
        const { extra } = JSON.parse(rawLine.toString('utf8'));
        const weight = 1 + (extra?.faultline?.sampled ?? 0);
        return `${receivedAtMicros} ${partition.folder} ${line} ${offset} ${bytes}${timesOf(weight)}`;
      }),
    )
    .reverse();
}
