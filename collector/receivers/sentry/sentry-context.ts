import type { JsonObject } from '../../../core/event/json.js';

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
