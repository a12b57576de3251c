import type { FailureReader } from '../../core/contract/reader.js';
import type { EventId, IssueId } from '../../core/event/ids.js';
import { printValue } from '../../core/query/print-query.js';
import type { EventSummary, IssueDetail, IssueSummary } from '../../generated/reader-answers.js';
import { findLinked, type Linked, NEAR_MINUTES, timesAround } from './related-events.js';

/** An issue that has something in common with another one. */
export interface RelatedIssue extends IssueSummary {
  /** How many of the newest events share a request, trace or session with it; undefined in other groups. */
  readonly together?: number;
}

/** Issues that have one thing in common with another one. */
export interface RelatedGroup {
  readonly heading: string;
  /** A time that ends the heading. */
  readonly at?: string;
  readonly issues: readonly RelatedIssue[];
}

/** The issues that are related to one. */
export interface RelatedIssues {
  /** The closest relation first; groups without issues stay. */
  readonly groups: readonly RelatedGroup[];
  /** Whether an event has the id of a request, trace or session. */
  readonly hasLinks: boolean;
  readonly isComplete: boolean;
}

const LIST = new Intl.ListFormat('en-GB');
/** Events whose requests, traces and sessions are searched. */
const NEWEST_EVENTS = 50;
const MAX_ISSUES = 20;
/** Fingerprints of a merged issue that are searched. */
const MAX_FINGERPRINTS = 32;
/** UTF-16 units of a title in a query. */
const MAX_TITLE_LENGTH = 2_000;

/** Finds issues with events of the same requests, the same fingerprint, message or start. */
export async function findRelatedIssues(reader: FailureReader, issue: IssueDetail): Promise<RelatedIssues> {
  const { issue_id: issueId } = issue;
  const list = async (query: string): Promise<readonly RelatedIssue[]> =>
    (await reader.listIssues({ query: `-issue_id:${issueId} ${query}`, limit: MAX_ISSUES })).issues;
  const newest = (await reader.listEvents(issueId, { limit: NEWEST_EVENTS }))?.events ?? [];
  const spike = issue.spiking ? issue.automatic_history.findLast(({ kind }) => kind === 'spike_began') : undefined;
  const at = spike?.at ?? issue.first_seen;
  const fingerprints = `fingerprint:[${issue.fingerprints.slice(0, MAX_FINGERPRINTS).join(', ')}]`;
  const title = `title:${printValue(issue.title, 'text')}`;
  const [linked, same, alike, began] = await Promise.all([
    findLinked(reader, newest, issueId),
    list(fingerprints),
    title.length > MAX_TITLE_LENGTH ? [] : list(`-${fingerprints} ${title}`),
    list(`first_seen:${timesAround(at)}`),
  ]);
  const sharing = eventsShared(linked, newest);
  const most = [...sharing].sort(([, one], [, other]) => other.size - one.size).slice(0, MAX_ISSUES);
  const found = most.length === 0 ? [] : await list(`issue_id:[${most.map(([id]) => id).join(', ')}]`);
  const together = found.map((one) => ({ ...one, together: sharing.get(one.issue_id)?.size ?? 0 }));
  const listed = new Set([...together, ...same, ...alike].map(({ issue_id }) => issue_id));
  const links = linked.filter(({ ids }) => ids.length > 0).map(({ name }) => `${name}s`);
  const searched = newest.length === 1 ? 'the newest event' : `the ${newest.length} newest events`;
  return {
    groups: [
      {
        heading: `In the same ${LIST.format(links) || 'requests'} as ${searched}`,
        issues: together.sort((one, other) => other.together - one.together),
      },
      { heading: 'Same fingerprint in another service', issues: same },
      { heading: 'Same message, other values', issues: alike },
      {
        heading: `Began within ${NEAR_MINUTES} minutes of the ${spike === undefined ? 'first event' : 'spike'} at `,
        at,
        issues: began.filter(({ issue_id }) => !listed.has(issue_id)),
      },
    ],
    hasLinks: links.length > 0,
    isComplete: linked.every(({ isComplete }) => isComplete),
  };
}

/** By issue: which of the newest events share an id with it. */
function eventsShared(linked: readonly Linked[], newest: readonly EventSummary[]): Map<IssueId, Set<EventId>> {
  const sharing = new Map<IssueId, Set<EventId>>();
  for (const { idOf, events } of linked) {
    for (const event of events) {
      const shared = sharing.get(event.issue_id) ?? new Set();
      for (const own of newest) if (idOf(own) === idOf(event)) shared.add(own.event_id);
      if (shared.size > 0) sharing.set(event.issue_id, shared);
    }
  }
  return sharing;
}
