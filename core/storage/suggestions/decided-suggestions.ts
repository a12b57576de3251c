import { join } from 'node:path';
import type { Low } from 'lowdb';
import type { DecidedSuggestion } from '../../../generated/reader-answers.js';
import { Fault } from '../../event/fault.js';
import { isJsonObject, parseJson } from '../../event/json.js';
import type { GroupingRule } from '../../fingerprint/grouping-settings.js';
import { createDocument, type DocumentFormat, openDocument, replaceData } from '../files/durable-document.js';
import type { DataFolder } from '../files/store-files.js';
import { setAside } from '../files/write-durably.js';
import { storeUnavailable } from '../record/append-faults.js';

/** In the data folder: `{"decided": […]}`. */
export const SUGGESTIONS_FILE = 'suggestions.json';

interface DecidedSuggestionsOptions extends DataFolder {
  /** Called with `SUGGESTIONS_UNUSABLE` if the file is damaged; it reads as empty then. */
  readonly onFault: ((fault: Fault) => void) | undefined;
}

interface SuggestionsData {
  /** The last first. */
  readonly decided: readonly DecidedSuggestion[];
  readonly isDamaged: boolean;
}

const NOTHING_DECIDED: SuggestionsData = { decided: [], isDamaged: false };

const format: DocumentFormat<SuggestionsData> = {
  encode: ({ decided }) => `${JSON.stringify({ decided }, undefined, 2)}\n`,
  async decode(content) {
    // The checks are large, and most folders have no decisions.
    const { isDecidedSuggestion } = await import('../../../generated/answer-checks.js');
    const value = parseJson(content.toString('utf8'));
    const decided: unknown = isJsonObject(value) ? value['decided'] : undefined;
    const isWhole = Array.isArray(decided) && decided.every((suggestion) => isDecidedSuggestion(suggestion));
    return isWhole ? { decided, isDamaged: false } : { decided: [], isDamaged: true };
  },
};

/** The decisions about suggestions, in the process that writes them. */
export class DecidedSuggestions {
  readonly #document: Low<SuggestionsData>;
  #lastChange: Promise<unknown> = Promise.resolve();

  private constructor(document: Low<SuggestionsData>) {
    this.#document = document;
  }

  /** Opens them under the writer lock; a damaged file is set aside. */
  static async open({ directory, files, onFault }: DecidedSuggestionsOptions): Promise<DecidedSuggestions> {
    const path = join(directory, SUGGESTIONS_FILE);
    const document = await openDocument({ files, path, format, defaults: NOTHING_DECIDED, setsFolderAside: true });
    if (document.data.isDamaged) {
      onFault?.(damaged(path));
      await setAside(files, path);
    }
    return new DecidedSuggestions(document);
  }

  /** The last first. */
  get all(): readonly DecidedSuggestion[] {
    return this.#document.data.decided;
  }

  /** Replaces the decisions of these ids durably, one change at a time. Rejects with `STORE_UNAVAILABLE`, and then nothing has changed. */
  change(ids: readonly string[], decided: readonly DecidedSuggestion[]): Promise<void> {
    const changed = this.#lastChange.then(async () => {
      const data = { decided: this.allWith(ids, decided), isDamaged: false };
      await replaceData(this.#document, data).catch((cause: unknown) => {
        throw storeUnavailable(cause);
      });
    });
    this.#lastChange = changed.catch(() => undefined);
    return changed;
  }

  /** What `change` would make of them. */
  allWith(ids: readonly string[], decided: readonly DecidedSuggestion[]): readonly DecidedSuggestion[] {
    return [...decided, ...this.all.filter(({ id }) => !ids.includes(id))];
  }

  /** Waits for running changes. */
  async close(): Promise<void> {
    await this.#lastChange;
  }
}

/** Returns a function that reads the decisions, the last first, while another process may write them. */
export function followDecided({
  directory,
  files,
  onFault,
}: DecidedSuggestionsOptions): () => Promise<readonly DecidedSuggestion[]> {
  const path = join(directory, SUGGESTIONS_FILE);
  const document = createDocument({ files, path, format, defaults: NOTHING_DECIDED });
  return async () => {
    await document.read();
    if (document.data.isDamaged) onFault?.(damaged(path));
    return document.data.decided;
  };
}

/** The rules of accepted suggestions, the first accepted first. */
export function acceptedRules(decided: readonly DecidedSuggestion[]): GroupingRule[] {
  return decided.flatMap(({ state, rule }) => (state === 'accepted' ? [rule] : [])).reverse();
}

function damaged(path: string): Fault {
  const sentence = `${path} is damaged: accepted and dismissed suggestions are forgotten, and new events are grouped without accepted rules.`;
  return new Fault('SUGGESTIONS_UNUSABLE', sentence);
}
