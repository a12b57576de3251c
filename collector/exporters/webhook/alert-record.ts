import type { IssueId } from '../../../core/event/ids.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { Alert, AlertCounts, Call } from './alert.js';

/** The persistent state of a webhook. */
export interface AlertRecord {
  /** Position in the change feed; earlier alerts are sent or waiting. */
  readonly cursor: string;
  /** Issues whose spike was reported, oldest first. */
  readonly spikes: readonly IssueId[];
  /** The call in progress. */
  readonly call: Call | null;
  /** Oldest first. */
  readonly waiting: readonly Alert[];
  /** Number of alerts that exceeded the queue. */
  readonly beyond: AlertCounts;
}

/** Raised if the members of a record or of its alerts change. */
const VERSION = 1;

/** The record as a note holds it; `call` (or null) and `waiting` are JSON already, serialized once for all notes. */
export function encodeAlertRecord(
  short: Pick<AlertRecord, 'cursor' | 'spikes' | 'beyond'>,
  call: string | null,
  waiting: readonly string[],
): string {
  const json = JSON.stringify({ version: VERSION, ...short });
  return `${json.slice(0, -1)},"call":${call},"waiting":[${waiting.join(',')}]}`;
}

/** A call with the JSON text of its alerts. */
export function encodeCall({ id, at, beyond }: Call, alerts: readonly string[]): string {
  return `${JSON.stringify({ id, at, beyond }).slice(0, -1)},"alerts":[${alerts.join(',')}]}`;
}

/**
 * Whether a note is a record of this version. The checksum of the note guards its content, so members are not checked one by one.
 */
export function isAlertRecord(value: unknown): value is AlertRecord {
  return isJsonObject(value) && value['version'] === VERSION && Array.isArray(value['waiting']);
}
