import { DocumentFields } from './document-fields.js';
import { indexUnusable } from './index-fault.js';

/** The texts of issues that share a document, which only readers ask for. By place of an issue in the document. */
export interface CardTexts {
  titleAt(place: number): string;
  culpritAt(place: number): string | null;
  messageAt(place: number): string;
}

/** The texts of one issue, at any place. */
export class OwnTexts implements CardTexts {
  readonly #title: string;
  readonly #culprit: string | null;
  readonly #message: string;

  constructor(texts: { readonly title: string; readonly culprit: string | null; readonly message: string }) {
    this.#title = texts.title;
    this.#culprit = texts.culprit;
    this.#message = texts.message;
  }

  titleAt(): string {
    return this.#title;
  }

  culpritAt(): string | null {
    return this.#culprit;
  }

  messageAt(): string {
    return this.#message;
  }
}

/** Texts as they were stored: parsed when the first one is asked for, which throws `INDEX_UNUSABLE`, and not before the collector takes events. */
export class StoredTexts implements CardTexts {
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
