import type { IssueSummary } from '../../generated/reader-answers.js';
import { fullCount } from '../text/counts.js';
import { cutToCells } from '../text/visible.js';

/** Cells of a title in a notice; the longest notice, `Resolved in the next release: "…". u undoes.`, fits 78. */
export const DONE_TITLE_CELLS = 30;
const TITLE_CELLS = 48;

/** Names issues in a sentence: the title of one, cut to `titleCells` (default 48), or the number of several. */
export function describeIssues(issues: readonly IssueSummary[], titleCells = TITLE_CELLS): string {
  const [first] = issues;
  if (issues.length !== 1 || first === undefined) return `${fullCount(issues.length)} issues`;
  return `"${cutToCells(first.title, titleCells)}"`;
}
