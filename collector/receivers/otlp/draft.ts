import type { JsonValue } from '../../../core/event/json.js';
import type { OtlpAttributes } from './otlp-records.js';

/** A record while it is made: its fields are set one by one, so that nothing is copied. */
export type Draft<Item> = {
  -readonly [Key in keyof Item]: Item[Key] extends OtlpAttributes
    ? Map<string, JsonValue>
    : Item[Key] extends readonly (infer Element)[]
      ? Element[]
      : Item[Key];
};
