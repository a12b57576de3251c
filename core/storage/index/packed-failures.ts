import type { FingerprintValue } from '../../event/ids.js';
import { listedMessage } from '../../event/listed-message.js';
import { type Instant, parseTimestamp } from '../../normalize/timestamp.js';
import type { StoredFingerprint } from '../record/commit-fingerprints.js';
import { type CountedPayload, type DescribedFailure, type IndexedFailure, isDescribed } from './indexed-event.js';

/** Failures on their way from one thread to another; an object for each would cost more than reading the failure again. */
export interface PackedFailures {
  /** Null, then every text of the failures; those that many share once. */
  readonly texts: readonly (string | null)[];
  /** For each failure what it is, then places of texts, flags, nanoseconds, a version, in the order of `packFailures`. */
  readonly numbers: Uint32Array<ArrayBuffer>;
  /** Event time of each failure in milliseconds, NaN where it names none. */
  readonly times: Float64Array<ArrayBuffer>;
}

/** What came of a line, and which numbers follow. */
const UNREAD = 0;
/** Its issue was described before. */
const COUNTED = 1;
const DESCRIBED = 2;
/** The record does not say what groups it. */
const GROUPED_ANEW = 3;

/** Numbers of a failure at most. */
const MAX_NUMBERS = 15;
const NO_TEXT = 0;

type Failure = IndexedFailure | DescribedFailure | undefined;

/** Packs `count` failures one by one, so that none has to wait in memory for the others, or undefined for those that could not be read. Fingerprints that the other side has are left out: `isKnown` says by place. */
export function packFailures(
  failures: Iterable<Failure>,
  count: number,
  isKnown: (place: number) => boolean,
): PackedFailures {
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
  const numbers = new Uint32Array(count * MAX_NUMBERS);
  const times = new Float64Array(count);
  let at = 0;
  const put = (number: number): void => {
    numbers[at] = number;
    at += 1;
  };
  const putPayload = (payload: CountedPayload, place: number): void => {
    const instant = instantOf(payload);
    times[place] = instant?.ms ?? Number.NaN;
    put(instant?.nanos ?? 0);
    put(shared(payload.app));
    put(shared(payload.env));
    put(shared(payload.level));
    put(shared(payload.release));
    put(shared(payload.service));
    put(shared(payload.stack === null ? null : payload.stack.slice(0, 1)));
    put(payload.status_code === null ? 0 : 1);
  };
  const putDescription = ({ payload, fingerprint }: DescribedFailure): void => {
    put(shared(payload.error_name));
    put(own(listedMessage(payload.message)));
    put(own(fingerprint.title));
    put(shared(fingerprint.culprit));
  };
  let place = 0;
  for (const failure of failures) {
    if (failure === undefined) put(UNREAD);
    else if (!isDescribed(failure)) {
      put(COUNTED);
      putPayload(failure.payload, place);
    } else {
      put(isKnown(place) ? DESCRIBED : GROUPED_ANEW);
      putPayload(failure.payload, place);
      putDescription(failure);
      if (!isKnown(place)) {
        put(own(failure.fingerprint.value));
        put(failure.fingerprint.version);
      }
    }
    place += 1;
  }
  return { texts, numbers: numbers.slice(0, at), times };
}

function instantOf({ timestamp }: CountedPayload): Instant | undefined {
  if (timestamp === null) return undefined;
  return typeof timestamp === 'string' ? parseTimestamp(timestamp) : timestamp;
}

/**
 * What `packFailures` packed: all that the index looks at, one after the other, so that none has to wait in memory. `known` answers by place the
 * fingerprints that were left out.
 */
export function* unpackFailures(
  { texts, numbers, times }: PackedFailures,
  known: (place: number) => StoredFingerprint | undefined,
): Generator<Failure> {
  let at = 0;
  const next = (): number => {
    const number = numbers[at] ?? 0;
    at += 1;
    return number;
  };
  const nullable = (): string | null => texts[next()] ?? null;
  const text = (): string => texts[next()] ?? '';
  const nextInstant = (ms: number): Instant | null => {
    const nanos = next();
    return Number.isNaN(ms) ? null : { ms, nanos };
  };
  // Members are evaluated in the order in which they are written, which is that of the numbers.
  const nextPayload = (ms: number): CountedPayload => ({
    timestamp: nextInstant(ms),
    app: text(),
    env: text(),
    level: nullable(),
    release: nullable(),
    service: text(),
    stack: nullable(),
    status_code: next() === 0 ? null : 1,
  });
  for (let place = 0; at < numbers.length; place += 1) {
    const what = next();
    if (what === UNREAD) {
      yield undefined;
      continue;
    }
    const counted = nextPayload(times[place] ?? Number.NaN);
    if (what === COUNTED) {
      const fingerprint = known(place);
      yield fingerprint && { payload: counted, fingerprint };
      continue;
    }
    const payload = { ...counted, error_name: text(), message: text() };
    const [title, culprit] = [text(), nullable()];
    const grouping = what === GROUPED_ANEW ? { value: text() as FingerprintValue, version: next() } : known(place);
    yield grouping && { payload, fingerprint: { ...grouping, title, culprit } };
  }
}
