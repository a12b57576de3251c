import { cutText } from '../../event/cut-text.js';
import type { FingerprintValue } from '../../event/ids.js';
import type { IndexedFailure } from './indexed-event.js';

/** Failures on their way from one thread to another; an object for each would cost more than reading the failure again. */
export interface PackedFailures {
  /** Null, then every text of the failures; those that many share once. */
  readonly texts: readonly (string | null)[];
  /** For each failure `COLUMNS` numbers, in the order of `packFailures`: places of texts, a version, a flag. */
  readonly numbers: Uint32Array<ArrayBuffer>;
}

const COLUMNS = 14;
const NO_TEXT = 0;
/** In the first column of what was undefined. */
const ABSENT = NO_TEXT;
const MESSAGE_LENGTH = 512;

/** Packs failures, or undefined for those that could not be read. */
export function packFailures(failures: readonly (IndexedFailure | undefined)[]): PackedFailures {
  const texts: (string | null)[] = [null];
  const places = new Map<string, number>();
  const own = (text: string): number => texts.push(text) - 1;
  const shared = (text: string | null): number => {
    if (text === null) return NO_TEXT;
    const known = places.get(text);
    if (known !== undefined) return known;
    const place = own(text);
    places.set(text, place);
    return place;
  };
  const numbers = new Uint32Array(failures.length * COLUMNS);
  failures.forEach((failure, index) => {
    if (failure === undefined) return;
    const { payload, fingerprint } = failure;
    const row = [
      own(fingerprint.value),
      own(fingerprint.title),
      shared(fingerprint.culprit),
      fingerprint.version,
      shared(payload.app),
      shared(payload.env),
      shared(payload.error_name),
      shared(payload.level),
      own(cutText(payload.message, MESSAGE_LENGTH)),
      shared(payload.release),
      shared(payload.service),
      shared(payload.stack === null ? null : payload.stack.slice(0, 1)),
      payload.status_code === null ? 0 : 1,
      payload.timestamp === null ? NO_TEXT : own(payload.timestamp),
    ];
    numbers.set(row, index * COLUMNS);
  });
  return { texts, numbers };
}

/** What `packFailures` packed: all that the index looks at. */
export function unpackFailures({ texts, numbers }: PackedFailures): (IndexedFailure | undefined)[] {
  const failures: (IndexedFailure | undefined)[] = [];
  let at = 0;
  const next = (): number => {
    const number = numbers[at] ?? 0;
    at += 1;
    return number;
  };
  const nullable = (): string | null => texts[next()] ?? null;
  const text = (): string => texts[next()] ?? '';
  while (at < numbers.length) {
    if (numbers[at] === ABSENT) {
      failures.push(undefined);
      at += COLUMNS;
      continue;
    }
    // Members are evaluated in the order in which they are written, which is that of the columns.
    failures.push({
      fingerprint: { value: text() as FingerprintValue, title: text(), culprit: nullable(), version: next() },
      payload: {
        app: text(),
        env: text(),
        error_name: text(),
        level: nullable(),
        message: text(),
        release: nullable(),
        service: text(),
        stack: nullable(),
        status_code: next() === 0 ? null : 1,
        timestamp: nullable(),
      },
    });
  }
  return failures;
}
