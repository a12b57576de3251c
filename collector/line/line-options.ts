import type { Logger } from 'pino';
import type { Fault } from '../../core/event/fault.js';
import type { ServerPool } from '../http/server-pool.js';
import type { IngestMemory } from '../receivers/ingest-memory.js';
import type { ComponentStates } from '../telemetry/component-states.js';
import type { Ledger } from '../telemetry/ledger.js';
import type { Meters } from '../telemetry/meters.js';
import type { Line } from './line.js';

/** What a line is built with. */
export interface LineOptions {
  readonly servers: ServerPool;
  readonly ledger: Ledger;
  readonly meters: Meters;
  readonly ingest: IngestMemory;
  readonly states: ComponentStates;
  readonly logger: Logger;
  /** Whether the rules of a data folder group on, instead of those of the settings. */
  readonly keepsGroupingRules: boolean;
  /** As of the service. */
  readonly toleratesTakenPorts: boolean;
  /** Called with the id of a store exporter whose files were pulled away. */
  readonly onStoreLost: (id: string, fault: Fault) => void;
  /** The line that runs when it is asked: components outlive the line for which they were built. */
  readonly running: () => Line;
}
