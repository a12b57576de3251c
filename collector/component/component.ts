import type { Logger } from 'pino';
import type { FindAuthenticator } from '../http/messages/authenticator.js';
import type { ServerPool } from '../http/server/server-pool.js';
import type { ComponentStates } from '../telemetry/component-states.js';
import type { Ledger } from '../telemetry/ledger.js';
import type { Meters } from '../telemetry/meters.js';
import type { IngestMemory } from './ingest-memory.js';

/**
 * One part of the collector that starts and stops.
 * Order: the service starts components from the far end of the line (exporters) to the near end (receivers) and shuts them down the other way
 * round, so that nobody hands on to one that is gone. `start` may throw a Fault, which ends the start of the collector; `shutdown` is called at most
 * once for every `start` that returned, drains what was accepted, and after it returns the component emits nothing.
 * A `start` that may take seconds ends when `stop` is aborted (default: never): it leaves nothing open and throws `COLLECTOR_STOPPING`.
 */
export interface Component {
  start(stop?: AbortSignal): Promise<void>;
  shutdown(): Promise<void>;
}

/** What every component may use. */
export interface ComponentContext {
  readonly servers: ServerPool;
  readonly ledger: Ledger;
  readonly meters: Meters;
  readonly ingest: IngestMemory;
  readonly states: ComponentStates;
  /** As of the service. */
  readonly toleratesTakenPorts: boolean;
  /** Carries the component's id. */
  readonly logger: Logger;
  readonly authenticatorOf: FindAuthenticator;
}

/**
 * Returns what the receiver of this id remembered of its requests before a reload, if that was made from an equal `basis`; otherwise what `make`
 * returns. One memory per receiver.
 */
export type KeepAcrossReloads = <Memory>(basis: unknown, make: () => Memory) => Memory;
