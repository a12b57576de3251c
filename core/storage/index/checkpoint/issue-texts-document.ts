import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import {
  createStoredState,
  type IssueCard,
  type IssueState,
  type IssueTexts,
  type StringPool,
} from '../content/issue-state.js';
import { Dictionary } from '../documents/dictionary.js';
import type { DocumentParts } from '../documents/document-adapter.js';
import { DocumentFields } from '../documents/document-fields.js';
import { indexUnusable } from '../documents/index-fault.js';

/** Issues whose cards share a document. */
export const CARDS_PER_BLOCK = 256;

const ISSUE_ID_LENGTH = 36;
const FINGERPRINT_LENGTH = 32;

/**
 * Cards of issues that follow each other, as columns, in two parts: the texts come second, because nobody needs them before somebody reads.
 * Ids and fingerprints are all of one length and lie in one text each, which is read much faster than many.
 */
export function encodeCards(cards: readonly IssueCard[]): readonly [head: object, texts: object] {
  const names = new Dictionary();
  const head = {
    issue_id: cards.map((card) => card.issueId).join(''),
    fingerprint: cards.map((card) => card.fingerprint).join(''),
    fingerprint_version: cards.map((card) => card.fingerprintVersion),
    app: cards.map((card) => names.place(card.app)),
    service: cards.map((card) => names.place(card.service)),
    error_name: cards.map((card) => names.place(card.errorName)),
    first_received_at: cards.map((card) => card.firstReceivedAtMicros),
    names: names.texts(),
  };
  const texts = {
    title: cards.map((card) => card.title),
    culprit: cards.map((card) => card.culprit),
    message: cards.map((card) => card.message),
  };
  return [head, texts];
}

/** Where a document's issues stand among all of them. */
export interface CardPlaces {
  /** Ordinal of the first. */
  readonly first: number;
  readonly count: number;
}

/** Makes issues, without events, of what `encodeCards` made of so many; throws `INDEX_UNUSABLE`. Their texts are looked at later. */
export function decodeCards(
  path: string,
  { head, tail }: DocumentParts,
  { first, count }: CardPlaces,
  pool: StringPool,
): IssueState[] {
  const fields = new DocumentFields(path, head);
  const names = fields.texts('names').map((name) => pool.share(name));
  const ids = joined(fields, 'issue_id', count, ISSUE_ID_LENGTH);
  const fingerprints = joined(fields, 'fingerprint', count, FINGERPRINT_LENGTH);
  const versions = fields.integers('fingerprint_version', count);
  const apps = fields.integers('app', count);
  const services = fields.integers('service', count);
  const errorNames = fields.integers('error_name', count);
  const firstReceivedAt = fields.times('first_received_at', count);
  const texts = new StoredTexts(path, tail, count);
  const nameAt = (key: string, place: number | undefined): string => {
    const name = names[place ?? -1];
    if (name === undefined) throw fields.unusable(key);
    return name;
  };
  return versions.map((fingerprintVersion, place) => {
    const issueId = ids.slice(place * ISSUE_ID_LENGTH, (place + 1) * ISSUE_ID_LENGTH);
    const fingerprint = fingerprints.slice(place * FINGERPRINT_LENGTH, (place + 1) * FINGERPRINT_LENGTH);
    if (!isIssueId(issueId) || !isFingerprint(fingerprint)) throw fields.unusable('issue_id');
    const card = {
      issueId,
      fingerprint,
      fingerprintVersion,
      app: nameAt('app', apps[place]),
      service: nameAt('service', services[place]),
      errorName: nameAt('error_name', errorNames[place]),
      firstReceivedAtMicros: firstReceivedAt[place] ?? 0,
    };
    return createStoredState(card, first + place, texts, place);
  });
}

/** Texts of one length, all of 32 hexadecimal digits and of dashes. */
function joined(fields: DocumentFields, key: string, count: number, length: number): string {
  const text = fields.text(key);
  const digits = text.replaceAll('-', '');
  // By way of bytes and back this takes a tenth of what a regular expression takes, and there may be 100,000 of each.
  const isHex = Buffer.from(digits, 'hex').toString('hex') === digits;
  if (!isHex || digits.length !== count * FINGERPRINT_LENGTH || text.length !== count * length)
    throw fields.unusable(key);
  return text;
}

/** Of a text that was cut out of checked ones. */
function isIssueId(text: string): text is IssueId {
  return text.length === ISSUE_ID_LENGTH;
}

/** Of a text that was cut out of checked ones. */
function isFingerprint(text: string): text is FingerprintValue {
  return text.length === FINGERPRINT_LENGTH;
}

/** Texts as they were stored: parsed when the first one is asked for, which throws `INDEX_UNUSABLE`, and not before the collector takes events. */
class StoredTexts implements IssueTexts {
  readonly #path: string;
  readonly #count: number;
  #json: Buffer | undefined;
  #titles: readonly string[] = [];
  #culprits: readonly (string | null)[] = [];
  #messages: readonly string[] = [];

  /** `json` is kept until it is parsed. */
  constructor(path: string, json: Buffer, count: number) {
    this.#path = path;
    this.#json = json;
    this.#count = count;
  }

  titleAt(place: number): string {
    if (this.#json !== undefined) this.#parse(this.#json);
    return this.#titles[place] ?? '';
  }

  culpritAt(place: number): string | null {
    if (this.#json !== undefined) this.#parse(this.#json);
    return this.#culprits[place] ?? null;
  }

  messageAt(place: number): string {
    if (this.#json !== undefined) this.#parse(this.#json);
    return this.#messages[place] ?? '';
  }

  #parse(json: Buffer): void {
    const fields = new DocumentFields(this.#path, this.#valueOf(json));
    this.#titles = fields.texts('title', this.#count);
    this.#culprits = fields.textsOrNulls('culprit', this.#count);
    this.#messages = fields.texts('message', this.#count);
    this.#json = undefined;
  }

  #valueOf(json: Buffer): unknown {
    try {
      return JSON.parse(json.toString('utf8'));
    } catch (cause) {
      throw indexUnusable(this.#path, 'is not JSON', cause);
    }
  }
}
