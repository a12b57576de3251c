import { v7 } from 'uuid';
import type { GroupingStats } from '../../../generated/reader-answers.js';
import type { FingerprintedEvent } from '../../contract/stages.js';
import { decodeRawLine } from '../../event/raw-line.js';
import type { Grouper } from '../../fingerprint/grouper.js';
import {
  DEFAULT_GROUPING,
  FINGERPRINT_VERSION,
  type GroupingSettings,
  groupingKey,
} from '../../fingerprint/grouping-settings.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { GroupingLog } from '../groupings/grouping-log.js';
import type { Follows, GroupingAction, GroupingLine } from '../groupings/grouping-log-line.js';
import { activeGrouping, type GroupingPlan, groupingPlan, settingsInUse } from '../groupings/grouping-log-plan.js';
import type { CreateGrouper } from '../index/event-groupers.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';

/** Groups events with another grouper, in short slices of time. Decodes the raw line, because the payload beside it may be incomplete. */
export async function regroupEvents(
  events: readonly FingerprintedEvent[],
  grouper: Grouper,
): Promise<readonly FingerprintedEvent[]> {
  const slice = beginTimeSlice();
  const grouped: FingerprintedEvent[] = [];
  for (const event of events) {
    if (slice.isOver) await slice.next();
    const payload = event.encoded === undefined ? event.payload : decodeRawLine(event.encoded);
    const { value, version, title, culprit } = grouper.fingerprint(payload);
    grouped.push({ ...event, fingerprint: { value, version, title, culprit } });
  }
  return grouped;
}

/** Grouping settings of a configuration; the version belongs to the folder. */
export type GroupingRules = Pick<GroupingSettings, 'rules' | 'patterns_off'>;

interface StoreGroupingsOptions {
  readonly log: GroupingLog;
  readonly clock: Pick<ArrivalClock, 'next'>;
  readonly createGrouper: CreateGrouper;
}

/** Later than every receipt time: placeholder until the last one is known. */
const UNTIL_NOW_MICROS = 8_000_000_000_000_000;

const NO_FOLLOWS: Follows = new Map();

/** A log line that is not written yet, and the plan with it. */
export interface RegroupDraft {
  readonly line: GroupingLine;
  readonly plan: GroupingPlan;
}

/** The plan that follows from the log of groupings of a store, the grouper of new events, and the changes of both. */
export class StoreGroupings {
  readonly createGrouper: CreateGrouper;
  readonly #log: GroupingLog;
  readonly #clock: Pick<ArrivalClock, 'next'>;
  #plan: GroupingPlan;
  /** Created on first use. */
  #grouper: Grouper | undefined;

  constructor({ log, clock, createGrouper }: StoreGroupingsOptions) {
    this.createGrouper = createGrouper;
    this.#log = log;
    this.#clock = clock;
    this.#plan = groupingPlan(log.lines);
  }

  /** Of the log, oldest first. */
  get lines(): readonly GroupingLine[] {
    return this.#log.lines;
  }

  get plan(): GroupingPlan {
    return this.#plan;
  }

  /** Groups new events. */
  get grouper(): Grouper {
    this.#grouper ??= this.createGrouper(activeGrouping(this.#plan));
    return this.#grouper;
  }

  /** Settings for new events after a rollback of the last `apply`. */
  get rollBackSettings(): GroupingSettings {
    return { ...activeGrouping(this.#plan), version: this.#plan.rollsBackToVersion };
  }

  /** Begins the log of a new folder with the newest version. */
  async begin(rules: GroupingRules | undefined): Promise<void> {
    if (this.lines.length === 0) await this.#append(this.#lineOf('begin', { ...DEFAULT_GROUPING, ...rules }));
  }

  /** Changes the rules for new events; undefined: no change. Throws `GROUPING_INVALID`. */
  async configure(rules: GroupingRules | undefined): Promise<void> {
    const active = activeGrouping(this.#plan);
    const settings = { ...active, ...rules };
    // Rejects invalid rules before they are logged.
    this.createGrouper(settings);
    if (groupingKey(settings) !== groupingKey(active)) await this.#append(this.#lineOf('configure', settings));
  }

  /** Returns a log line for a regrouping of everything received so far, without writing it. */
  draft(action: 'apply' | 'roll_back', settings: GroupingSettings): RegroupDraft {
    const line = { ...this.#lineOf(action, settings), throughMicros: UNTIL_NOW_MICROS };
    return { line, plan: groupingPlan([...this.lines, line]) };
  }

  /** Logs a draft that applies to events up to `throughMicros`. */
  write({ line }: RegroupDraft, throughMicros: number, follows: Follows): Promise<void> {
    return this.#append({ ...line, atMicros: this.#clock.next(), throughMicros, follows });
  }

  #lineOf(action: GroupingAction, settings: GroupingSettings): GroupingLine {
    const atMicros = this.#clock.next();
    const id = v7({ msecs: Math.floor(atMicros / 1000) });
    return { id, atMicros, action, settings, throughMicros: 0, follows: NO_FOLLOWS };
  }

  async #append(line: GroupingLine): Promise<void> {
    await this.#log.append(line);
    this.#plan = groupingPlan(this.lines);
    this.#grouper = undefined;
  }
}

/** Returns grouping stats; `is_current` if all events since `beforeMicros` are grouped by the newest version and the active rules. */
export function groupingStats(plan: GroupingPlan, beforeMicros: number): GroupingStats {
  const active = activeGrouping(plan);
  const newest = groupingKey({ ...active, version: FINGERPRINT_VERSION });
  const isCurrent = settingsInUse(plan, beforeMicros - 1).every((settings) => groupingKey(settings) === newest);
  return {
    version: active.version,
    newest_version: FINGERPRINT_VERSION,
    key: groupingKey(active),
    is_current: isCurrent,
  };
}
