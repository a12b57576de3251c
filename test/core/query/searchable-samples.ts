import type { EventId, FingerprintValue, IssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { normalize } from '../../../core/normalize/normalize.js';
import { eventMatcher, issueMatcher } from '../../../core/query/match-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import type { QuerySubject } from '../../../core/query/query-fields.js';
import { type SearchableEvent, type SearchableIssue, searchTextOf } from '../../../core/query/searchable.js';
import { serverPayload } from '../../helpers/payloads.js';

const ISSUE_ID = '3f2504e0-4f89-51d3-9a0c-0305e82c3301' as IssueId;
const FINGERPRINT = '0123456789abcdef0123456789abcdef' as FingerprintValue;

/** An issue as queries read it. */
export function sampleIssue(changes: Partial<SearchableIssue> = {}): SearchableIssue {
  const issue = {
    issueId: ISSUE_ID,
    fingerprint: FINGERPRINT,
    app: 'shop',
    service: 'api',
    title: 'FetchError: cart <number> timed out',
    errorName: 'FetchError',
    message: 'Cart 17 timed out',
    level: 'error',
    type: 'exception',
    culprit: 'loadCart (cart.js)',
    status: 'open',
    isRegressed: false,
    isNew: true,
    isSpiking: false,
    isMerged: false,
    assignee: null,
    count: 120,
    firstSeenMs: Date.UTC(2026, 10, 1, 12),
    lastSeenMs: Date.UTC(2026, 10, 21, 9, 30),
    environments: ['production', 'staging'],
    releases: ['v1.0.0', 'v1.1.0'],
    firstRelease: 'v1.0.0',
    regressedIn: null,
    ...changes,
  } satisfies Omit<SearchableIssue, 'searchText'>;
  return { searchText: searchTextOf([issue.title, issue.errorName, issue.message]), ...issue };
}

/** The time of the query: 2026-11-21 10:00 UTC. */
export const NOW_MS = Date.UTC(2026, 10, 21, 10);

/** An event as queries read it. */
export function sampleEvent(changes: Partial<RawPayload> = {}, issue: Partial<SearchableIssue> = {}): SearchableEvent {
  const receipt = {
    eventId: '01979f3e-8c00-7000-8000-000000000001' as EventId,
    fingerprint: FINGERPRINT,
    receivedAtMicros: 1_780_000_000_000_000,
  };
  return {
    normalized: normalize(serverPayload(changes), receipt).event,
    others: [],
    receivedAtMicros: receipt.receivedAtMicros,
    issue: sampleIssue({ title: 'ValidationError: quantity <number>', ...issue }),
  };
}

/** Whether a query for issues matches the sample issue with these changes. */
export function issueMatches(query: string, changes = {}): boolean {
  return issueMatcher(parseQuery(query, 'issues'), NOW_MS)(sampleIssue(changes));
}

/** Whether a query for events matches the sample event with these changes. */
export function eventMatches(query: string, changes = {}, issue = {}): boolean {
  return eventMatcher(parseQuery(query, 'events'), NOW_MS)(sampleEvent(changes, issue));
}

/** The fault of an invalid query. */
export function faultOf(query: string, subject: QuerySubject = 'issues'): QueryFault {
  try {
    parseQuery(query, subject);
  } catch (error) {
    if (error instanceof QueryFault) return error;
    throw error;
  }
  throw new Error(`"${query}" was understood`);
}
