import type { IssueStatus } from '../../../generated/reader-answers.js';
import { type Lifecycle, UNTOUCHED } from '../../issues/lifecycle.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueLifecycles } from './issue-lifecycles.js';

/** By code; the last one is for regressed issues, which are open. */
const STATUSES: readonly IssueStatus[] = ['open', 'resolved', 'ignored', 'open'];
const OPEN = 0;
const REGRESSED = 3;
/** Of an issue with actions, until it is first read. */
const NOT_COMPUTED = 255;

/** States of shown issues by ordinal, for one search. Only issues with actions are computed, each once. */
export class IssueStatuses {
  readonly lifecycles: IssueLifecycles;
  readonly #lifecycleByOrdinal = new Map<number, Lifecycle>();
  /** Created on first use. */
  #codes: Uint8Array | undefined;

  constructor(lifecycles: IssueLifecycles) {
    this.lifecycles = lifecycles;
  }

  codeOf(ordinal: number): number {
    this.#codes ??= this.#createCodes();
    const code = this.#codes[ordinal] ?? OPEN;
    if (code !== NOT_COMPUTED) return code;
    const { status, regressed } = this.#lifecycleOf(ordinal);
    const computed = regressed ? REGRESSED : STATUSES.indexOf(status);
    this.#codes[ordinal] = computed;
    return computed;
  }

  valueOf(code: number): IssueStatus {
    return STATUSES[code] ?? 'open';
  }

  status(ordinal: number): IssueStatus {
    return this.valueOf(this.codeOf(ordinal));
  }

  isRegressed(ordinal: number): boolean {
    return this.codeOf(ordinal) === REGRESSED;
  }

  isNew(ordinal: number): boolean {
    const issue = this.#shown(ordinal);
    return issue !== undefined && this.lifecycles.isNew(issue, this.#lifecycleOf(ordinal));
  }

  isSpiking(ordinal: number): boolean {
    const issue = this.#shown(ordinal);
    return issue !== undefined && this.lifecycles.isSpiking(issue);
  }

  /** Null if unassigned. */
  assignee(ordinal: number): string | null {
    return this.#lifecycleOf(ordinal).assignee;
  }

  /** Whether other issues are merged into it. */
  isMerged(ordinal: number): boolean {
    return this.lifecycles.merged.shown.has(ordinal);
  }

  #lifecycleOf(ordinal: number): Lifecycle {
    const known = this.#lifecycleByOrdinal.get(ordinal);
    if (known !== undefined) return known;
    this.#codes ??= this.#createCodes();
    const issue = this.#codes[ordinal] === OPEN ? undefined : this.#shown(ordinal);
    if (issue === undefined) return UNTOUCHED;
    const lifecycle = this.lifecycles.lifecycleOf(issue);
    this.#lifecycleByOrdinal.set(ordinal, lifecycle);
    return lifecycle;
  }

  #createCodes(): Uint8Array {
    const codes = new Uint8Array(this.lifecycles.issues.inOrder.length).fill(OPEN);
    for (const ordinal of this.lifecycles.actedOn()) codes[ordinal] = NOT_COMPUTED;
    return codes;
  }

  #shown(ordinal: number): IssueState | undefined {
    return this.lifecycles.merged.shown.get(ordinal) ?? this.lifecycles.issues.inOrder[ordinal];
  }
}
