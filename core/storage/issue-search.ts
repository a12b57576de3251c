import { foldLifecycle } from '../issues/lifecycle.js';
import { issueMatcher } from '../query/match-query.js';
import type { QueryNode } from '../query/query-ast.js';
import type { IssueStatus } from '../reader.js';
import type { IndexContent } from './index/index-content.js';
import type { ActionSource } from './issue-actions.js';
import { IssueColumns } from './issue-columns.js';
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
    const view = new IssueView({ issues, statusOf: this.#statusOf(actions), searchTexts: this.#texts });
    const matches = issueMatcher<IssueView>(query, {
      holding: (part) => {
        const holds = this.#texts.holding(part);
        return ({ ordinal }) => holds(ordinal);
      },
      coded: (field) => {
        const column = this.columns.coded(field);
        if (column === undefined) return undefined;
        return { codeOf: ({ ordinal }) => column.codeOf(ordinal), valueOf: (code) => column.valueOf(code) };
      },
    });
    return (ordinal) => {
      view.ordinal = ordinal;
      return matches(view);
    };
  }

  /** Most issues never see an action: those that did are looked up once, not all the others. */
  #statusOf(actions: ActionSource): (ordinal: number) => IssueStatus {
    const { issues } = this.content;
    let acted: Set<number | undefined> | undefined;
    return (ordinal) => {
      acted ??= new Set([...actions.issueIds()].map((issueId) => issues.get(issueId)?.ordinal));
      const issue = acted.has(ordinal) ? issues.inOrder[ordinal] : undefined;
      return issue === undefined ? 'open' : foldLifecycle(actions.of(issue.issueId), issue.lastReceivedAtMicros).status;
    };
  }
}
