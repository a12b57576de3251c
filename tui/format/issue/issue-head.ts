import type { EventSummary, IssueDetail, IssueSummary } from '../../../generated/reader-answers.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, levelMeaning, type Span, span, words } from '../../text/line.js';
import { ago, type Clock, clockTime, momentWords } from '../../text/moments.js';
import { cutToCells, neutralise } from '../../text/visible.js';

const DOT = words(' · ', 'muted');
/** Bounds, so that a long level or name does not push the rest off the line. */
const LEVEL_CELLS = 12;
const NAME_CELLS = 32;
const ROUTE_CELLS = 48;
const COMMIT_LENGTH = 12;

type LatestEvent = Pick<EventSummary, 'route' | 'method' | 'status_code' | 'release'> | undefined;

/** Level, service, route and status of the latest event, culprit: `critical · payments · POST /api/v1/payments · 503`. */
export function placeLine({ level, service, culprit }: IssueSummary, latest: LatestEvent, hasCulprit: boolean): Line {
  const route = latest === undefined ? '' : [latest.method ?? '', latest.route].join(' ').trim();
  return joined([
    [span(cutToCells(level, LEVEL_CELLS), levelMeaning(level))],
    service === '' ? [] : [span(cutToCells(service, NAME_CELLS))],
    route === '' ? [] : [span(cutToCells(route, ROUTE_CELLS))],
    latest?.status_code == null ? [] : [span(fullCount(latest.status_code))],
    culprit === null || !hasCulprit ? [] : [span(neutralise(culprit), 'muted')],
  ]);
}

/** Events (how many of them are stored, after sampling, and how many others repeat counted ones), users, first and last seen with their releases. */
export function numbersLine(issue: IssueSummary, latest: LatestEvent, { nowMs }: Clock): Line {
  const { count, sampled, repeated = 0, removed_events: removed, users, first_seen, last_seen } = issue;
  const gone: Line = removed === 0 ? [] : [words(' and '), span(fullCount(removed)), words(' removed')];
  return joined([
    [span(countWithNoun(count, 'event')), ...gone],
    sampled === 0 ? [] : [span(fullCount(count - sampled)), words(' stored')],
    repeated === 0 ? [] : [span(fullCount(repeated)), words(' repeated')],
    users === 0 ? [] : [span(countWithNoun(users, 'user'))],
    [words('first ', 'muted'), span(ago(first_seen, nowMs)), ...inRelease(issue.first_release)],
    [words('last ', 'muted'), span(ago(last_seen, nowMs)), ...inRelease(lastRelease(issue, latest))],
  ]);
}

/** The suspect commit with author and date, not yet neutralised; null without one. */
export function suspectText({ suspect_commit: commit }: Pick<IssueDetail, 'suspect_commit'>): string | null {
  if (commit == null) return null;
  const { id, message, author_name: author, timestamp } = commit;
  const date = timestamp === null ? [] : [`${clockTime(timestamp, 'full')} UTC`];
  return [`${id.slice(0, COMMIT_LENGTH)} ${message}`, ...(author === null ? [] : [author]), ...date].join(', ');
}

/** First and last seen as points in time, events and users in one line: `first 21 Nov 20:28 in v2.3.0     last 20:34`. */
export function seenLine(issue: IssueSummary, latest: LatestEvent, clock: Clock): Line {
  const gap = words('     ');
  const { first_seen, last_seen, count, users } = issue;
  return [
    words('first ', 'muted'),
    span(momentWords(first_seen, clock)),
    ...inRelease(issue.first_release),
    gap,
    words('last ', 'muted'),
    span(momentWords(last_seen, clock)),
    ...inRelease(lastRelease(issue, latest)),
    gap,
    span(countWithNoun(count, 'event')),
    ...(users === 0 ? [] : [gap, span(countWithNoun(users, 'user'))]),
  ];
}

/** First and last seen in two lines with labels of `labelCells`. */
export function seenLines(issue: IssueSummary, latest: LatestEvent, { nowMs }: Clock, labelCells: number): Line[] {
  const { first_seen, last_seen, first_release } = issue;
  const line = (label: string, time: string, release: string | null): Line => [
    words(label.padEnd(labelCells + 1), 'label'),
    span(ago(time, nowMs)),
    ...inRelease(release),
  ];
  return [line('first', first_seen, first_release), line('last', last_seen, lastRelease(issue, latest))];
}

function lastRelease({ last_release }: IssueSummary, latest: LatestEvent): string | null {
  return latest === undefined ? last_release : latest.release;
}

function inRelease(release: string | null): Span[] {
  return release === null ? [] : [words(' in '), span(cutToCells(release, NAME_CELLS))];
}

function joined(items: readonly Line[]): Span[] {
  return items.filter((item) => item.length > 0).flatMap((item, index) => (index === 0 ? [...item] : [DOT, ...item]));
}
