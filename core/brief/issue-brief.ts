import type { EventDetail, IssueDetail } from '../../generated/reader-answers.js';
import { shownValue } from '../explain/explained-line.js';
import { type Brief, type BriefOptions, type BriefSection, composeBrief } from './brief.js';
import { briefLine, eventSections, pairLine } from './event-brief.js';
import type { BriefLine } from './fit-text.js';
import { issueFacts } from './list-brief.js';

/** One issue in at most `maxTokens`: its latest event, counts and times, releases, suspect commit, why its events are one issue, comments. */
export function issueBrief(issue: IssueDetail, event: EventDetail | undefined, options: BriefOptions): Brief {
  const { issue_id: id } = issue;
  const part = { facts: 0, issue: 1, event: 2 };
  const facts = [`# Issue ${id}`, ...issueFacts(issue, options.nowMs), ...eventFacts(event)];
  const sections: BriefSection[] = [
    { name: 'facts', part: part.facts, lines: facts.map(briefLine) },
    { name: 'fields of the issue', part: part.issue, share: 0.2, lines: issueLines(issue) },
    ...(event === undefined ? [] : eventSections(event, part.event)),
    {
      name: 'grouping parts',
      part: part.issue,
      share: 0.1,
      title: 'One issue because of:',
      lines: groupingLines(issue),
    },
    { name: 'comments', part: part.issue, share: 0.1, title: 'Comments, newest first:', lines: commentLines(issue) },
  ];
  return composeBrief(
    {
      parts: [{ from: 'server' }, { from: 'event' }, { from: 'event', origin: event?.origin ?? null }],
      sections,
      next: `Events: faultline events ${id}`,
    },
    options,
  );
}

function eventFacts(event: EventDetail | undefined): string[] {
  return event === undefined
    ? ['Retention removed all its events.']
    : [`Event shown: ${event.event_id}, ${event.normalized.timestamp.slice(0, 19)}Z.`];
}

function issueLines(issue: IssueDetail): BriefLine[] {
  const { suspect_commit: commit } = issue;
  const blame =
    commit && `${commit.id} ${commit.timestamp?.slice(0, 10) ?? ''} ${commit.author_name ?? ''}: ${commit.message}`;
  const place = commit && `${commit.path}${commit.line === null ? '' : `:${commit.line}`}`;
  const pairs: readonly (readonly [string, string | null | undefined])[] = [
    ['title', issue.title],
    ['culprit', issue.culprit],
    ['app', issue.app],
    ['service', issue.service],
    ['environments', issue.environments.join(', ')],
    ['first release', issue.first_release ?? issue.releases[0]],
    ['last release', issue.last_release ?? issue.releases.at(-1)],
    ['releases', issue.releases.join(', ')],
    ['suspect commit', blame],
    ['suspect line', place],
    ['assignee', issue.assignee],
    ['resolved in', issue.resolved_in],
  ];
  return pairs.flatMap(([name, value]) => (value == null || value === '' ? [] : [pairLine(name, value)]));
}

function groupingLines({ basis }: IssueDetail): BriefLine[] {
  return [
    pairLine('case', basis.rule),
    ...basis.parts.filter(({ used }) => used).map(({ part, value }) => pairLine(part, shownValue(value))),
  ];
}

function commentLines({ history }: IssueDetail): BriefLine[] {
  const comments = history.filter(({ action, undone, detail }) => action === 'comment' && !undone && detail !== null);
  return comments.reverse().map(({ at, actor, detail }) => pairLine(`${at.slice(0, 16)} ${actor ?? ''}`, detail ?? ''));
}
