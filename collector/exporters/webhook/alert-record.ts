import { type IssueId, toEventId, toIssueId } from '../../../core/event/ids.js';
import { isJsonObject, type JsonValue } from '../../../core/event/json.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { ALERT_KINDS, type Alert, type AlertCounts, type Call } from './alert.js';

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

/** Reads what `encodeAlertRecord` gave; undefined where it is anything else. */
export function decodeAlertRecord(value: JsonValue | undefined): AlertRecord | undefined {
  if (!isJsonObject(value) || value['version'] !== VERSION) return undefined;
  const { cursor, spikes, call, waiting, beyond } = value;
  if (typeof cursor !== 'string' || !isListOf(spikes, isIssueId)) return undefined;
  if (!isListOf(waiting, isAlert) || !isCounts(beyond)) return undefined;
  return call === null || isCall(call) ? { cursor, spikes, call, waiting, beyond } : undefined;
}

function isCall(value: unknown): value is Call {
  if (!isJsonObject(value)) return false;
  return (
    isString(value['id']) && isString(value['at']) && isListOf(value['alerts'], isAlert) && isCounts(value['beyond'])
  );
}

function isAlert(value: unknown): value is Alert {
  if (!isJsonObject(value)) return false;
  const { kind, at, issue, eventId } = value;
  const isKnown = ALERT_KINDS.some((one) => one === kind);
  return isKnown && isString(at) && isIssue(issue) && (eventId === null || isEventId(eventId));
}

function isCounts(value: unknown): value is AlertCounts {
  return isJsonObject(value) && ALERT_KINDS.every((kind) => isNumber(value[kind]));
}

const CHECKS: { readonly [Key in keyof IssueSummary]: (value: unknown) => boolean } = {
  issue_id: isIssueId,
  fingerprint: isString,
  app: isString,
  service: isString,
  title: isString,
  culprit: isStringOrNull,
  error_name: isString,
  message: isString,
  level: isString,
  type: isString,
  status: (value) => value === 'open' || value === 'resolved' || value === 'ignored',
  regressed: isBoolean,
  is_new: isBoolean,
  spiking: isBoolean,
  assignee: isStringOrNull,
  snooze: isStringOrNull,
  resolved_in: isStringOrNull,
  merged: (value) => isListOf(value, isString),
  count: isNumber,
  sampled: isNumber,
  removed_events: isNumber,
  users: isNumber,
  first_seen: isString,
  last_seen: isString,
  environments: (value) => isListOf(value, isString),
  releases: (value) => isListOf(value, isString),
  trend: (value) => isListOf(value, isNumber),
};

function isIssue(value: unknown): value is IssueSummary {
  return isJsonObject(value) && Object.entries(CHECKS).every(([key, isRight]) => isRight(value[key]));
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isIssueId(value: unknown): value is IssueId {
  return typeof value === 'string' && toIssueId(value) === value;
}

function isEventId(value: unknown): boolean {
  return typeof value === 'string' && toEventId(value) === value;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isStringOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}
