import type { IssueStatus } from '../../../generated/reader-answers.js';
import { type Lifecycle, UNTOUCHED } from '../../issues/lifecycle.js';
import { MIN_SPIKE_EVENTS } from '../../issues/spiking.js';
import type { IssueState } from '../index/content/issue-state.js';
import { hourOfMs } from '../index/count-event.js';
import type { IssueColumns } from './issue-columns.js';
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

const MS_PER_HOUR = 3_600_000;

/** States and ranks of shown issues by ordinal, read from columns where possible. */
export class IssueRanks {
  readonly statuses: IssueStatuses;
  readonly nowMs: number;
  readonly #firstReceived: Float64Array;
  readonly #lastSeenMs: Float64Array;
  readonly #counts: Float64Array;
  /** Issues last seen earlier do not spike. */
  readonly #spikesFromMs: number;

  constructor(statuses: IssueStatuses, columns: IssueColumns) {
    const { nowMs } = statuses.lifecycles;
    this.statuses = statuses;
    this.nowMs = nowMs;
    this.#firstReceived = columns.sorts.numbers('first_received');
    this.#lastSeenMs = columns.sorts.numbers('last_seen');
    this.#counts = columns.sorts.numbers('count');
    this.#spikesFromMs = (hourOfMs(nowMs) - 1) * MS_PER_HOUR;
  }

  /** For open issues only. */
  isNew(ordinal: number): boolean {
    return this.statuses.lifecycles.isFresh(this.#firstReceived[ordinal] ?? 0);
  }

  isSpiking(ordinal: number): boolean {
    if ((this.#lastSeenMs[ordinal] ?? 0) < this.#spikesFromMs) return false;
    return (this.#counts[ordinal] ?? 0) >= MIN_SPIKE_EVENTS && this.statuses.isSpiking(ordinal);
  }

  /** Whether it is open and regressed, spiking or new. */
  hasSign(ordinal: number): boolean {
    if (this.statuses.status(ordinal) !== 'open') return false;
    return this.statuses.isRegressed(ordinal) || this.isNew(ordinal) || this.isSpiking(ordinal);
  }

  /** Highest first: regressed, spiking, new, open, ignored, resolved. */
  rankOf(ordinal: number): number {
    const status = this.statuses.status(ordinal);
    if (status === 'resolved') return 0;
    if (status === 'ignored') return 1;
    if (this.statuses.isRegressed(ordinal)) return 5;
    if (this.isSpiking(ordinal)) return 4;
    return this.isNew(ordinal) ? 3 : 2;
  }
}
