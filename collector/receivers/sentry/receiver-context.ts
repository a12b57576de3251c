import type { Fault } from '../../../core/event/fault.js';
import type { SessionReport } from '../../../core/storage/releases/session-tally.js';
import type { SentryReceiverSettings } from '../../../generated/settings.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { IdempotencyCache } from '../intake/idempotency-cache.js';
import type { Intake } from '../intake/intake.js';
import type { FailureReports } from './envelope/failure-reports.js';
import type { RepeatedReports } from './envelope/repeated-reports.js';

/** Dependencies and limits shared by all requests of one receiver. */
export interface SentryReceiverContext {
  readonly intake: Intake;
  readonly account: ReceiverAccount;
  /** Resolves when the sessions are counted durably; throws a retryable Fault. */
  readonly countSessions: (reports: readonly SessionReport[]) => Promise<void>;
  /** Lowest level of a log entry that becomes an event. */
  readonly minLogLevel: SentryReceiverSettings['min_log_level'];
  readonly maxEventBytes: number;
  /** Maximum object members and array elements in one event. */
  readonly maxMembers: number;
  /** By project and event id: why the event was rejected; undefined if it was accepted. */
  readonly recent: IdempotencyCache<Fault | undefined>;
  /** By text: log entries without an exception. */
  readonly repeated: RepeatedReports;
  readonly failures: FailureReports;
}
