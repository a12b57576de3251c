import type { ActionRequest, IssueDetail } from '../../../generated/reader-answers.js';
import type { FailureReader } from '../../contract/reader.js';
import type { IssueId } from '../../event/ids.js';
import { checkActionRequest } from '../../issues/action-request.js';
import type { IssueActions } from '../actions/action-history.js';
import type { ActionLog } from '../actions/action-log.js';
import type { NewAction } from '../actions/action-record.js';
import type { IndexContent } from '../index/content/index-content.js';
import { IssueLifecycles } from '../issue-queries/issue-lifecycles.js';
import { describeIssue, unknownBasis } from '../issue-queries/issue-summary.js';
import { MergedView } from '../issue-queries/merged-issues.js';
import type { AppendGate } from '../regroup/store-groupings.js';
import { planAction } from './plan-action.js';

/** What acting works on. */
export interface IssueActingOptions {
  /** What is shown now; another one after a regrouping. */
  readonly index: { readonly content: IndexContent };
  /** Held while issues are regrouped: what is done to them is judged by those from before or those from after. */
  readonly gate: Pick<AppendGate, 'pass'>;
  readonly actions: IssueActions;
  readonly actionLog: Pick<ActionLog, 'append'>;
  readonly reader: Pick<FailureReader, 'getIssue'>;
  /** Wall clock in milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** Writes down what is done to issues, one action after the other, so that each is judged by what those before it made of the issues. */
export class IssueActing {
  readonly #options: IssueActingOptions;
  readonly #merged: MergedView;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: IssueActingOptions) {
    this.#options = options;
    this.#merged = new MergedView(options.actions);
  }

  /** As they are now. */
  get lifecycles(): IssueLifecycles {
    const { actions, nowMs } = this.#options;
    const { content } = this.#options.index;
    return new IssueLifecycles(content.issues, actions, this.#merged.current(content), nowMs());
  }

  /** As `FailureActions.act`. */
  async act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    const checked = checkActionRequest(request);
    return this.#enqueue(async () => {
      await this.#write(planAction(this.lifecycles, issueId, checked));
      return this.#describe(issueId);
    });
  }

  /** Writes down what Faultline itself does; nothing where `plan` finds, when its turn has come, that there is nothing to do any more. */
  actByRule(plan: () => NewAction | undefined): Promise<void> {
    return this.#enqueue(async () => {
      const action = plan();
      if (action !== undefined) await this.#write(action);
    });
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#last;
  }

  /** What was written down must not be answered as a failure, also where no event can be read: then the basis alone is missing. */
  async #describe(issueId: IssueId): Promise<IssueDetail> {
    const { index, reader } = this.#options;
    const issue = index.content.issues.get(issueId);
    try {
      const detail = await reader.getIssue(issueId);
      if (detail !== undefined) return detail;
    } catch (error) {
      if (issue === undefined) throw error;
    }
    // Issues do not go away.
    if (issue === undefined) throw new Error(`Issue ${issueId} is gone.`);
    const { lifecycles } = this;
    const [survivor = issue] = lifecycles.membersOf(issue);
    return describeIssue(survivor, unknownBasis(survivor), lifecycles);
  }

  async #write(action: NewAction): Promise<void> {
    const { actions, actionLog } = this.#options;
    actions.add(await actionLog.append(action));
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(() => this.#options.gate.pass(work));
    this.#last = done.catch(() => undefined);
    return done;
  }
}
