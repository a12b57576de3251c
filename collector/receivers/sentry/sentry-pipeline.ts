import type { Fault } from '../../../core/event/fault.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { IdempotencyCache } from '../intake/idempotency-cache.js';
import type { Intake } from '../intake/intake.js';
import type { SentryLogLevel } from './mapping/map-log.js';

/** What the items of all requests of one receiver go through. */
export interface SentryLine {
  readonly intake: Intake;
  readonly account: ReceiverAccount;
  /** Lowest level of a log entry that becomes an event. */
  readonly minLogLevel: SentryLogLevel;
  /** Most bytes of one event. */
  readonly maxEventBytes: number;
  /** Most members of objects and elements of arrays in one event. */
  readonly maxMembers: number;
  /** By project and event id: why the event was rejected; undefined for one that was taken. */
  readonly recent: IdempotencyCache<Fault | undefined>;
}
