import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DecidedSuggestion, RegroupResult, Suggestion } from '../../../generated/reader-answers.js';
import { Fault } from '../../event/fault.js';
import { isJsonObject, parseJson } from '../../event/json.js';
import { createGrouper } from '../../fingerprint/grouper.js';
import type { GroupingRule } from '../../fingerprint/grouping-settings.js';
import type { DataFolder } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { setAside, writeFileDurably } from '../files/write-durably.js';
import type { IssueIndex } from '../index/issue-index.js';
import { storeUnavailable } from '../record/append-faults.js';
import type { Decision, Regroup, RegroupOptions } from '../regroup/regrouping.js';
import type { StoreGroupings } from '../regroup/store-groupings.js';

/** In the data folder: `{"decided": […]}`. */
export const SUGGESTIONS_FILE = 'suggestions.json';

interface SuggestionDecisionsOptions extends DataFolder {
  readonly decided: readonly DecidedSuggestion[];
  readonly groupings: Pick<StoreGroupings, 'grouper' | 'configure'>;
  readonly index: Pick<IssueIndex, 'content'>;
  readonly regroup: Pick<Regroup, 'apply'>;
  readonly reader: {
    /** Open suggestions that are wanted. */
    findSuggestions(isWanted: (suggestion: Suggestion) => boolean): Promise<readonly Suggestion[]>;
  };
  readonly nowMs: () => number;
}

export type SuggestionDecisions = ReturnType<typeof createSuggestionDecisions>;

/** Creates functions that decide about suggestions of an open store. Accepted rules follow the configured ones. */
export function createSuggestionDecisions(options: SuggestionDecisionsOptions) {
  const { files, directory, groupings, index, regroup, reader, nowMs } = options;
  let { decided } = options;
  let issuesSeen = 0;
  let regrouping: Promise<unknown> | undefined;
  let changes: Promise<unknown> = Promise.resolve();

  function entryOf(suggestion: Suggestion, state: DecidedSuggestion['state'], by: string | null): DecidedSuggestion {
    return { ...suggestion, state, at: new Date(nowMs()).toISOString(), by };
  }

  /** Returns the regrouping that decides and groups by the accepted rules; an error restores what was decided before. */
  function regroupBy(entries: readonly DecidedSuggestion[]): (options: RegroupOptions) => Promise<RegroupResult> {
    const run = async (regroupOptions: RegroupOptions): Promise<RegroupResult> => {
      const ids = entries.map(({ id }) => id);
      const before = decided.filter(({ id }) => ids.includes(id));
      const { settings } = groupings.grouper;
      const accepted = withAccepted([], decided);
      const configured = settings.rules.filter((rule) => !accepted.some((one) => isDeepStrictEqual(one, rule)));
      const changed = { ...settings, rules: withAccepted(configured, replaced(decided, entries, ids)) };
      createGrouper(changed);
      await change(entries, ids);
      try {
        await groupings.configure(changed);
        return await regroup.apply(changed, regroupOptions);
      } catch (error) {
        await change(before, ids);
        // While the store closes this may fail; the next start configures what the file says.
        await groupings.configure(settings).catch(() => undefined);
        throw error;
      }
    };
    return (regroupOptions) => {
      const running = run(regroupOptions);
      regrouping = running;
      return running;
    };
  }

  /** Replaces the decisions of these ids, one change at a time. */
  function change(entries: readonly DecidedSuggestion[], ids: readonly string[]): Promise<void> {
    const changed = changes.then(async () => {
      const after = replaced(decided, entries, ids);
      const text = `${JSON.stringify({ decided: after }, undefined, 2)}\n`;
      await writeFileDurably(files, join(directory, SUGGESTIONS_FILE), text).catch((cause: unknown) => {
        throw storeUnavailable(cause);
      });
      decided = after;
    });
    changes = changed.catch(() => undefined);
    return changed;
  }

  return {
    /** The last first. */
    get decided() {
      return decided;
    },
    /** Makes a decision, or returns the regrouping that makes it. Throws `SUGGESTION_NOT_FOUND`. */
    async plan(id: string, decision: Decision, by: string | null) {
      const known = decided.find((one) => one.id === id);
      const [suggestion] =
        known || decision === 'undo' ? [known] : await reader.findSuggestions((one) => one.id === id);
      if (suggestion === undefined) throw new Fault('SUGGESTION_NOT_FOUND', `suggestion ${id} does not exist`);
      const entry = entryOf(suggestion, decision === 'accept' ? 'accepted' : 'dismissed', by);
      if (decision === 'accept' || known?.state === 'accepted') return regroupBy([entry]);
      await change(decision === 'undo' ? [] : [entry], [id]);
      return entry;
    },
    /** Plans to accept all suggestions to join; undefined without any, or without a new issue since the last call. */
    async planAll(by: string) {
      const { length } = index.content.issues.inOrder;
      if (length === issuesSeen) return undefined;
      issuesSeen = length;
      const found = await reader.findSuggestions(({ purpose }) => purpose === 'join');
      return found.length === 0 ? undefined : regroupBy(found.map((suggestion) => entryOf(suggestion, 'accepted', by)));
    },
    /** Waits for a regrouping that ends, and for the file. */
    async close(): Promise<void> {
      await regrouping?.catch(() => undefined);
      await changes;
    },
  };
}

function replaced(
  decided: readonly DecidedSuggestion[],
  entries: readonly DecidedSuggestion[],
  ids: readonly string[],
): readonly DecidedSuggestion[] {
  return [...entries, ...decided.filter(({ id }) => !ids.includes(id))];
}

/** Returns configured rules and those of accepted suggestions, the first accepted first. */
export function withAccepted(rules: readonly GroupingRule[], decided: readonly DecidedSuggestion[]): GroupingRule[] {
  return [...rules, ...decided.flatMap(({ state, rule }) => (state === 'accepted' ? [rule] : [])).reverse()];
}

/** Reads the decisions, the last first. A damaged file is reported, set aside by the writer, and reads as empty. */
export async function readDecided({
  directory,
  files,
  onFault,
  isWriter,
}: DataFolder & {
  onFault: ((fault: Fault) => void) | undefined;
  isWriter: boolean;
}): Promise<readonly DecidedSuggestion[]> {
  const path = join(directory, SUGGESTIONS_FILE);
  const content = await files.readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'EISDIR')) return Buffer.alloc(0);
    throw error;
  });
  if (content === undefined) return [];
  // The checks are large, and most folders have no decisions.
  const { isDecidedSuggestion } = await import('../../../generated/answer-checks.js');
  const value = parseJson(content.toString('utf8'));
  const decided: unknown = isJsonObject(value) ? value['decided'] : undefined;
  if (Array.isArray(decided) && decided.every((one) => isDecidedSuggestion(one))) return decided;
  const sentence = `${path} is damaged: accepted and dismissed suggestions are forgotten, and new events are grouped without accepted rules.`;
  onFault?.(new Fault('SUGGESTIONS_UNUSABLE', sentence));
  if (isWriter) await setAside(files, path);
  return [];
}
