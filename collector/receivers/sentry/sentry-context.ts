import type { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';
import type { SentryReceiverSettings } from '../../../generated/settings.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { IdempotencyCache } from '../intake/idempotency-cache.js';
import type { Intake } from '../intake/intake.js';

/** What the items of all requests of one receiver go through. */
export interface SentryReceiverContext {
  readonly intake: Intake;
  readonly account: ReceiverAccount;
  /** Lowest level of a log entry that becomes an event. */
  readonly minLogLevel: SentryReceiverSettings['min_log_level'];
  /** Most bytes of one event. */
  readonly maxEventBytes: number;
  /** Most members of objects and elements of arrays in one event. */
  readonly maxMembers: number;
  /** By project and event id: why the event was rejected; undefined for one that was taken. */
  readonly recent: IdempotencyCache<Fault | undefined>;
}

/** What is known about an item of an envelope beside the item itself. */
export interface SentryContext {
  readonly project: {
    /** Project id of the path, for example `42`. */
    readonly id: string;
    /** Application that the settings name for the project; absent when they name none. */
    readonly app?: string;
    /** Service that the settings name for the project; absent when they name none. */
    readonly service?: string;
    /** Environment of events that name none. */
    readonly env: string;
  };
  /** Header of the envelope; empty for an event that came to `/store/`. */
  readonly envelope: JsonObject;
  /** When the request was received, in milliseconds since 1970. */
  readonly receivedMs: number;
}
