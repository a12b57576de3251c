import type { ActionRequest, IssueDetail } from '../../../generated/reader-answers.js';
import type { FailureReader } from '../../contract/reader.js';
import type { IssueId } from '../../event/ids.js';
import { checkActionRequest } from '../../issues/action-request.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IdentifiedAction, NewAction, openActionLog } from '../actions/action-log.js';
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
  readonly actionLog: Pick<Awaited<ReturnType<typeof openActionLog>>, 'append'>;
  readonly reader: Pick<FailureReader, 'getIssue'>;
  readonly lifecycles: LifecyclesOf;
}

export type IssueActing = ReturnType<typeof createIssueActing>;

/** Creates functions that append actions to the log one after the other; each is checked against the result of the previous ones. */
export function createIssueActing({ index, gate, actions, actionLog, reader, lifecycles }: IssueActingOptions) {
  let last: Promise<unknown> = Promise.resolve();

  const now = (): IssueLifecycles => lifecycles(index.content);

  /** A stored action must not fail: if no event can be read, only the basis is unknown. */
  async function describe(issueId: IssueId): Promise<IssueDetail> {
    const detail = await reader.getIssue(issueId).catch(() => undefined);
    if (detail !== undefined) return detail;
    const issue = index.content.issues.get(issueId);
    // Issues are never removed.
    if (issue === undefined) throw new Error(`Issue ${issueId} is gone.`);
    const lives = now();
    const [survivor = issue] = lives.membersOf(issue);
    return describeIssue(survivor, unknownBasis(survivor), lives);
  }

  async function write(action: NewAction | IdentifiedAction): Promise<void> {
    actions.add(await actionLog.append(action));
  }

  function enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(() => gate.pass(work));
    last = done.catch(() => undefined);
    return done;
  }

  return {
    get lifecycles() {
      return now();
    },
    /** As `FailureActions.act`. */
    async act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
      const checked = checkActionRequest(request);
      return await enqueue(async () => {
        await write(planAction(now(), issueId, checked));
        return await describe(issueId);
      });
    },
    /** The action that `act` would store now, with what other stores need to find the same state. Faults as `act`. */
    async planAction(issueId: IssueId, request: ActionRequest): Promise<NewAction> {
      const checked = checkActionRequest(request);
      return await enqueue(async () => planSharedAction(now(), issueId, checked));
    },
    /** Stores a planned action unless its id is known, also on an issue without events here. Fault `ACTION_TOO_LARGE`, others are retryable. */
    adoptAction: (action: IdentifiedAction): Promise<void> =>
      enqueue(async () => {
        if (!actions.has(action.id)) await write(action);
      }),
    /** Appends an action of Faultline itself; `plan` runs in its turn and may return undefined. */
    actByRule: (plan: () => NewAction | undefined): Promise<void> =>
      enqueue(async () => {
        const action = plan();
        if (action !== undefined) await write(action);
      }),
    async close(): Promise<void> {
      await last;
    },
  };
}
