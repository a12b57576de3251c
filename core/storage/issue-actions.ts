import type { IssueId } from '../event/ids.js';
import type { IssueAction } from '../issues/lifecycle.js';

/** What people did to issues, whoever writes it down. */
export interface ActionSource {
  /** The actions of one issue, oldest first. */
  of(issueId: IssueId): readonly IssueAction[];
  /** The issues that have any. */
  issueIds(): Iterable<IssueId>;
  /** Takes in what somebody else wrote; returns at once where this process is the writer. */
  refresh(): Promise<void>;
}

const NO_ACTIONS: readonly IssueAction[] = [];

/** The actions of a folder in memory, in the process that writes them: they are few. */
export class IssueActions implements ActionSource {
  readonly #byIssue = new Map<IssueId, IssueAction[]>();

  /** Takes what was done to an issue last. */
  add(issueId: IssueId, action: IssueAction): void {
    const actions = this.#byIssue.get(issueId);
    if (actions === undefined) this.#byIssue.set(issueId, [action]);
    else actions.push(action);
  }

  of(issueId: IssueId): readonly IssueAction[] {
    return this.#byIssue.get(issueId) ?? NO_ACTIONS;
  }

  issueIds(): Iterable<IssueId> {
    return this.#byIssue.keys();
  }

  async refresh(): Promise<void> {}
}
