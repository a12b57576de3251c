import type { ActionRequest, IssueDetail } from '../../../generated/reader-answers.js';
import type { FailureReader } from '../../contract/reader.js';
import type { IssueId } from '../../event/ids.js';
import { checkActionRequest } from '../../issues/action-request.js';
import type { IssueActions } from '../actions/action-history.js';
import type { ActionLog, IdentifiedAction, NewAction } from '../actions/action-log.js';
import type { AppendGate } from '../append-gate.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueLifecycles, LifecyclesOf } from '../issue-queries/issue-lifecycles.js';
import { describeIssue, unknownBasis } from '../issue-queries/issue-summary.js';
import { planAction, planSharedAction } from './plan-action.js';

interface IssueActingOptions {
  /** Replaced by a regrouping. */
  readonly index: { readonly content: IndexContent };
  /** Closed during a regrouping, so that an action sees the issues from before or after it. */
  readonly gate: Pick<AppendGate, 'pass'>;
  readonly actions: IssueActions;
  readonly actionLog: Pick<ActionLog, 'append'>;
  readonly reader: Pick<FailureReader, 'getIssue'>;
  readonly lifecycles: LifecyclesOf;
}

/** Appends actions to the log one after the other; each is checked against the result of the previous ones. */
export class IssueActing {
  readonly #options: IssueActingOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: IssueActingOptions) {
    this.#options = options;
  }

  /** The states of the issues now. */
  get lifecycles(): IssueLifecycles {
    return this.#options.lifecycles(this.#options.index.content);
  }

  /** As `FailureActions.act`. */
  async act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    const checked = checkActionRequest(request);
    return await this.#enqueue(async () => {
      await this.#write(planAction(this.lifecycles, issueId, checked));
      return await this.#describe(issueId);
    });
  }

  /** The action that `act` would store now, with what other stores need to find the same state. Faults as `act`. */
  async planAction(issueId: IssueId, request: ActionRequest): Promise<NewAction> {
    const checked = checkActionRequest(request);
    return await this.#enqueue(async () => planSharedAction(this.lifecycles, issueId, checked));
  }

  /** Stores a planned action unless its id is known, also on an issue without events here. Fault `ACTION_TOO_LARGE`, others are retryable. */
  adoptAction(action: IdentifiedAction): Promise<void> {
    return this.#enqueue(async () => {
      if (!this.#options.actions.has(action.id)) await this.#write(action);
    });
  }

  /** Appends an action of Faultline itself; `plan` runs in its turn and may return undefined. */
  actByRule(plan: () => NewAction | undefined): Promise<void> {
    return this.#enqueue(async () => {
      const action = plan();
      if (action !== undefined) await this.#write(action);
    });
  }

  async close(): Promise<void> {
    await this.#last;
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(() => this.#options.gate.pass(work));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #write(action: NewAction | IdentifiedAction): Promise<void> {
    const { actions, actionLog } = this.#options;
    actions.add(await actionLog.append(action));
  }

  /** A stored action must not fail: if no event can be read, only the basis is unknown. */
  async #describe(issueId: IssueId): Promise<IssueDetail> {
    const detail = await this.#options.reader.getIssue(issueId).catch(() => undefined);
    if (detail !== undefined) return detail;
    const issue = this.#options.index.content.issues.get(issueId);
    // Issues are never removed.
    if (issue === undefined) throw new Error(`Issue ${issueId} is gone.`);
    const { lifecycles } = this;
    const [survivor = issue] = lifecycles.membersOf(issue);
    return describeIssue(survivor, unknownBasis(survivor), lifecycles);
  }
}
