import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import {
  createStoredState,
  type IssueHeader,
  type IssueMemory,
  type IssueState,
  type IssueTexts,
} from '../content/issue-state.js';
import { type DocumentParts, parseJson } from '../documents/document-adapter.js';
import { Dictionary, DocumentFields } from '../documents/document-fields.js';

const ISSUE_ID_LENGTH = 36;
const FINGERPRINT_LENGTH = 32;

/**
 * Encodes the headers of consecutive issues as columns, in two parts: the texts come second, because only readers need them. Ids and
 * fingerprints have fixed lengths and are stored as one text each, which parses faster.
 */
export function encodeIssueHeaders(headers: readonly IssueHeader[]): readonly [head: object, texts: object] {
  const names = new Dictionary();
  const head = {
    issue_id: headers.map((header) => header.issueId).join(''),
    fingerprint: headers.map((header) => header.fingerprint).join(''),
    fingerprint_version: headers.map((header) => header.fingerprintVersion),
    app: headers.map((header) => names.codeOf(header.app)),
    service: headers.map((header) => names.codeOf(header.service)),
    error_name: headers.map((header) => names.codeOf(header.errorName)),
    first_received_at: headers.map((header) => header.firstReceivedAtMicros),
    first_release: headers.map((header) => names.codeOf(header.firstRelease)),
    names: names.texts(),
  };
  const texts = {
    title: headers.map((header) => header.title),
    culprit: headers.map((header) => header.culprit),
    message: headers.map((header) => header.message),
  };
  return [head, texts];
}

/** Decodes `encodeIssueHeaders` into `count` issues without events, from the ordinal `first`; their texts are parsed on first use. Throws `INDEX_UNUSABLE`. */
export function decodeIssueHeaders(
  path: string,
  { head, tail }: DocumentParts,
  { first, count }: { readonly first: number; readonly count: number },
  memory: IssueMemory,
): IssueState[] {
  const fields = new DocumentFields(path, head);
  const names = fields.texts('names');
  const ids = joined(fields, 'issue_id', count, ISSUE_ID_LENGTH);
  const fingerprints = joined(fields, 'fingerprint', count, FINGERPRINT_LENGTH);
  const versions = fields.integers('fingerprint_version', count);
  const apps = fields.integers('app', count);
  const services = fields.integers('service', count);
  const errorNames = fields.integers('error_name', count);
  const firstReceivedAt = fields.times('first_received_at', count);
  const firstReleases = fields.integers('first_release', count);
  const texts = storedTexts(path, tail, { first, count });
  const nameAt = (key: string, index: number | undefined): string => {
    const name = names[index ?? -1];
    if (name === undefined) throw fields.unusable(key);
    return name;
  };
  return versions.map((fingerprintVersion, index) => {
    const fingerprint = fingerprints.slice(index * FINGERPRINT_LENGTH, (index + 1) * FINGERPRINT_LENGTH);
    const header = {
      // `joined` has checked characters and lengths.
      issueId: ids.slice(index * ISSUE_ID_LENGTH, (index + 1) * ISSUE_ID_LENGTH) as IssueId,
      fingerprint: fingerprint as FingerprintValue,
      fingerprintVersion,
      app: nameAt('app', apps[index]),
      service: nameAt('service', services[index]),
      errorName: nameAt('error_name', errorNames[index]),
      firstReceivedAtMicros: firstReceivedAt[index] ?? 0,
      firstRelease: nameAt('first_release', firstReleases[index]),
    };
    return createStoredState(header, first + index, memory, texts);
  });
}

/** `count` texts of one length, each of 32 hexadecimal digits and dashes. */
function joined(fields: DocumentFields, key: string, count: number, length: number): string {
  const text = fields.text(key);
  const digits = text.replaceAll('-', '');
  // Faster than a regular expression for 100,000 ids.
  const isHex = Buffer.from(digits, 'hex').toString('hex') === digits;
  if (!isHex || digits.length !== count * FINGERPRINT_LENGTH || text.length !== count * length)
    throw fields.unusable(key);
  return text;
}

/** The texts of a document's issues by ordinal, parsed when a reader first needs one, which may throw `INDEX_UNUSABLE`. */
function storedTexts(
  path: string,
  json: Buffer,
  { first, count }: { readonly first: number; readonly count: number },
): (ordinal: number) => IssueTexts {
  let unparsed: Buffer | undefined = json;
  let titles: readonly string[] = [];
  let culprits: readonly (string | null)[] = [];
  let messages: readonly string[] = [];
  return (ordinal) => {
    if (unparsed !== undefined) {
      const fields = new DocumentFields(path, parseJson(unparsed, path));
      titles = fields.texts('title', count);
      culprits = fields.textsOrNulls('culprit', count);
      messages = fields.texts('message', count);
      unparsed = undefined;
    }
    const index = ordinal - first;
    return { title: titles[index] ?? '', culprit: culprits[index] ?? null, message: messages[index] ?? '' };
  };
}
