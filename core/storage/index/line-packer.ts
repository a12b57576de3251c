import { decodeRawLine } from '../../event/decode-raw-line.js';
import { weightOf } from '../../event/event-weight.js';
import { Fault } from '../../event/fault.js';
import type { FingerprintValue } from '../../event/ids.js';
import { listedMessage } from '../../event/listed-message.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import { issueIdOf } from '../../issues/issue-id.js';
import { levelOf, typeOf } from '../../normalize/normalize.js';
import { parseTimestamp } from '../../normalize/timestamp.js';
import { VALUE_LENGTH } from '../record/commit-fingerprints.js';
import { type DescribedIssues, describedKey, namesKey } from './described-issues.js';
import { writeFingerprint } from './issue-table.js';
import {
  BYTES,
  COLUMNS,
  DESCRIPTION,
  DESCRIPTION_TEXTS,
  ENV,
  KEY_PARTS,
  LEVEL,
  NANOS,
  type PackedLines,
  RELEASE,
  TYPE,
  UNREAD,
  USER,
} from './packed-lines.js';
import { userHash } from './user-sketch.js';

/** How lines are packed. */
export interface LinePackerOptions {
  described: DescribedIssues;
  /** That of the lines, as `DescribedIssues` counts them. */
  batch: number;
}

/** What is known of how the lines of a commit are grouped. */
export interface CommitGrouping {
  /** What groups its lines, `VALUE_LENGTH` characters for each; undefined where they are grouped here. */
  readonly values: string | undefined;
  /** Groups, and describes new issues. */
  fingerprint(payload: RawPayload): Fingerprint;
}

/** The bytes of one commit. */
export interface CommitContent {
  readonly bytes: Buffer;
  /** As `lineStarts` gives them. */
  readonly starts: Uint32Array;
}

/** A service of the lines that are packed. */
interface PackedService {
  readonly place: number;
  readonly key: number;
}

const FIRST_LINES = 512;

/** Reads lines, and packs what the index looks at. One is used for the commits of one message. */
export class LinePacker {
  readonly #options: LinePackerOptions;
  readonly #lines: number[] = [];
  readonly #services: string[] = [];
  readonly #serviceOf = new Map<string, Map<string, PackedService>>();
  readonly #texts: string[] = [''];
  readonly #places = new Map<string, number>();
  readonly #descriptions: (string | null)[] = [];
  readonly #weights = new Map<number, number>();
  #keys = new Int32Array(FIRST_LINES * KEY_PARTS);
  #columns = new Int32Array(FIRST_LINES * COLUMNS);
  #times = new Float64Array(FIRST_LINES);
  #end = 0;

  constructor(options: LinePackerOptions) {
    this.#options = options;
  }

  /** Takes the next commit; undefined content makes it unread. */
  add(content: CommitContent | undefined, grouping: CommitGrouping): void {
    const first = this.#end;
    const isRead = content !== undefined && this.#addLines(content, grouping);
    if (!isRead) this.#takeBack(first);
    this.#lines.push(isRead ? this.#end - first : UNREAD);
  }

  /** Forgets the lines from that place on. */
  #takeBack(end: number): void {
    for (let place = end; place < this.#end; place += 1) this.#weights.delete(place);
    this.#end = end;
  }

  finish(): PackedLines {
    return {
      lines: Int32Array.from(this.#lines),
      services: this.#services,
      texts: this.#texts,
      descriptions: this.#descriptions,
      keys: this.#keys.slice(0, this.#end * KEY_PARTS),
      columns: this.#columns.slice(0, this.#end * COLUMNS),
      times: this.#times.slice(0, this.#end),
      weights: this.#weights,
    };
  }

  #addLines({ bytes, starts }: CommitContent, grouping: CommitGrouping): boolean {
    for (let place = 0; place < starts.length - 1; place += 1) {
      const start = starts[place] ?? 0;
      const end = (starts[place + 1] ?? 0) - 1;
      try {
        const payload = decodeRawLine(bytes.toString('utf8', start, end));
        this.#add(payload, end - start, grouping, place);
      } catch (error) {
        // Whoever asked reads the commit again and reports it.
        if (error instanceof Fault) return false;
        throw error;
      }
    }
    return true;
  }

  #add(payload: RawPayload, bytes: number, grouping: CommitGrouping, place: number): void {
    if (this.#end === this.#times.length) this.#grow();
    const { described, batch } = this.#options;
    const value = grouping.values?.slice(place * VALUE_LENGTH, (place + 1) * VALUE_LENGTH);
    const service = this.#service(payload);
    const grouped = value === undefined ? grouping.fingerprint(payload) : undefined;
    const key = this.#end * KEY_PARTS;
    this.#keys[key] = service.place;
    writeFingerprint(this.#keys, key + 1, value ?? grouped?.value ?? '');
    const isFirst = described.isFirst(describedKey(service.key, this.#keys[key + 1] ?? 0), batch);
    const at = this.#end * COLUMNS;
    const time = payload.timestamp === null ? undefined : parseTimestamp(payload.timestamp);
    this.#columns[at + BYTES] = bytes;
    this.#columns[at + ENV] = this.#text(payload.env);
    this.#columns[at + LEVEL] = this.#text(levelOf(payload));
    this.#columns[at + RELEASE] = payload.release === null ? 0 : this.#text(payload.release);
    this.#columns[at + TYPE] = this.#text(typeOf(payload));
    this.#columns[at + NANOS] = time?.nanos ?? 0;
    this.#columns[at + USER] = userHash(payload.user_id);
    this.#columns[at + DESCRIPTION] = isFirst
      ? this.#describe(payload, value, grouped ?? grouping.fingerprint(payload))
      : -1;
    this.#times[this.#end] = time?.ms ?? Number.NaN;
    const weight = weightOf(payload.extra);
    if (weight > 1) this.#weights.set(this.#end, weight);
    this.#end += 1;
  }

  /** A value that came with the line counts, also where its description says otherwise. */
  #describe(payload: RawPayload, stored: string | undefined, described: Fingerprint): number {
    const { app, service, error_name: errorName, message } = payload;
    const value = (stored ?? described.value) as FingerprintValue;
    const issueId = issueIdOf({ app, service, fingerprint: value });
    const { title, culprit } = described;
    return (
      this.#descriptions.push(issueId, value, title, culprit, errorName, listedMessage(message)) - DESCRIPTION_TEXTS
    );
  }

  #service({ app, service }: RawPayload): PackedService {
    let ofApp = this.#serviceOf.get(app);
    if (ofApp === undefined) {
      ofApp = new Map();
      this.#serviceOf.set(app, ofApp);
    }
    let known = ofApp.get(service);
    if (known === undefined) {
      known = { place: this.#services.push(app, service) / 2 - 1, key: namesKey(app, service) };
      ofApp.set(service, known);
    }
    return known;
  }

  #text(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.#texts.push(text) - 1;
    this.#places.set(text, place);
    return place;
  }

  #grow(): void {
    const lines = this.#times.length * 2;
    const [keys, columns, times] = [this.#keys, this.#columns, this.#times];
    this.#keys = new Int32Array(lines * KEY_PARTS);
    this.#columns = new Int32Array(lines * COLUMNS);
    this.#times = new Float64Array(lines);
    this.#keys.set(keys);
    this.#columns.set(columns);
    this.#times.set(times);
  }
}
