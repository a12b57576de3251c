import type { IssueSummary } from '../../../generated/reader-answers.js';
import { cellsOf, cutToCells } from '../../text/visible.js';

/** What the rows of a list have to say, so that a column that says the same in every row is not drawn. */
export interface IssueListShape {
  /** Cells of the longest value, counted to `LONGEST`; 0 if it is the same in all rows. */
  readonly service: number;
  readonly owner: number;
  readonly app: number;
  readonly hasUsers: boolean;
  readonly hasEnvironments: boolean;
  readonly hasReleases: boolean;
}

/** Cells beyond which no column grows. */
const LONGEST = 12;

/** The shape of a list without rows. */
export const NO_SHAPE: IssueListShape = {
  service: 0,
  owner: 0,
  app: 0,
  hasUsers: false,
  hasEnvironments: false,
  hasReleases: false,
};

/** Finds what differs between the rows of a list. */
export function shapeOfIssues(issues: readonly IssueSummary[]): IssueListShape {
  return {
    service: cellsOfDiffering(issues.map(({ service }) => service)),
    owner: cellsOfDiffering(issues.map(({ assignee }) => assignee ?? '')),
    app: cellsOfDiffering(issues.map(({ app }) => app)),
    hasUsers: issues.some(({ users }) => users > 0),
    hasEnvironments: cellsOfDiffering(issues.map(({ environments }) => environments[0] ?? '')) > 0,
    hasReleases: cellsOfDiffering(issues.map(latestRelease)) > 0,
  };
}

/** The release that was seen last; empty without one. */
export function latestRelease({ last_release }: Pick<IssueSummary, 'last_release'>): string {
  return last_release ?? '';
}

function cellsOfDiffering(values: readonly string[]): number {
  const distinct = new Set(values);
  if (distinct.size < 2) return 0;
  return Math.max(...[...distinct].map((value) => cellsOf(cutToCells(value, LONGEST))));
}
