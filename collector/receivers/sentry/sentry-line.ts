import type { Fault } from '../../../core/event/fault.js';
import type { RejectedPayload } from '../../../core/storage/rejected/rejected-payload.js';
import { toFault } from '../../http/problem.js';
import type { Consumer } from '../../pipeline.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { RecentOutcomes } from '../recent-outcomes.js';
import type { RecordIntake } from '../record-intake.js';
import type { SentryLogLevel } from './map-log.js';

/** What the items of all requests of one receiver go through. */
export interface SentryLine {
  /** Component id of the receiver. */
  readonly receiver: string;
  readonly records: RecordIntake;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  /** Lowest level of a log entry that becomes an event. */
  readonly minLogLevel: SentryLogLevel;
  /** Most bytes of one event. */
  readonly maxEventBytes: number;
  /** Most members of objects and elements of arrays in one event. */
  readonly maxMembers: number;
  /** By project and event id: why the event was rejected; undefined for one that was taken. */
  readonly recent: RecentOutcomes<Fault | undefined>;
}

/** Hands one payload to the dead letters and counts what it stood for, one event unless told. Throws when the line refuses it, which is then counted instead. */
export async function rejectPayload(line: SentryLine, payload: RejectedPayload, events = 1): Promise<void> {
  const { receiver, consumer, account } = line;
  try {
    await consumer.consume({ receiver, events: [], rejected: [payload] });
  } catch (error) {
    const fault = toFault(error);
    account.lost('refused', fault.code, events);
    throw fault;
  }
  account.lost('rejected', payload.code, events);
}
