import type { IssueListOptions } from '../../../core/contract/reader.js';
import type { SourceCursor } from './issue-window.js';
import { decodeMergedCursor, encodeMergedCursor, invalidMergedCursor } from './merged-cursor.js';

/** Where the next page of merged issues begins. */
export interface IssuePosition {
  /** Of each source, in their order. */
  readonly starts: readonly SourceCursor[];
  /** Issues that were listed and stand behind the starts, as `shortId` says. */
  readonly shown: readonly string[];
}

/** The beginning of a list over so many sources. */
export function firstIssuePosition(sources: number): IssuePosition {
  return { starts: Array.from({ length: sources }, () => ({ after: null })), shown: [] };
}

/** The position as text. */
export function encodeIssuePosition(options: IssueListOptions, { starts, shown }: IssuePosition): string {
  const places = starts.map((start) => (start === 'end' ? false : start.after));
  return encodeMergedCursor(nameOf(options), { at: places, shown: [...shown] });
}

/** Throws `CURSOR_INVALID`, also for a cursor of another number of sources. */
export function decodeIssuePosition(options: IssueListOptions, cursor: string, sources: number): IssuePosition {
  const value = decodeMergedCursor(nameOf(options), cursor);
  if (typeof value !== 'object' || value === null || !('at' in value) || !('shown' in value)) {
    throw invalidMergedCursor();
  }
  const { at, shown } = value;
  if (!Array.isArray(at) || at.length !== sources || !Array.isArray(shown)) throw invalidMergedCursor();
  return { starts: at.map(toStart), shown: shown.filter((id) => typeof id === 'string') };
}

/** An issue's id in fewer characters. */
export function shortId(issueId: string): string {
  return Buffer.from(issueId.replaceAll('-', ''), 'hex').toString('base64url');
}

function toStart(value: unknown): SourceCursor {
  if (value === false) return 'end';
  if (value === null || typeof value === 'string') return { after: value };
  throw invalidMergedCursor();
}

function nameOf({ query = '', sort = 'last_seen', group }: IssueListOptions): string {
  return JSON.stringify(['issues', query, sort, group ?? null]);
}
