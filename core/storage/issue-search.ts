import { issueMatcher } from '../query/match-query.js';
import type { QueryNode } from '../query/query-ast.js';
import type { IssueStatus } from '../reader.js';
import type { IndexContent } from './index/index-content.js';
import type { ActionSource } from './issue-actions.js';
import { IssueColumns } from './issue-columns.js';
import { IssueStatuses } from './issue-statuses.js';
import { IssueView } from './issue-view.js';
import { SearchTexts } from './search-texts.js';

/** What makes searching the issues of one index quick; kept from one search to the next. */
export class IssueSearch {
  readonly content: IndexContent;
  /** To be refreshed before each search. */
  readonly columns: IssueColumns;
  readonly #texts: SearchTexts;

  constructor(content: IndexContent) {
    this.content = content;
    this.columns = new IssueColumns(content);
    this.#texts = new SearchTexts(content.issues.inOrder);
  }

  /** Tells by ordinal which issues a query asks for; for one search. */
  matcher(query: QueryNode, actions: ActionSource): (ordinal: number) => boolean {
    const issues = this.content.issues.inOrder;
    const statuses = new IssueStatuses(this.content.issues, actions);
    const statusOf = (ordinal: number): IssueStatus => statuses.valueOf(statuses.codeOf(ordinal));
    const view = new IssueView({ issues, statusOf, searchTexts: this.#texts });
    const matches = issueMatcher<IssueView>(query, {
      holding: (part) => {
        const holds = this.#texts.holding(part);
        return ({ ordinal }) => holds(ordinal);
      },
      coded: (field) => {
        const column = field === 'status' ? statuses : this.columns.coded(field);
        if (column === undefined) return undefined;
        return { codeOf: ({ ordinal }) => column.codeOf(ordinal), valueOf: (code) => column.valueOf(code) };
      },
    });
    return (ordinal) => {
      view.ordinal = ordinal;
      return matches(view);
    };
  }
}
