import type { Writer } from 'protobufjs/minimal.js';
import { textPieces } from '../../../core/event/text.js';
import type { Steps } from '../../processors/event-processor/steps.js';
import { wellFormed } from './any-value.js';
import { BodyChunks } from './body-chunks.js';

/** Bytes that are buffered, and units of a text that are written without a pause. */
const BUFFER_BYTES = 64 * 1024;
const SMALL_UNITS = 16 * 1024;

/** Tag of a field that holds bytes. */
const bytes = (field: number): number => (field << 3) | 2;

/** A protobuf message being written: small fields by a writer, large ones in chunks. */
export class ProtoOutput {
  readonly #body = new BodyChunks();
  readonly #create: () => Writer;
  #writer: Writer;

  constructor(create: () => Writer) {
    this.#create = create;
    this.#writer = create();
  }

  /** Writer for small fields; get it again for each field. */
  get writer(): Writer {
    if (this.#writer.len >= BUFFER_BYTES) this.#flush();
    return this.#writer;
  }

  /** Creates a message that can become a field of this one. */
  nested(): ProtoOutput {
    return new ProtoOutput(this.#create);
  }

  /** Writes a text field; replaces lone surrogates. */
  *text(field: number, text: string): Steps<void> {
    if (text.length <= SMALL_UNITS) {
      this.writer.uint32(bytes(field)).string(wellFormed(text));
      return;
    }
    const written = new BodyChunks();
    for (const piece of textPieces(text)) {
      written.append(Buffer.from(wellFormed(piece), 'utf8'));
      yield;
    }
    this.#field(field, written);
  }

  /** Writes a message field; `inner` must not be used afterwards. */
  message(field: number, inner: ProtoOutput): void {
    inner.#flush();
    this.#field(field, inner.#body);
  }

  /** Returns the encoded message, which must not be written to afterwards. */
  *finish(): Steps<Uint8Array> {
    this.#flush();
    return yield* this.#body.concat();
  }

  #field(field: number, content: BodyChunks): void {
    this.#writer.uint32(bytes(field)).uint32(content.bytes);
    this.#flush();
    this.#body.appendAll(content);
  }

  #flush(): void {
    this.#body.append(this.#writer.finish());
    this.#writer = this.#create();
  }
}
