import type { IssueId } from '../../../core/event/ids.js';
import { isJsonObject, type JsonValue } from '../../../core/event/json.js';
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

/** The long parts of a record as JSON, serialized once for all notes. */
interface AlertTexts {
  /** Of the call; null where there is none. */
  readonly call: string | null;
  /** Of each alert that waits. */
  readonly waiting: readonly string[];
}

/** The record as a note holds it. */
export function encodeAlertRecord(
  { cursor, spikes, beyond }: Pick<AlertRecord, 'cursor' | 'spikes' | 'beyond'>,
  { call, waiting }: AlertTexts,
): string {
  const short = JSON.stringify({ version: VERSION, cursor, spikes, beyond });
  return `${short.slice(0, -1)},"call":${call},"waiting":[${waiting.join(',')}]}`;
}

/** A call with the JSON text of its alerts. */
export function encodeCall({ id, at, beyond }: Call, alerts: readonly string[]): string {
  return `${JSON.stringify({ id, at, beyond }).slice(0, -1)},"alerts":[${alerts.join(',')}]}`;
}

/** Reads what `encodeAlertRecord` returned; undefined for another version or form. */
export function decodeAlertRecord(value: JsonValue | undefined): AlertRecord | undefined {
  return isAlertRecord(value) ? value : undefined;
}

/** The checksum of the note guards its content, so members are not checked one by one. */
function isAlertRecord(value: unknown): value is AlertRecord {
  return isJsonObject(value) && value['version'] === VERSION && Array.isArray(value['waiting']);
}
