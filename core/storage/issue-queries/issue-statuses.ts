import type { IssueStatus } from '../../../generated/reader-answers.js';
import { type Lifecycle, UNTOUCHED } from '../../issues/lifecycle.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueLifecycles } from './issue-lifecycles.js';

const OPEN_RANK = 2;

/** States of shown issues by ordinal, for one search. Only issues with actions are computed, each once. */
export class IssueStatuses {
  readonly lifecycles: IssueLifecycles;
  /** Ordinals with actions; found on first use. */
  #actedOn: ReadonlySet<number> | undefined;
  readonly #lifecycles = new Map<number, Lifecycle>();

  constructor(lifecycles: IssueLifecycles) {
    this.lifecycles = lifecycles;
  }

  status(ordinal: number): IssueStatus {
    return this.#lifecycleOf(ordinal).status;
  }

  isRegressed(ordinal: number): boolean {
    return this.#lifecycleOf(ordinal).regressed;
  }

  isNew(ordinal: number): boolean {
    const issue = this.issueAt(ordinal);
    return issue !== undefined && this.lifecycles.isNew(issue, this.#lifecycleOf(ordinal));
  }

  isSpiking(ordinal: number): boolean {
    const issue = this.issueAt(ordinal);
    return issue !== undefined && this.lifecycles.isSpiking(issue);
  }

  /** Null if no release regressed it. */
  regressedIn(ordinal: number): string | null {
    return this.#lifecycleOf(ordinal).regressedIn;
  }

  /** Null if unassigned. */
  assignee(ordinal: number): string | null {
    return this.#lifecycleOf(ordinal).assignee;
  }

  /** Whether other issues are merged into it. */
  isMerged(ordinal: number): boolean {
    return this.lifecycles.merged.shown.has(ordinal);
  }

  /** Whether it is open and regressed, spiking or new. */
  hasSign(ordinal: number): boolean {
    return this.rankOf(ordinal) > OPEN_RANK;
  }

  /** Highest first: regressed, spiking, new, open, ignored, resolved. */
  rankOf(ordinal: number): number {
    const lifecycle = this.#lifecycleOf(ordinal);
    if (lifecycle.status === 'resolved') return 0;
    if (lifecycle.status === 'ignored') return 1;
    const issue = this.issueAt(ordinal);
    if (lifecycle.regressed || issue === undefined) return 5;
    if (this.lifecycles.isSpiking(issue)) return 4;
    return this.lifecycles.isNew(issue, lifecycle) ? 3 : OPEN_RANK;
  }

  #lifecycleOf(ordinal: number): Lifecycle {
    this.#actedOn ??= new Set(this.lifecycles.actedOn());
    if (this.#actedOn.size === 0 || !this.#actedOn.has(ordinal)) return UNTOUCHED;
    const issue = this.issueAt(ordinal);
    const lifecycle =
      this.#lifecycles.get(ordinal) ?? (issue === undefined ? UNTOUCHED : this.lifecycles.lifecycleOf(issue));
    this.#lifecycles.set(ordinal, lifecycle);
    return lifecycle;
  }

  /** The issue as it is shown. */
  issueAt(ordinal: number): IssueState | undefined {
    const { merged, issues } = this.lifecycles;
    return (merged.shown.size > 0 ? merged.shown.get(ordinal) : undefined) ?? issues.inOrder[ordinal];
  }
}
