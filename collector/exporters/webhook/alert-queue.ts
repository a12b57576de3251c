import { randomUUID } from 'node:crypto';
import type { IssueId } from '../../../core/event/ids.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { StoreNote } from '../../../core/storage/following/store-note.js';
import { type Alert, type AlertCounts, addAlertCounts, type Call, countAlerts, NO_ALERTS, totalOf } from './alert.js';

interface AlertRecord {
  /** Position in the change feed; earlier alerts are sent or waiting. */
  readonly cursor: string;
  /** Issues whose spike was reported, oldest first. */
  readonly spikes: readonly IssueId[];
  readonly call: Call | null;
  /** Oldest first. */
  readonly waiting: readonly Alert[];
  readonly beyond: AlertCounts;
}

/** Raised if the members of a record or of its alerts change. */
const VERSION = 1;

/** The changes up to a position of the feed. */
export interface AlertStep {
  readonly cursor: string;
  readonly alerts: readonly Alert[];
  /** Number of alerts that exceeded the queue. */
  readonly beyond: AlertCounts;
  readonly spikesBegun: ReadonlySet<IssueId>;
  readonly spikesEnded: ReadonlySet<IssueId>;
}

/** Limit of waiting alerts; further ones are only counted. */
export const MAX_WAITING_ALERTS = 1_000;
/** UTF-16 units of their JSON, likewise. */
const MAX_WAITING_UNITS = 4 * 1024 * 1024;
/** Limit of remembered spikes; beyond it the oldest is forgotten and may be reported again. */
const MAX_SPIKES = 10_000;

