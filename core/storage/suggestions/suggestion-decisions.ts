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
  /** Open suggestions that are wanted. */
  readonly find: (isWanted: (suggestion: Suggestion) => boolean) => Promise<readonly Suggestion[]>;
  readonly nowMs: () => number;
}

/** A decision that is made, or the regrouping that makes it. */
type Planned = DecidedSuggestion | ((options: RegroupOptions) => Promise<RegroupResult>);

/** Decides about suggestions of an open store. Accepted rules follow the configured ones. */
export class SuggestionDecisions {
  readonly #options: SuggestionDecisionsOptions;
  /** The last first. */
  decided: readonly DecidedSuggestion[];
  #issuesSeen = 0;
  #regrouping: Promise<unknown> | undefined;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(options: SuggestionDecisionsOptions) {
    this.#options = options;
    this.decided = options.decided;
  }

  /** Makes a decision, or plans it if it has to regroup. Throws `SUGGESTION_NOT_FOUND`. */
  async plan(id: string, decision: Decision, by: string | null): Promise<Planned> {
    const known = this.decided.find((one) => one.id === id);
    const [suggestion] = known || decision === 'undo' ? [known] : await this.#options.find((one) => one.id === id);
    if (suggestion === undefined) throw new Fault('SUGGESTION_NOT_FOUND', `suggestion ${id} does not exist`);
    const decided = this.#entry(suggestion, decision === 'accept' ? 'accepted' : 'dismissed', by);
    if (decision === 'accept' || known?.state === 'accepted')
      return (options) => this.#track(this.#regroup([decided], options));
    await this.#change(decision === 'undo' ? [] : [decided], [id]);
    return decided;
  }

  /** Plans to accept all suggestions to join; undefined without any, or without a new issue since the last call. */
  async planAll(by: string): Promise<((options: RegroupOptions) => Promise<RegroupResult>) | undefined> {
    const { length } = this.#options.index.content.issues.inOrder;
    if (length === this.#issuesSeen) return undefined;
    this.#issuesSeen = length;
    const found = await this.#options.find(({ purpose }) => purpose === 'join');
    if (found.length === 0) return undefined;
    const entries = found.map((suggestion) => this.#entry(suggestion, 'accepted', by));
    return (options) => this.#track(this.#regroup(entries, options));
  }

  /** Waits for a regrouping that ends, and for the file. */
  async close(): Promise<void> {
    await this.#regrouping?.catch(() => undefined);
    await this.#changes;
  }

  #track<Result>(regrouping: Promise<Result>): Promise<Result> {
    this.#regrouping = regrouping;
    return regrouping;
  }

  #entry(suggestion: Suggestion, state: DecidedSuggestion['state'], by: string | null): DecidedSuggestion {
    return { ...suggestion, state, at: new Date(this.#options.nowMs()).toISOString(), by };
  }

  /** Decides and groups by the accepted rules; an error restores what was decided before. */
  async #regroup(entries: readonly DecidedSuggestion[], options: RegroupOptions): Promise<RegroupResult> {
    const { groupings, regroup } = this.#options;
    const ids = entries.map(({ id }) => id);
    const before = this.decided.filter(({ id }) => ids.includes(id));
    const { settings } = groupings.grouper;
    const accepted = withAccepted([], this.decided);
    const configured = settings.rules.filter((rule) => !accepted.some((one) => isDeepStrictEqual(one, rule)));
    const changed = { ...settings, rules: withAccepted(configured, replaced(this.decided, entries, ids)) };
    createGrouper(changed);
    await this.#change(entries, ids);
    try {
      await groupings.configure(changed);
      return await regroup.apply(changed, options);
    } catch (error) {
      await this.#change(before, ids);
      // While the store closes this may fail; the next start configures what the file says.
      await groupings.configure(settings).catch(() => undefined);
      throw error;
    }
  }

  /** Replaces the decisions of these ids, one change at a time. */
  #change(entries: readonly DecidedSuggestion[], ids: readonly string[]): Promise<void> {
    const { files, directory } = this.#options;
    const changed = this.#changes.then(async () => {
      const decided = replaced(this.decided, entries, ids);
      const text = `${JSON.stringify({ decided }, undefined, 2)}\n`;
      await writeFileDurably(files, join(directory, SUGGESTIONS_FILE), text).catch((cause: unknown) => {
        throw storeUnavailable(cause);
      });
      this.decided = decided;
    });
    this.#changes = changed.catch(() => undefined);
    return changed;
  }
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
