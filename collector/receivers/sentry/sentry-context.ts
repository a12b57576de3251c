import type { SenderOrigin } from '../../../core/contract/stages.js';
import type { JsonObject } from '../../../core/event/json.js';

/** The project, envelope header and receipt time of an item. */
export interface SentryContext {
  readonly project: {
    readonly id: string;
    /** Absent if the settings name none. */
    readonly app?: string;
    /** Absent if the settings name none. */
    readonly service?: string;
    /** Default environment of events. */
    readonly env: string;
    /** Absent if the settings do not name its key. */
    readonly origin?: 'token';
  };
  /** Who sent the item: `token` if the settings name the key of the project. */
  readonly origin: SenderOrigin;
  /** Header of the envelope; empty for `/store/`. */
  readonly envelope: JsonObject;
  /** Milliseconds since the epoch. */
  readonly receivedMs: number;
}
