import type { IssueSummary } from '../../generated/reader-answers.js';
import type { Column } from './columns.js';
import { shortCount } from './counts.js';
import { levelMeaning } from './line.js';
import { relativeTime } from './relative-time.js';
import { stateWords } from './state-words.js';

/** The columns of issues with one fingerprint: where it happened, in what state it is there. */
export function relatedColumns(nowMs: number): readonly Column<IssueSummary>[] {
  return [
    { heading: 'APP', cells: 12, from: 100, text: ({ app }) => app },
    { heading: 'SERVICE', cells: (width) => (width < 100 ? 12 : 20), text: ({ service }) => service },
    { heading: 'STATE', cells: (width) => (width < 100 ? 16 : 24), text: stateWords },
    { heading: 'LEVEL', cells: 8, from: 70, text: ({ level }) => level, meaning: ({ level }) => levelMeaning(level) },
    { heading: 'EVENTS', cells: 6, align: 'right', text: ({ count }) => shortCount(count) },
    { heading: 'SEEN', cells: 4, align: 'right', text: ({ last_seen }) => relativeTime(last_seen, nowMs) },
    { heading: 'ENV', cells: 12, from: 120, text: ({ environments }) => environments.join(', ') },
    { heading: 'ISSUE', cells: 'rest', text: ({ title }) => title },
  ];
}
