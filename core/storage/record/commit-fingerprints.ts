import type { FingerprintValue } from '../../event/ids.js';
import { checksumOf } from './stored-text.js';

/** What grouped the lines of one commit record when they arrived, in the order of its lines. */
export interface CommitFingerprints {
  /** Of the rules that gave all of them. */
  readonly version: number;
  /** 32 lowercase hexadecimal characters for each line. */
  readonly values: string;
}

/** What grouped one line when it arrived. */
export interface StoredFingerprint {
  readonly version: number;
  readonly value: FingerprintValue;
}

/** Characters of a fingerprint. */
const VALUE_LENGTH = 32;
/** Nothing that a store writes before it holds this: quotes within a mark are escaped. */
const MEMBER = ',"fingerprints":';
const CONTENT = /^\{"version":([1-9]\d{0,14}),"values":"([0-9a-f]*)","crc32c":"([0-9a-f]{8})"\}\}\s*$/;

/** The member of a commit record with the comma before it; its checksum is over `<version>:<values>`. */
export function encodeFingerprints(fingerprints: CommitFingerprints): string {
  const { version, values } = fingerprints;
  return `${MEMBER}{"version":${version},"values":"${values}","crc32c":"${checksumOf(`${version}:${values}`)}"}`;
}

/**
 * Takes the fingerprints off the line of a commit record: they are many more bytes than all the rest, and what happened to them must not take the
 * rest along. `content` is undefined where there are none.
 */
export function splitFingerprints(text: string): { readonly rest: string; readonly content: string | undefined } {
  const at = text.indexOf(MEMBER);
  if (at < 0) return { rest: text, content: undefined };
  return { rest: `${text.slice(0, at)}}`, content: text.slice(at + MEMBER.length) };
}

/** Reads what `splitFingerprints` took off a record of so many lines; `damaged` where it is not as it was written. */
export function readFingerprints(content: string, lines: number): CommitFingerprints | 'damaged' {
  const [, version = '', values = '', checksum] = CONTENT.exec(content) ?? [];
  const isWhole = values.length === lines * VALUE_LENGTH && checksum === checksumOf(`${version}:${values}`);
  return isWhole ? { version: Number(version), values } : 'damaged';
}

/** That of one line, by its place in the record. */
export function fingerprintAt({ version, values }: CommitFingerprints, place: number): StoredFingerprint {
  const value = values.slice(place * VALUE_LENGTH, (place + 1) * VALUE_LENGTH) as FingerprintValue;
  return { version, value };
}
