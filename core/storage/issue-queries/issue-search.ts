import { issueMatcher } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import type { TextPattern } from '../../query/text-pattern.js';
import { ReadBufferPool } from '../events/read-buffer-pool.js';
import type { IndexContent } from '../index/content/index-content.js';
import { IssueColumns } from './issue-columns.js';
import { IssueView } from './issue-view.js';
import { SearchTexts } from './search-text.js';
import type { IssueStatuses } from './status-column.js';

/** What makes searching the issues of one index quick; kept from one search to the next. */
export class IssueSearch {
  readonly content: IndexContent;
  /** To be refreshed before each search. */
  readonly columns: IssueColumns;
  /** For raw lines. */
  readonly buffers = new ReadBufferPool();
  readonly #texts: SearchTexts;

  constructor(content: IndexContent) {
    this.content = content;
    this.columns = new IssueColumns(content);
    this.#texts = new SearchTexts(content.issues.inOrder);
  }

  /** Tells by ordinal which issues a query asks for; for one search. */
  matcher(query: QueryNode, statuses: IssueStatuses): (ordinal: number) => boolean {
    const { nowMs } = statuses.lifecycles;
    const view = this.view(statuses);
    const holding = (part: string) => {
      const holds = this.#texts.holding(part);
      return ({ ordinal }: IssueView) => holds(ordinal);
    };
    const coded = (field: string) => {
      const column = field === 'status' ? statuses : this.columns.coded(field);
      if (column === undefined) return undefined;
      return {
        codeOf: ({ ordinal }: IssueView) => column.codeOf(ordinal),
        valueOf: (code: number) => column.valueOf(code),
      };
    };
    const numbers = (field: string) => {
      const column = this.columns.numbers(field);
      return column && (({ ordinal }: IssueView) => column[ordinal] ?? 0);
    };
    const matches = issueMatcher<IssueView>(query, nowMs, { holding, coded, numbers });
    return (ordinal) => {
      view.ordinal = ordinal;
      return matches(view);
    };
  }

  /** Tells by ordinal which issues have a title that matches, themselves, not as they are shown. */
  titleMatcher(pattern: TextPattern): (ordinal: number) => boolean {
    return this.#texts.titleMatcher(pattern);
  }

  /** To be turned to one issue after the other. */
  view(statuses: IssueStatuses): IssueView {
    return new IssueView(statuses, this.#texts);
  }
}
