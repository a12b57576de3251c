import { MAX_PART_RECORDS } from './decode-limits.js';
import type { OtlpBadRecord, OtlpPart } from './otlp-records.js';

/** Why a record is bad. */
export type BadRecordReason = Omit<OtlpBadRecord, 'received'>;

/** Gathers records until they make a part. */
export class PartCollector<Item> {
  #records: Item[] = [];
  #bad: OtlpBadRecord[] = [];

  add(record: Item): void {
    this.#records.push(record);
  }

  addBad(reason: BadRecordReason, received: Buffer): void {
    this.#bad.push({ ...reason, received });
  }

  get isEmpty(): boolean {
    return this.#records.length + this.#bad.length === 0;
  }

  get isFull(): boolean {
    return this.#records.length + this.#bad.length >= MAX_PART_RECORDS;
  }

  /** What was gathered since the last call. */
  take(): OtlpPart<Item> {
    const part = { records: this.#records, bad: this.#bad };
    this.#records = [];
    this.#bad = [];
    return part;
  }
}
