import type { IssueStatus } from '../../../generated/reader-answers.js';
import { type Lifecycle, UNTOUCHED } from '../../issues/lifecycle.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueLifecycles } from './issue-lifecycles.js';

/** By code. Most issues never see an action, and are open; the last code is that of open ones that came back. */
const STATUSES: readonly IssueStatus[] = ['open', 'resolved', 'ignored', 'open'];
const OPEN = 0;
const REGRESSED = 3;
/** Of an issue with actions that was not asked for yet. */
const NOT_FOLDED = 255;

/**
 * What a search asks of the lives of issues, by ordinal of the issue that is shown; for one search. Only issues with actions are folded, each once;
 * new and spiking are told when they are asked for.
 */
export class IssueStatuses {
  readonly lives: IssueLifecycles;
  readonly #folded = new Map<number, Lifecycle>();
  /** By ordinal; made when the first one is asked for. */
  #codes: Uint8Array | undefined;

  constructor(lives: IssueLifecycles) {
    this.lives = lives;
  }

  /** The status as a number. */
  codeOf(ordinal: number): number {
    this.#codes ??= this.#findActed();
    const code = this.#codes[ordinal] ?? OPEN;
    if (code !== NOT_FOLDED) return code;
    const { status, regressed } = this.#lifecycleOf(ordinal);
    const folded = regressed ? REGRESSED : STATUSES.indexOf(status);
    this.#codes[ordinal] = folded;
    return folded;
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
    return issue !== undefined && this.lives.isNew(issue, this.#lifecycleOf(ordinal));
  }

  isSpiking(ordinal: number): boolean {
    const issue = this.#shown(ordinal);
    return issue !== undefined && this.lives.isSpiking(issue);
  }

  /** Null when nobody was named. */
  assignee(ordinal: number): string | null {
    return this.#lifecycleOf(ordinal).assignee;
  }

  /** Whether others were merged into it. */
  isMerged(ordinal: number): boolean {
    return this.lives.merged.shown.has(ordinal);
  }

  #lifecycleOf(ordinal: number): Lifecycle {
    const known = this.#folded.get(ordinal);
    if (known !== undefined) return known;
    this.#codes ??= this.#findActed();
    const issue = this.#codes[ordinal] === OPEN ? undefined : this.#shown(ordinal);
    if (issue === undefined) return UNTOUCHED;
    const lifecycle = this.lives.lifecycleOf(issue);
    this.#folded.set(ordinal, lifecycle);
    return lifecycle;
  }

  #findActed(): Uint8Array {
    const codes = new Uint8Array(this.lives.issues.inOrder.length).fill(OPEN);
    for (const ordinal of this.lives.acted()) codes[ordinal] = NOT_FOLDED;
    return codes;
  }

  #shown(ordinal: number): IssueState | undefined {
    return this.lives.merged.shown.get(ordinal) ?? this.lives.issues.inOrder[ordinal];
  }
}
