import type { Logger } from 'pino';
import type { AuthSettings } from '../../generated/settings.js';
import type { Authenticator } from '../http/endpoints/access-rule.js';
import type { ServerPool } from '../http/server/server-pool.js';
import type { ComponentStates } from '../telemetry/component-states.js';
import type { Ledger } from '../telemetry/ledger.js';
import type { Meters } from '../telemetry/meters.js';
import type { IngestMemory } from './ingest-memory.js';

/** A part of the collector: started from exporters to receivers, stopped in reverse. `start` may throw a Fault; if `stop` is aborted, it leaves nothing open and throws `COLLECTOR_STOPPING`. `shutdown` drains what was accepted; nothing is emitted after it. */
export interface Component {
  start(stop?: AbortSignal): Promise<void>;
  shutdown(): Promise<void>;
}

/** Services that every component may use. */
export interface ComponentContext {
  readonly servers: ServerPool;
  readonly ledger: Ledger;
  readonly meters: Meters;
  readonly ingest: IngestMemory;
  readonly states: ComponentStates;
  /** Whether the collector starts although the port of a monitoring endpoint is in use. */
  readonly toleratesTakenPorts: boolean;
  /** Logs the component's id with each line. */
  readonly logger: Logger;
  /** Finds the authenticator of an endpoint's `auth` settings; undefined if they name none. Throws `COMPONENT_UNKNOWN`. */
  authenticatorOf(this: void, auth: AuthSettings): Authenticator | undefined;
}

/** Returns the state of a receiver from before a reload if it was made for an equal `basis`, else the result of `make`; one for each receiver. */
export type KeepAcrossReloads = <Memory>(basis: unknown, make: () => Memory) => Memory;
