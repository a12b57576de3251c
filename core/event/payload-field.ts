import type { Payload } from '../../generated/payload.js';

/** How queries write and compare values: a `version` is the label of a release, a `level` a severity. */
export interface FieldQuery {
  readonly kind: 'text' | 'number' | 'version' | 'level';
  /** Whether many events share few values. */
  readonly isRepeated?: boolean;
  /** Whether the search text of an issue includes the field. */
  readonly isSearchText?: boolean;
}

/** A field of a payload as `payload-schema.json` describes it. */
export interface PayloadField {
  readonly name: keyof Payload;
  readonly kind: 'text' | 'nullable_text' | 'nullable_integer' | 'tags' | 'extra';
  /** The limit of a text. */
  readonly maxUnits?: 'maxStringLength' | 'maxStackLength';
  readonly query?: FieldQuery;
  /** The attribute of an OTLP record that holds the field. */
  readonly otlpAttribute?: string;
  /** The attribute of an OTLP resource that holds the field. */
  readonly otlpResource?: string;
  /** Whether raw lines of earlier versions lack the field. */
  readonly isLater?: boolean;
  /** Whether the text may hold secrets. */
  readonly isRedacted?: boolean;
}
