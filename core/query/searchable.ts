import type { IssueStatus } from '../../generated/reader-answers.js';
import type { FingerprintValue, IssueId } from '../event/ids.js';
import type { NormalizedEvent } from '../event/normalized-event.js';

/** What a query can ask of an issue. */
export interface SearchableIssue {
  readonly issueId: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly app: string;
  readonly service: string;
  readonly title: string;
  readonly culprit: string | null;
  readonly errorName: string;
  readonly message: string;
  readonly level: string;
  readonly type: string;
  readonly status: IssueStatus;
  readonly isRegressed: boolean;
  readonly isNew: boolean;
  readonly isSpiking: boolean;
  readonly isMerged: boolean;
  readonly assignee: string | null;
  readonly count: number;
  /** Event time of the earliest event, milliseconds since the epoch, rounded down. */
  readonly firstSeenMs: number;
  /** Event time of the latest event. */
  readonly lastSeenMs: number;
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  /** What bare words look at, from `searchTextOf`; read only when a query holds one. */
  readonly searchText: string;
}

/** What a query can ask of an event: of itself and of its issue. */
export interface SearchableEvent {
  readonly normalized: NormalizedEvent;
  /** Microseconds since the epoch. */
  readonly receivedAtMicros: number;
  readonly issue: SearchableIssue;
}

/** Parts the texts of a search text, so that no word is found across two of them. */
export const SEARCH_TEXT_SEPARATOR = '\0';

/** Everything that bare words look at, in lower case. */
export function searchTextOf(texts: readonly string[]): string {
  return texts.join(SEARCH_TEXT_SEPARATOR).toLowerCase();
}
