import type { IssueSummary } from '../../core/reader.js';
import type { Column } from './columns.js';
import { shortCount } from './counts.js';
import { levelMeaning, type Meaning } from './line.js';
import { relativeTime } from './relative-time.js';

/** The signs before an issue's level, as the `?` screen explains them. */
export const ISSUE_SIGNS = { regressed: '!', resolved: '✓', ignored: '-', open: ' ' } as const;

/** The columns of the issue list. */
export function issueColumns(nowMs: number): readonly Column<IssueSummary>[] {
  return [
    { heading: '', cells: 1, text: (issue) => ISSUE_SIGNS[signOf(issue)], meaning: signMeaning },
    { heading: 'LEVEL', cells: 8, text: ({ level }) => level, meaning: ({ level }) => levelMeaning(level) },
    { heading: 'ISSUE', cells: 'rest', text: ({ title }) => title },
    { heading: 'COUNT', cells: 5, align: 'right', text: ({ count }) => shortCount(count) },
    { heading: 'SEEN', cells: 4, align: 'right', text: ({ last_seen }) => relativeTime(last_seen, nowMs) },
    { heading: 'AGE', cells: 4, align: 'right', from: 110, text: ({ first_seen }) => relativeTime(first_seen, nowMs) },
    { heading: 'APP', cells: 12, from: 120, text: ({ app }) => app },
    { heading: 'SERVICE', cells: (width) => (width < 100 ? 8 : 12), from: 70, text: ({ service }) => service },
    { heading: 'ENV', cells: 12, from: 80, text: ({ environments }) => firstOf(environments) },
    { heading: 'RELEASE', cells: 12, from: 130, text: ({ releases }) => firstOf(releases.toReversed()) },
  ];
}

function signOf({ status, regressed }: IssueSummary): keyof typeof ISSUE_SIGNS {
  return status === 'open' && regressed ? 'regressed' : status;
}

function signMeaning(issue: IssueSummary): Meaning {
  return signOf(issue) === 'regressed' ? 'warning' : 'muted';
}

/** The first name and how many there are besides. */
function firstOf(names: readonly string[]): string {
  const [first = '', ...others] = names;
  return others.length === 0 ? first : `${first}+${others.length}`;
}
