import type { Writer } from 'protobufjs/minimal.js';
import { textPieces } from '../../../core/event/text.js';
import type { Steps } from '../../processors/event-processor/steps.js';
import { wellFormed } from './any-value.js';
import { BodyParts } from './body-parts.js';

/** Bytes that are gathered before they are written, and units of a text that are written at once. */
const GATHERED_BYTES = 64 * 1024;
const SMALL_UNITS = 16 * 1024;

/** Tag of a field that holds bytes. */
const bytes = (field: number): number => (field << 3) | 2;

/** A message of protobuf while it is written: what is small by a writer, what is large piece after piece. */
export class ProtoOutput {
  readonly #body = new BodyParts();
  readonly #create: () => Writer;
  #writer: Writer;

  constructor(create: () => Writer) {
    this.#create = create;
    this.#writer = create();
  }

  /** For whole fields that are small; asked for anew for each. */
  get writer(): Writer {
    if (this.#writer.len >= GATHERED_BYTES) this.#gather();
    return this.#writer;
  }

  /** A message that may become a field of this one. */
  inner(): ProtoOutput {
    return new ProtoOutput(this.#create);
  }

  /** A text as a field, with halves of surrogate pairs replaced. */
  *text(field: number, text: string): Steps<void> {
    if (text.length <= SMALL_UNITS) {
      this.writer.uint32(bytes(field)).string(wellFormed(text));
      return;
    }
    const written = new BodyParts();
    for (const piece of textPieces(text)) {
      written.add(Buffer.from(wellFormed(piece), 'utf8'));
      yield;
    }
    this.#field(field, written);
  }

  /** A message as a field; nothing is added to it after. */
  message(field: number, inner: ProtoOutput): void {
    inner.#gather();
    this.#field(field, inner.#body);
  }

  /** All of it; nothing is added after. */
  *whole(): Steps<Uint8Array> {
    this.#gather();
    return yield* this.#body.whole();
  }

  #field(field: number, content: BodyParts): void {
    this.#writer.uint32(bytes(field)).uint32(content.bytes);
    this.#gather();
    this.#body.addAll(content);
  }

  #gather(): void {
    this.#body.add(this.#writer.finish());
    this.#writer = this.#create();
  }
}
