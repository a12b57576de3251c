import type { IssueSummary } from '../../generated/reader-answers.js';
import { fullCount } from '../text/counts.js';
import { cutToCells } from '../text/visible.js';

/** In sentences of what was done: so that the longest, `Resolved in the next release: "…". u undoes it.`, fits 78 cells. */
export const DONE_TITLE_CELLS = 30;
const TITLE_CELLS = 48;

/** Some issues in a sentence: the title of one, cut to `titleCells` (default 48), the number of many. */
export function describeIssues(issues: readonly IssueSummary[], titleCells = TITLE_CELLS): string {
  const [first] = issues;
  if (issues.length !== 1 || first === undefined) return `${fullCount(issues.length)} issues`;
  return `"${cutToCells(first.title, titleCells)}"`;
}
