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
import type { openGroupingLog } from '../groupings/grouping-log.js';
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
  log: Awaited<ReturnType<typeof openGroupingLog>>;
  clock: Pick<ArrivalClock, 'next'>;
  createGrouper: CreateGrouper;
}

/** Later than every receipt time: placeholder until the last one is known. */
const UNTIL_NOW_MICROS = 8_000_000_000_000_000;

const NO_FOLLOWS: Follows = new Map();

export type StoreGroupings = ReturnType<typeof createStoreGroupings>;

/** Creates the plan that follows from the log of groupings of a store, the grouper of new events, and functions that change both. */
export function createStoreGroupings({ log, clock, createGrouper }: StoreGroupingsOptions) {
  let plan = groupingPlan(log.lines);
  let grouper: Grouper | undefined;

  function lineOf(action: GroupingAction, settings: GroupingSettings): GroupingLine {
    const atMicros = clock.next();
    const id = v7({ msecs: Math.floor(atMicros / 1000) });
    return { id, atMicros, action, settings, throughMicros: 0, follows: NO_FOLLOWS };
  }

  async function append(line: GroupingLine): Promise<void> {
    await log.append(line);
    plan = groupingPlan(log.lines);
    grouper = undefined;
  }

  return {
    createGrouper,
    lines: log.lines,
    get plan() {
      return plan;
    },
    /** Groups new events. */
    get grouper() {
      grouper ??= createGrouper(activeGrouping(plan));
      return grouper;
    },
    /** Begins the log of a new folder with the newest version. */
    async begin(rules: GroupingRules | undefined): Promise<void> {
      if (log.lines.length === 0) await append(lineOf('begin', { ...DEFAULT_GROUPING, ...rules }));
    },
    /** Changes the rules for new events; undefined: no change. Throws `GROUPING_INVALID`. */
    async configure(rules: GroupingRules | undefined): Promise<void> {
      const active = activeGrouping(plan);
      const settings = { ...active, ...rules };
      // Rejects invalid rules before they are logged.
      createGrouper(settings);
      if (groupingKey(settings) !== groupingKey(active)) await append(lineOf('configure', settings));
    },
    /** Returns a log line for a regrouping of everything received so far, without writing it. */
    draft(action: 'apply' | 'roll_back', settings: GroupingSettings): RegroupDraft {
      const line = { ...lineOf(action, settings), throughMicros: UNTIL_NOW_MICROS };
      return { line, plan: groupingPlan([...log.lines, line]) };
    },
    /** Settings for new events after a rollback of the last `apply`. */
    get rollBackSettings() {
      return { ...activeGrouping(plan), version: plan.rollsBackToVersion };
    },
    /** Logs a draft that applies to events up to `throughMicros`. */
    write: ({ line }: RegroupDraft, throughMicros: number, follows: Follows) =>
      append({ ...line, atMicros: clock.next(), throughMicros, follows }),
  };
}

/** A log line that is not written yet, and the plan with it. */
export interface RegroupDraft {
  readonly line: GroupingLine;
  readonly plan: GroupingPlan;
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
