import type { Fault } from '../../../core/event/fault.js';
import type { SentryContext } from './sentry-context.js';

/** Types of items that something is made of; all others are counted and dropped. */
export type WantedType = 'event' | 'log' | 'client_report';

/** One item of a wanted type; without payload when it was over its bound. */
export interface SentItem {
  readonly type: WantedType;
  readonly payload: Buffer | undefined;
  readonly bytes: number;
}

/** What arrived whole of one request. */
export interface SentItems {
  readonly context: SentryContext;
  readonly items: readonly SentItem[];
  /** Items of other types. */
  readonly skipped: number;
}

/** How the reading of a request ended. */
export interface SentryReading {
  /** Absent when nobody was admitted. */
  readonly sent?: SentItems;
  /** Why the rest could not be read; what arrived whole before it counts nevertheless. */
  readonly failure?: Fault;
}

/** Whether an item's type is wanted. */
export function isWantedType(type: string): type is WantedType {
  return type === 'event' || type === 'log' || type === 'client_report';
}
