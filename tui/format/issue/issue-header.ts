import type { IssueSummary } from '../../../generated/reader-answers.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, levelMeaning, type Meaning, type Span, span, words } from '../../text/line.js';
import { ago, clockTime, type Zone } from '../../text/time-words.js';
import { cutToCells, literal, neutralise } from '../../text/visible.js';
import { stateWords } from './state-words.js';

const MARGIN = words(' ');
const DOT = words(' · ', 'muted');
/** Listed names of releases and environments; the rest is counted. */
const MAX_NAMES = 3;
/** Bounds, so that a long level or name does not push the rest off the line. */
const LEVEL_CELLS = 12;
const NAME_CELLS = 32;

/** Level and title, in the colour of the level. */
export function titleLine({ title, level }: IssueSummary): Line {
  return [
    MARGIN,
    span(cutToCells(level, LEVEL_CELLS), levelMeaning(level)),
    words(' '),
    span(neutralise(title), 'strong'),
  ];
}

/** Events (and how many of them are stored, after sampling), users, first and last seen. */
export function numbersLine(issue: IssueSummary, { nowMs, zone }: { nowMs: number; zone: Zone }): Line {
  const { count, sampled, removed_events: removed, users, first_seen, last_seen } = issue;
  const gone: Line = removed === 0 ? [] : [words(' and '), span(fullCount(removed)), words(' removed')];
  return [
    MARGIN,
    ...joined([
      [span(countWithNoun(count, 'event')), ...gone],
      sampled === 0 ? [] : [span(fullCount(count - sampled)), words(' stored')],
      users === 0 ? [] : [span(countWithNoun(users, 'user'))],
      [words('first ', 'muted'), span(clockTime(first_seen, 'full', zone))],
      [words('last ', 'muted'), span(ago(last_seen, nowMs))],
    ]),
  ];
}

/** State, assignee, app and service, environments, releases, culprit. */
export function whereLine(issue: IssueSummary): Line {
  const { app, service, environments, releases, culprit, assignee, merged } = issue;
  return [
    MARGIN,
    ...joined([
      [span(cutToCells(stateWords(issue), NAME_CELLS), stateMeaning(issue))],
      assignee === null ? [] : [words('for ', 'muted'), span(cutToCells(assignee, NAME_CELLS))],
      [span(cutToCells(`${app}/${service}`, NAME_CELLS))],
      named(environments),
      named(releases.toReversed()),
      merged.length === 0 ? [] : [span(literal(`${merged.length} merged`))],
      culprit === null ? [] : [span(neutralise(culprit), 'muted')],
    ]),
  ];
}

function stateMeaning({ status, regressed, is_new, spiking }: IssueSummary): Meaning {
  if (status !== 'open') return status === 'resolved' ? 'good' : 'muted';
  return regressed || spiking ? 'warning' : is_new ? 'info' : 'plain';
}

function named(names: readonly string[]): Line {
  const others = names.length - MAX_NAMES;
  const shown = span(cutToCells(names.slice(0, MAX_NAMES).join(', '), NAME_CELLS));
  if (names.length === 0) return [];
  return others > 0 ? [shown, words(` and ${others} more`, 'muted')] : [shown];
}

function joined(items: readonly Line[]): Span[] {
  return items.filter((item) => item.length > 0).flatMap((item, index) => (index === 0 ? [...item] : [DOT, ...item]));
}
