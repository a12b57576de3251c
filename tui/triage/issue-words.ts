import type { IssueSummary } from '../../core/reader.js';
import { cutToCells } from '../format/visible.js';

const TITLE_CELLS = 48;

/** Some issues in a sentence: the title of one, the number of many. */
export function issuesInWords(issues: readonly IssueSummary[]): string {
  const [first] = issues;
  if (issues.length !== 1 || first === undefined) return `${issues.length} issues`;
  return `"${cutToCells(first.title, TITLE_CELLS)}"`;
}
