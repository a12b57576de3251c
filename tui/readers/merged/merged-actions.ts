import { LRUCache } from 'lru-cache';
import type { FailureActions } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import type { IssueId } from '../../../core/event/ids.js';
import type { ActionRequest, IssueDetail } from '../../../generated/reader-answers.js';
import { canAct, type SourceReader } from '../source.js';
import { mergeDetails } from './merge-issues.js';
import type { SourceCircle, Told } from './source-circle.js';
import type { SourceLink } from './source-link.js';

/** What is done in one source. */
interface Step {
  readonly link: SourceLink;
  readonly request: ActionRequest;
}

/** One action of a source. */
interface ActionPart {
  readonly link: SourceLink;
  readonly actionId: string;
}
const MAX_ACTIONS = 1_000;

/**
 * Acts on an issue in every source that has it and lets act, one after the other; `merge` and `split` in those that have all issues that are named, `undo` where the action was
 * taken, and with it what was done in other sources at the same time. Answers the merged issue.
 * Faults: those of the sources, `SOURCE_READ_ONLY` where none lets act, `ISSUES_IN_DIFFERENT_SOURCES`. Where a later source fails, its fault says where it was done.
 */
export class MergedActions implements FailureActions {
  readonly #circle: SourceCircle;
  /** Actions that were taken in several sources at once, by the id of each, so that they are undone at once too. */
  readonly #joint = new LRUCache<string, readonly ActionPart[]>({ max: MAX_ACTIONS });

  constructor(circle: SourceCircle) {
    this.#circle = circle;
  }

  async act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    const holders = await this.#holdersOf(issueId);
    if (holders.length === 0) throw notFound(issueId);
    const steps = await this.#plan(issueId, request, await writable(holders));
    const details = new Map(holders.map(({ link, value }) => [link, value]));
    const parts: ActionPart[] = [];
    for (const [index, step] of steps.entries()) {
      const detail = await this.#take(step, issueId, steps.slice(0, index));
      details.set(step.link, detail);
      const actionId = detail.history.at(-1)?.id;
      if (actionId !== undefined) parts.push({ link: step.link, actionId });
    }
    if (parts.length > 1) for (const { actionId } of parts) this.#joint.set(actionId, parts);
    const [first, ...others] = sameIssues([...details.values()], issueId);
    if (first === undefined) throw notFound(issueId);
    return mergeDetails([first, ...others]);
  }

  async #take({ link, request }: Step, issueId: IssueId, before: readonly Step[]): Promise<IssueDetail> {
    try {
      return await link.change((reader) => act(reader, issueId, request));
    } catch (error) {
      if (before.length === 0) throw error;
      const done = before.map((step) => step.link.name).join(', ');
      const reason = error instanceof Error ? error.message : String(error);
      const { code, retryable } = error instanceof Fault ? error : { code: 'SOURCE_FAILED', retryable: false };
      throw new Fault(code, `Done in ${done}, not in ${link.name}: ${reason}`, { cause: error, retryable });
    }
  }

  async #plan(
    issueId: IssueId,
    request: ActionRequest,
    holders: readonly Told<IssueDetail>[],
  ): Promise<readonly Step[]> {
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
    holders: readonly Told<IssueDetail>[],
  ): Promise<readonly Step[]> {
    const named = request.issues ?? [];
    const holdersOfNamed = await Promise.all(named.map((id) => this.#holdersOf(id)));
    const missing = named.find((_, index) => holdersOfNamed[index]?.length === 0);
    if (missing !== undefined) throw notFound(missing);
    const links = holders
      .filter(({ value }) => request.action === 'merge' || value.merged.length > 0 || holders.length === 1)
      .map(({ link }) => link)
      .filter((link) => holdersOfNamed.every((told) => told.some((one) => one.link === link)));
    if (links.length > 0) return links.map((link) => ({ link, request }));
    const lines = [holders, ...holdersOfNamed].map((told, index) => {
      const id = index === 0 ? issueId : named[index - 1];
      return `${id?.slice(0, 8)} lies in ${told.map(({ link }) => link.name).join(', ')}`;
    });
    throw new Fault(
      'ISSUES_IN_DIFFERENT_SOURCES',
      `To ${request.action} them, issues must lie in one source that lets act: ${lines.join('; ')}.`,
    );
  }

  #planUndo(request: ActionRequest, holders: readonly Told<IssueDetail>[]): readonly Step[] {
    const standing = holders
      .flatMap(({ value }) => value.history)
      .filter(({ action, undone }) => action !== 'undo' && !undone);
    const undoes = request.undoes ?? standing.toSorted((one, other) => (one.at > other.at ? -1 : 1))[0]?.id;
    const takers = holders.filter(({ value }) => value.history.some(({ id }) => id === undoes));
    // What nobody knows is for the sources to refuse.
    if (undoes === undefined || takers.length === 0) return holders.slice(0, 1).map(({ link }) => ({ link, request }));
    const joint = this.#joint.get(undoes)?.filter((part) => holders.some(({ link }) => link === part.link)) ?? [];
    const parts = joint.length > 0 ? joint : takers.map(({ link }) => ({ link, actionId: undoes }));
    return parts.map(({ link, actionId }) => ({ link, request: { ...request, undoes: actionId } }));
  }

  async #holdersOf(issueId: IssueId): Promise<readonly Told<IssueDetail>[]> {
    return await this.#circle.find(`issue ${issueId}`, (reader) => reader.getIssue(issueId));
  }
}

/** Those of the details that are of the issue itself; where none is, as it was merged into another, the first one. */
export function sameIssues(details: readonly IssueDetail[], issueId: IssueId): readonly IssueDetail[] {
  const same = details.filter(({ issue_id }) => issue_id === issueId);
  return same.length > 0 ? same : details.slice(0, 1);
}

async function writable(holders: readonly Told<IssueDetail>[]): Promise<readonly Told<IssueDetail>[]> {
  const asked = await Promise.all(
    holders.map(async (told) => {
      const answer = await told.link.ask('access', canAct);
      return { told, isWritable: 'value' in answer && answer.value };
    }),
  );
  const found = asked.filter(({ isWritable }) => isWritable).map(({ told }) => told);
  if (found.length > 0) return found;
  const names = holders.map(({ link }) => link.name).join(', ');
  throw new Fault('SOURCE_READ_ONLY', `${names} lets issues only be read; act where its collector lets you.`);
}

async function act(reader: SourceReader, issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
  if (reader.act === undefined) throw new Fault('SOURCE_READ_ONLY', 'This folder is only read.');
  return await reader.act(issueId, request);
}

function notFound(issueId: IssueId): Fault {
  return new Fault('ISSUE_NOT_FOUND', `No source that answers has the issue ${issueId}.`);
}