/** The reported, current and waiting alerts of a webhook, in memory and in a note. Changes apply at once; `save` makes them durable. */
export class AlertQueue {
  readonly #note: StoreNote;
  /** Undefined before the first `take` or `beginAt`. */
  cursor: string | undefined;
  readonly #spikes: Set<IssueId>;
  #call: { readonly call: Call; readonly json: string } | undefined;
  #waiting: { readonly alert: Alert; readonly json: string }[];
  #waitingUnits = 0;
  #beyond: AlertCounts;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  private constructor(note: StoreNote, record: AlertRecord | undefined) {
    this.#note = note;
    this.cursor = record?.cursor;
    this.#spikes = new Set(record?.spikes);
    const call = record?.call ?? undefined;
    this.#call = call && { call, json: JSON.stringify(call) };
    this.#waiting = [];
    this.#beyond = NO_ALERTS;
    for (const alert of record?.waiting ?? []) this.#admit(alert);
    this.#beyond = addAlertCounts(this.#beyond, record?.beyond ?? NO_ALERTS);
  }

  /** Reads the note; rejects with the system's error. */
  static async open(note: StoreNote): Promise<AlertQueue> {
    const record = await note.read();
    return new AlertQueue(note, isAlertRecord(record) ? record : undefined);
  }

  /** Number of alerts that are not sent yet. */
  get pending(): number {
    const call = this.#call?.call;
    const calling = call === undefined ? 0 : totalOf(countAlerts(call.alerts, call.beyond));
    return calling + this.#waiting.length + totalOf(this.#beyond);
  }

  /** Time of the oldest one, RFC 3339. */
  get oldestAt(): string | undefined {
    return (this.#call?.call.alerts[0] ?? this.#waiting[0]?.alert)?.at;
  }

  /** Whether alerts wait besides the call in progress. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0 || this.isOverfull;
  }

  /** Whether some alerts are only counted. */
  get isOverfull(): boolean {
    return totalOf(this.#beyond) > 0;
  }

  get room(): number {
    return MAX_WAITING_ALERTS - this.#waiting.length;
  }

  get spikes(): readonly IssueId[] {
    return [...this.#spikes];
  }

  isSpikeReported(issueId: IssueId): boolean {
    return this.#spikes.has(issueId);
  }

  /** Skips everything before a position, for example at the first start; `spiking` issues count as reported. */
  startAt(cursor: string, spiking: readonly IssueId[]): void {
    this.cursor = cursor;
    for (const issueId of spiking) this.#addSpike(issueId);
  }

  apply({ cursor, alerts, beyond, spikesBegun, spikesEnded }: AlertStep): void {
    this.cursor = cursor;
    for (const issueId of spikesEnded) this.#spikes.delete(issueId);
    for (const issueId of spikesBegun) this.#addSpike(issueId);
    for (const alert of alerts) this.#admit(alert);
    this.#beyond = addAlertCounts(this.#beyond, beyond);
  }

  forgetSpike(issueId: IssueId): void {
    this.#spikes.delete(issueId);
  }

  /** Returns the call in progress, else starts one of at most `maxAlerts`; undefined if nothing waits. */
  beginCall(maxAlerts: number): Call | undefined {
    if (this.#call !== undefined || !this.hasWaiting) return this.#call?.call;
    // Counted alerts are newer than all waiting ones.
    const isAll = maxAlerts > 1 && this.#waiting.length <= maxAlerts;
    const taken = this.#waiting.splice(0, maxAlerts);
    const [alerts, texts] = [taken.map(({ alert }) => alert), taken.map(({ json }) => json)];
    for (const text of texts) this.#waitingUnits -= text.length;
    const isBeyondTold = isAll || alerts.length === 0;
    const at = new Date().toISOString();
    const call = { id: `msg_${randomUUID()}`, at, alerts, beyond: isBeyondTold ? this.#beyond : NO_ALERTS };
    if (isBeyondTold) this.#beyond = NO_ALERTS;
    this.#call = { call, json: encodeCall(call, texts) };
    return call;
  }

  endCall(): void {
    this.#call = undefined;
  }

  /** Makes all changes durable; rejects with the system's error. Concurrent calls share a write. */
  save(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#writing === undefined) return this.#write();
    const before = this.#writing.catch(() => undefined);
    this.#next = before.then(() => {
      this.#next = undefined;
      return this.#write();
    });
    return this.#next;
  }

  #write(): Promise<void> {
    if (this.cursor === undefined) return Promise.resolve();
    const json = encodeAlertRecord(
      { cursor: this.cursor, spikes: this.spikes, beyond: this.#beyond },
      this.#call?.json ?? null,
      this.#waiting.map((one) => one.json),
    );
    const writing = this.#note.write(json).finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    this.#writing = writing;
    return writing;
  }

  #admit(alert: Alert): void {
    const json = JSON.stringify(alert);
    const hasRoom = this.room > 0 && this.#waitingUnits + json.length <= MAX_WAITING_UNITS && !this.isOverfull;
    if (!hasRoom) {
      this.#beyond = countAlerts([alert], this.#beyond);
      return;
    }
    this.#waiting.push({ alert, json });
    this.#waitingUnits += json.length;
  }

  #addSpike(issueId: IssueId): void {
    this.#spikes.delete(issueId);
    this.#spikes.add(issueId);
    const [oldest] = this.#spikes;
    if (this.#spikes.size > MAX_SPIKES && oldest !== undefined) this.#spikes.delete(oldest);
  }
}

/** The record as a note holds it; `call` (or null) and `waiting` are JSON already, serialized once for all notes. */
function encodeAlertRecord(
  short: Pick<AlertRecord, 'cursor' | 'spikes' | 'beyond'>,
  call: string | null,
  waiting: readonly string[],
): string {
  const json = JSON.stringify({ version: VERSION, ...short });
  return `${json.slice(0, -1)},"call":${call},"waiting":[${waiting.join(',')}]}`;
}

function encodeCall({ id, at, beyond }: Call, alerts: readonly string[]): string {
  return `${JSON.stringify({ id, at, beyond }).slice(0, -1)},"alerts":[${alerts.join(',')}]}`;
}

/** Whether a note is a record of this version. The note's checksum guards the members. */
function isAlertRecord(value: unknown): value is AlertRecord {
  return isJsonObject(value) && value['version'] === VERSION && Array.isArray(value['waiting']);
}
