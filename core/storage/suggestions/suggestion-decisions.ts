import { isDeepStrictEqual } from 'node:util';
import type { DecidedSuggestion, RegroupResult, Suggestion } from '../../../generated/reader-answers.js';
import { Fault } from '../../event/fault.js';
import { createGrouper } from '../../fingerprint/grouper.js';
import type { GroupingSettings } from '../../fingerprint/grouping-settings.js';
import type { IssueIndex } from '../index/issue-index.js';
import type { Decision, Regroup, RegroupOptions } from '../regroup/regrouping.js';
import type { StoreGroupings } from '../regroup/store-groupings.js';
import { acceptedRules, type DecidedSuggestions } from './decided-suggestions.js';

interface SuggestionDecisionsOptions {
  readonly decided: DecidedSuggestions;
  readonly groupings: Pick<StoreGroupings, 'grouper' | 'configure'>;
  readonly index: Pick<IssueIndex, 'content'>;
  readonly regroup: Pick<Regroup, 'apply'>;
  readonly reader: {
    /** Open suggestions that are wanted. */
    findSuggestions(isWanted: (suggestion: Suggestion) => boolean): Promise<readonly Suggestion[]>;
  };
  readonly nowMs: () => number;
}

/** Makes decisions by regrouping; an error restores what was decided before. */
export type DecidingRegrouping = (options: RegroupOptions) => Promise<RegroupResult>;

/** Decides about suggestions of an open store. Accepted rules follow the configured ones. */
export class SuggestionDecisions {
  readonly #options: SuggestionDecisionsOptions;
  /** Issues at the last `planAll`. */
  #issuesSeen = 0;
  #regrouping: Promise<unknown> | undefined;

  constructor(options: SuggestionDecisionsOptions) {
    this.#options = options;
  }

  /** Makes a decision, or returns the regrouping that makes it. Throws `SUGGESTION_NOT_FOUND`. */
  async plan(id: string, decision: Decision, by: string | null): Promise<DecidedSuggestion | DecidingRegrouping> {
    const { decided } = this.#options;
    const before = decided.all.find((suggestion) => suggestion.id === id);
    const suggestion = before ?? (decision === 'undo' ? undefined : await this.#findOpen(id));
    if (suggestion === undefined) throw new Fault('SUGGESTION_NOT_FOUND', `suggestion ${id} does not exist`);
    const entry = this.#entryOf(suggestion, decision === 'accept' ? 'accepted' : 'dismissed', by);
    if (decision === 'accept' || before?.state === 'accepted') return this.#regroupBy([entry]);
    await decided.change([id], decision === 'undo' ? [] : [entry]);
    return entry;
  }

  /** Plans to accept all suggestions to join; undefined without any, or without a new issue since the last call. */
  async planAll(by: string): Promise<DecidingRegrouping | undefined> {
    const { index, reader } = this.#options;
    const { length: issues } = index.content.issues.inOrder;
    if (issues === this.#issuesSeen) return undefined;
    this.#issuesSeen = issues;
    const suggestions = await reader.findSuggestions(({ purpose }) => purpose === 'join');
    if (suggestions.length === 0) return undefined;
    return this.#regroupBy(suggestions.map((suggestion) => this.#entryOf(suggestion, 'accepted', by)));
  }

  /** Waits for a regrouping that ends, and for the file. */
  async close(): Promise<void> {
    await this.#regrouping?.catch(() => undefined);
    await this.#options.decided.close();
  }

  async #findOpen(id: string): Promise<Suggestion | undefined> {
    const [suggestion] = await this.#options.reader.findSuggestions((open) => open.id === id);
    return suggestion;
  }

  #entryOf(suggestion: Suggestion, state: DecidedSuggestion['state'], by: string | null): DecidedSuggestion {
    return { ...suggestion, state, at: new Date(this.#options.nowMs()).toISOString(), by };
  }

  /** Returns the regrouping that decides and groups by the accepted rules. */
  #regroupBy(entries: readonly DecidedSuggestion[]): DecidingRegrouping {
    return (options) => {
      const running = this.#decideAndRegroup(entries, options);
      this.#regrouping = running;
      return running;
    };
  }

  async #decideAndRegroup(entries: readonly DecidedSuggestion[], options: RegroupOptions): Promise<RegroupResult> {
    const { decided, groupings, regroup } = this.#options;
    const ids = entries.map(({ id }) => id);
    const before = decided.all.filter(({ id }) => ids.includes(id));
    const { settings } = groupings.grouper;
    const changed = this.#settingsWith(settings, decided.allWith(ids, entries));
    // Rejects invalid rules before anything is changed.
    createGrouper(changed);
    await decided.change(ids, entries);
    try {
      await groupings.configure(changed);
      return await regroup.apply(changed, options);
    } catch (error) {
      await decided.change(ids, before);
      // While the store closes this may fail; the next start configures what the file says.
      await groupings.configure(settings).catch(() => undefined);
      throw error;
    }
  }

  /** The settings with the rules of other decisions than those that they were made with. */
  #settingsWith(settings: GroupingSettings, decided: readonly DecidedSuggestion[]): GroupingSettings {
    const accepted = acceptedRules(this.#options.decided.all);
    const configured = settings.rules.filter((rule) => !accepted.some((other) => isDeepStrictEqual(other, rule)));
    return { ...settings, rules: [...configured, ...acceptedRules(decided)] };
  }
}
