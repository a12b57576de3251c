import type { IssueStatus } from '../../generated/reader-answers.js';
import type { FingerprintValue, IssueId } from '../event/ids.js';
import type { NormalizedEvent } from '../event/normalized-event.js';
import type { RawPayload } from '../event/raw-payload.js';

/** The values of an issue that queries can test. */
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
  /** Event time, rounded down. */
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  /** Release of the first event; empty if it has none. */
  readonly firstRelease: string;
  readonly regressedIn: string | null;
  /** From `searchTextOf`; read only if a query has bare words. */
  readonly searchText: string;
}

/** The values of an event and its issue that queries can test. */
export interface SearchableEvent {
  /** With what the other reports of its occurrence know. */
  readonly normalized: NormalizedEvent;
  /** These reports. */
  readonly others: readonly RawPayload[];
  readonly receivedAtMicros: number;
  readonly issue: SearchableIssue;
}

/** Separates the texts of a search text, so that no word matches across two of them. */
export const SEARCH_TEXT_SEPARATOR = '\0';

/** The text that bare words are searched in, in lower case. */
export function searchTextOf(texts: readonly string[]): string {
  return texts.join(SEARCH_TEXT_SEPARATOR).toLowerCase();
}
