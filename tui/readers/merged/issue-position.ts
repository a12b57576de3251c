import type { IssueListOptions } from '../../../core/contract/reader.js';
import type { SourceCursor } from './issue-window.js';
import { decodeMergedCursor, encodeMergedCursor, invalidMergedCursor } from './merged-cursor.js';

/** Start of the next page of merged issues. */
export interface IssuePosition {
  /** One per source, in the order of the sources. */
  readonly starts: readonly SourceCursor[];
  /** Short ids of issues after the starts that were already listed. */
  readonly shown: readonly string[];
}

/** Returns the start of a list over a number of sources. */
export function firstIssuePosition(sources: number): IssuePosition {
  return { starts: Array.from({ length: sources }, () => ({ after: null })), shown: [] };
}

/** Encodes a position as a cursor. */
export function encodeIssuePosition(options: IssueListOptions, { starts, shown }: IssuePosition): string {
  const at = starts.map((start) => (start === 'end' ? false : start.after));
  return encodeMergedCursor(listName(options), { at, shown: [...shown] });
}

/** Decodes a cursor. Throws `CURSOR_INVALID`, also for a cursor of another list or number of sources. */
export function decodeIssuePosition(options: IssueListOptions, cursor: string, sources: number): IssuePosition {
  const value = decodeMergedCursor(listName(options), cursor);
  if (typeof value !== 'object' || value === null || !('at' in value) || !('shown' in value)) {
    throw invalidMergedCursor();
  }
  const { at, shown } = value;
  if (!Array.isArray(at) || at.length !== sources || !Array.isArray(shown)) throw invalidMergedCursor();
  return { starts: at.map(toStart), shown: shown.filter((id) => typeof id === 'string') };
}

/** Returns an issue id as base64url, which keeps cursors short. */
export function shortId(issueId: string): string {
  return Buffer.from(issueId.replaceAll('-', ''), 'hex').toString('base64url');
}

function toStart(value: unknown): SourceCursor {
  if (value === false) return 'end';
  if (value === null || typeof value === 'string') return { after: value };
  throw invalidMergedCursor();
}

function listName({ query = '', sort = 'last_seen' }: IssueListOptions): string {
  return JSON.stringify(['issues', query, sort]);
}
