import { foldLifecycle } from '../issues/lifecycle.js';
import type { IssueStatus } from '../reader.js';
import type { IssueTable } from './index/issue-table.js';
import type { ActionSource } from './issue-actions.js';

/** By code. Most issues never see an action, and are open. */
const STATUSES: readonly IssueStatus[] = ['open', 'resolved', 'ignored'];
const OPEN = 0;
/** Of an issue with actions that was not asked for yet. */
const NOT_FOLDED = 255;

/** The status of each issue as a number, for one search: only issues with actions are looked at, each once. */
export class IssueStatuses {
  readonly #issues: IssueTable;
  readonly #actions: ActionSource;
  /** By ordinal; made when the first one is asked for. */
  #codes: Uint8Array | undefined;

  constructor(issues: IssueTable, actions: ActionSource) {
    this.#issues = issues;
    this.#actions = actions;
  }

  codeOf(ordinal: number): number {
    this.#codes ??= this.#findActed();
    const code = this.#codes[ordinal] ?? OPEN;
    return code === NOT_FOLDED ? this.#fold(this.#codes, ordinal) : code;
  }

  valueOf(code: number): IssueStatus {
    return STATUSES[code] ?? 'open';
  }

  #findActed(): Uint8Array {
    const codes = new Uint8Array(this.#issues.inOrder.length).fill(OPEN);
    for (const issueId of this.#actions.issueIds()) {
      const issue = this.#issues.get(issueId);
      if (issue !== undefined) codes[issue.ordinal] = NOT_FOLDED;
    }
    return codes;
  }

  #fold(codes: Uint8Array, ordinal: number): number {
    const issue = this.#issues.inOrder[ordinal];
    if (issue === undefined) return OPEN;
    const { status } = foldLifecycle(this.#actions.of(issue.issueId), issue.lastReceivedAtMicros);
    const code = STATUSES.indexOf(status);
    codes[ordinal] = code;
    return code;
  }
}
