import { LRUCache } from 'lru-cache';
import type { ActionRequest, IssueDetail } from '../../generated/reader-answers.js';
import type { FailureActions } from '../contract/reader.js';
import { Fault, messageOf } from '../event/fault.js';
import type { IssueId } from '../event/ids.js';
import { mergeDetails } from './merge-issues.js';
import { canAct, type SourceReader } from './source.js';
import type { SourceGroup, SourceResult } from './source-group.js';
import type { SourceLink } from './source-link.js';

interface ActionStep {
  readonly link: SourceLink;
  readonly request: ActionRequest;
}

interface SourceAction {
  readonly link: SourceLink;
  readonly actionId: string;
}

const MAX_ACTIONS = 1_000;

/**
 * Acts on an issue in every writable source that has it, one after the other; `merge` and `split` in those that have all
 * named issues, `undo` in all sources of the original action. Returns the merged issue. Throws faults of the sources,
 * `SOURCE_READ_ONLY` and `ISSUES_IN_DIFFERENT_SOURCES`. If a later source fails, the message names the earlier ones.
 */
export class MergedActions implements FailureActions {
  readonly #group: SourceGroup;
  /** Actions performed in several sources at once, by the id of each, so that `undo` reverts all. */
  readonly #jointActions = new LRUCache<string, readonly SourceAction[]>({ max: MAX_ACTIONS });

  constructor(group: SourceGroup) {
    this.#group = group;
  }

  async act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    const holders = await this.#holdersOf(issueId);
    if (holders.length === 0) throw notFound(issueId);
    const steps = await this.#plan(issueId, request, await writable(holders));
    const details = new Map(holders.map(({ link, value }) => [link, value]));
    const performed: SourceAction[] = [];
    for (const [index, step] of steps.entries()) {
      const detail = await this.#perform(step, issueId, steps.slice(0, index));
      details.set(step.link, detail);
      const actionId = detail.history.at(-1)?.id;
      if (actionId !== undefined) performed.push({ link: step.link, actionId });
    }
    if (performed.length > 1) {
      for (const { actionId } of performed) this.#jointActions.set(actionId, performed);
    }
    const [first, ...others] = sameIssues([...details.values()], issueId);
    if (first === undefined) throw notFound(issueId);
    return mergeDetails([first, ...others]);
  }

  async #perform({ link, request }: ActionStep, issueId: IssueId, before: readonly ActionStep[]): Promise<IssueDetail> {
    try {
      return await link.change((reader) => actIn(reader, issueId, request));
    } catch (error) {
      if (before.length === 0) throw error;
      const done = before.map((step) => step.link.name).join(', ');
      const { code, retryable } = error instanceof Fault ? error : { code: 'SOURCE_FAILED', retryable: false };
      throw new Fault(code, `Done in ${done}, not in ${link.name}: ${messageOf(error)}`, { cause: error, retryable });
    }
  }

  async #plan(
    issueId: IssueId,
    request: ActionRequest,
    holders: readonly SourceResult<IssueDetail>[],
  ): Promise<readonly ActionStep[]> {
    switch (request.action) {
      case 'merge':
      case 'split':
        return await this.#planTogether(issueId, request, holders);
      case 'undo':
        return this.#planUndo(request, holders);
      default:
        return holders.map(({ link }) => ({ link, request }));
    }
  }

  async #planTogether(
    issueId: IssueId,
    request: ActionRequest,
    holders: readonly SourceResult<IssueDetail>[],
  ): Promise<readonly ActionStep[]> {
    const named = request.issues ?? [];
    const holdersOfNamed = await Promise.all(named.map((id) => this.#holdersOf(id)));
    const missing = named.find((_, index) => holdersOfNamed[index]?.length === 0);
    if (missing !== undefined) throw notFound(missing);
    const links = holders
      .filter(({ value }) => request.action === 'merge' || value.merged.length > 0 || holders.length === 1)
      .map(({ link }) => link)
      .filter((link) => holdersOfNamed.every((others) => others.some((one) => one.link === link)));
    if (links.length > 0) return links.map((link) => ({ link, request }));
    const locations = [holders, ...holdersOfNamed].map((results, index) => {
      const id = index === 0 ? issueId : named[index - 1];
      return `${id?.slice(0, 8)} is in ${results.map(({ link }) => link.name).join(', ')}`;
    });
    throw new Fault(
      'ISSUES_IN_DIFFERENT_SOURCES',
      `Issues must be in one writable source to ${request.action} them: ${locations.join('; ')}.`,
    );
  }

  #planUndo(request: ActionRequest, holders: readonly SourceResult<IssueDetail>[]): readonly ActionStep[] {
    const undoable = holders
      .flatMap(({ value }) => value.history)
      .filter(({ action, undone }) => action !== 'undo' && !undone);
    const undoes = request.undoes ?? undoable.toSorted((one, other) => (one.at > other.at ? -1 : 1))[0]?.id;
    const owners = holders.filter(({ value }) => value.history.some(({ id }) => id === undoes));
    // The source rejects an unknown action id.
    if (undoes === undefined || owners.length === 0) return holders.slice(0, 1).map(({ link }) => ({ link, request }));
    const joint =
      this.#jointActions.get(undoes)?.filter((action) => holders.some(({ link }) => link === action.link)) ?? [];
    const actions = joint.length > 0 ? joint : owners.map(({ link }) => ({ link, actionId: undoes }));
    return actions.map(({ link, actionId }) => ({ link, request: { ...request, undoes: actionId } }));
  }

  #holdersOf(issueId: IssueId): Promise<readonly SourceResult<IssueDetail>[]> {
    return this.#group.find(`issue ${issueId}`, (reader) => reader.getIssue(issueId));
  }
}

/** Returns the details of the issue itself, or the first one if it was merged into another issue everywhere. */
export function sameIssues(details: readonly IssueDetail[], issueId: IssueId): readonly IssueDetail[] {
  const same = details.filter(({ issue_id }) => issue_id === issueId);
  return same.length > 0 ? same : details.slice(0, 1);
}

async function writable(holders: readonly SourceResult<IssueDetail>[]): Promise<readonly SourceResult<IssueDetail>[]> {
  const checked = await Promise.all(
    holders.map(async (holder) => {
      const response = await holder.link.query('access', canAct);
      return { holder, isWritable: 'value' in response && response.value };
    }),
  );
  const writableHolders = checked.filter(({ isWritable }) => isWritable).map(({ holder }) => holder);
  if (writableHolders.length > 0) return writableHolders;
  const names = holders.map(({ link }) => link.name).join(', ');
  throw new Fault('SOURCE_READ_ONLY', `${names} is read-only; act through a collector that allows actions.`);
}

async function actIn(reader: SourceReader, issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
  if (reader.act === undefined) throw new Fault('SOURCE_READ_ONLY', 'This folder is read-only.');
  return await reader.act(issueId, request);
}

function notFound(issueId: IssueId): Fault {
  return new Fault('ISSUE_NOT_FOUND', `None of the sources that respond has the issue ${issueId}.`);
}
