import { type FingerprintValue, toIssueId } from '../../event/ids.js';
import { Dictionary } from './dictionary.js';
import { DocumentFields } from './document-fields.js';
import type { IssueCard } from './issue-state.js';
import type { StringPool } from './string-pool.js';

/** Issues whose cards share a document. */
export const CARDS_PER_BLOCK = 256;

const FINGERPRINT = /^[0-9a-f]{32}$/;

/** Cards of issues that follow each other, as columns. */
export function encodeCards(cards: readonly IssueCard[]): object {
  const names = new Dictionary();
  return {
    issue_id: cards.map((card) => card.issueId),
    fingerprint: cards.map((card) => card.fingerprint),
    fingerprint_version: cards.map((card) => card.fingerprintVersion),
    app: cards.map((card) => names.place(card.app)),
    service: cards.map((card) => names.place(card.service)),
    error_name: cards.map((card) => names.place(card.errorName)),
    title: cards.map((card) => card.title),
    culprit: cards.map((card) => card.culprit),
    message: cards.map((card) => card.message),
    first_received_at: cards.map((card) => card.firstReceivedAtMicros),
    names: names.texts(),
  };
}

/** Reads back what `encodeCards` made of that many cards; throws `INDEX_UNUSABLE`. */
export function decodeCards(path: string, data: unknown, count: number, pool: StringPool): IssueCard[] {
  const fields = new DocumentFields(path, data);
  const names = fields.texts('names');
  const named = (key: string): string[] =>
    fields.integers(key, count).map((place) => {
      const name = names[place];
      if (name === undefined) throw fields.unusable(key);
      return pool.share(name);
    });
  const fingerprints = fields.texts('fingerprint', count).filter(isFingerprint);
  if (fingerprints.length !== count) throw fields.unusable('fingerprint');
  const versions = fields.integers('fingerprint_version', count);
  const apps = named('app');
  const services = named('service');
  const errorNames = named('error_name');
  const titles = fields.texts('title', count);
  const culprits = fields.textsOrNulls('culprit', count);
  const messages = fields.texts('message', count);
  const firstReceivedAt = fields.integers('first_received_at', count);
  return fields.texts('issue_id', count).map((text, place) => {
    const issueId = toIssueId(text);
    const fingerprint = fingerprints[place];
    if (issueId === undefined || fingerprint === undefined) throw fields.unusable('issue_id');
    return {
      issueId,
      fingerprint,
      fingerprintVersion: versions[place] ?? 0,
      app: apps[place] ?? '',
      service: services[place] ?? '',
      title: titles[place] ?? '',
      culprit: culprits[place] ?? null,
      errorName: errorNames[place] ?? '',
      message: messages[place] ?? '',
      firstReceivedAtMicros: firstReceivedAt[place] ?? 0,
    };
  });
}

function isFingerprint(text: string): text is FingerprintValue {
  return FINGERPRINT.test(text);
}
