import { textPieces } from '../../../core/event/text-pieces.js';
import type { Steps } from '../../processors/steps.js';
import { BodyParts } from './body-parts.js';
import { wellFormed } from './well-formed.js';

/** Units that are gathered before they become bytes. */
const GATHERED_UNITS = 64 * 1024;

/** JSON while it is written. */
export class JsonOutput {
  readonly #body = new BodyParts();
  #text = '';

  /** Adds what is JSON already. */
  add(json: string): void {
    this.#text += json;
    if (this.#text.length >= GATHERED_UNITS) this.#gather();
  }

  /** Adds a text as a value, with halves of surrogate pairs replaced. */
  *text(text: string): Steps<void> {
    if (text.length < GATHERED_UNITS) {
      this.add(JSON.stringify(wellFormed(text)));
      return;
    }
    this.add('"');
    for (const piece of textPieces(text)) {
      this.add(JSON.stringify(wellFormed(piece)).slice(1, -1));
      yield;
    }
    this.add('"');
  }

  /** All of it; nothing is added after. */
  *whole(): Steps<Uint8Array> {
    this.#gather();
    return yield* this.#body.whole();
  }

  #gather(): void {
    this.#body.add(Buffer.from(this.#text, 'utf8'));
    this.#text = '';
  }
}
