import { type ProtobufReader, WIRE } from './protobuf-reader.js';

/**
 * Goes over the fields of one message without reading them, one field a step, so that whoever walks a large message can pause anywhere.
 * The reader may be used elsewhere between two steps.
 */
export class MessageWalk {
  readonly #reader: ProtobufReader;
  readonly #end: number;
  #at: number;
  #openGroups = 0;
  /** Number of the field just passed when its value lies between `start` and `end`; 0 when it is of another kind or part of a group. */
  field = 0;
  start = 0;
  end = 0;

  constructor(reader: ProtobufReader, start: number, end: number) {
    this.#reader = reader;
    this.#at = start;
    this.#end = end;
  }

  /** Passes one field; false at the end. Throws where the bytes are no message. */
  next(): boolean {
    const reader = this.#reader;
    reader.pos = this.#at;
    reader.len = this.#end;
    if (this.#at >= this.#end) {
      if (this.#openGroups > 0) throw new RangeError('a group has no end');
      return false;
    }
    const tag = reader.tag();
    if (tag >>> 3 === 0) throw new RangeError('a field has number 0');
    this.field = 0;
    if ((tag & 7) === WIRE.bytes) this.#passBytes(tag >>> 3);
    else this.#passOther(tag & 7);
    this.#at = reader.pos;
    return true;
  }

  #passBytes(field: number): void {
    const reader = this.#reader;
    const length = reader.size();
    this.start = reader.pos;
    this.end = reader.pos + length;
    if (this.end > this.#end) throw new RangeError(`a length of ${length} reaches beyond its message`);
    reader.pos = this.end;
    if (this.#openGroups === 0) this.field = field;
  }

  #passOther(wire: number): void {
    if (wire === WIRE.startGroup) this.#openGroups++;
    else if (wire !== WIRE.endGroup) this.#reader.skipType(wire);
    else if (this.#openGroups-- === 0) throw new RangeError('a group ends that did not begin');
  }
}
