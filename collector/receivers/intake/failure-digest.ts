import { crc32 } from 'node:zlib';
import { unqualifiedName } from '../../../core/event/class-name.js';
import type { JsonObject } from '../../../core/event/json.js';
import { catcherOf, inOneLine, mayHaveCause, readChain, readException, rootFrameOf } from './cause-chain.js';

/** What a payload says of its failure, as digests, so that remembered reports hold no text. A digest is undefined where it says nothing. */
export interface FailureDigest {
  /** Error name, message and stack as they are; without the name if the stack prints one, because loggers name a class otherwise. */
  readonly identity: number;
  readonly hasStack: boolean;
  /** The class with the message, without one with the call that raised it. */
  readonly exception: number | undefined;
  readonly hasMessage: boolean;
  /** The class with the call that raised it. */
  readonly raised: number | undefined;
  /** The function that caught it; only Python says so. */
  readonly catcher: number | undefined;
  /** The `exception` of each of its causes. */
  readonly causes: readonly number[];
  /** The values of `TELLING_FIELDS`. */
  readonly fields: readonly (number | undefined)[];
}

/** The fields that two reports of one failure may tell differently. */
const TELLING_FIELDS = ['route', 'method', 'status_code', 'user_id', 'session_id'] as const;
const MAX_NAME = 256;

/** Digests a payload; undefined if it names neither a class nor a stack, unless its sender says that it is an exception. */
export function digestOfFailure(payload: JsonObject, isException = false): FailureDigest | undefined {
  const name = textOf(payload, 'error_name');
  const message = textOf(payload, 'message');
  const stack = textOf(payload, 'stack');
  const className = name.length <= MAX_NAME ? unqualifiedName(name) : '';
  if (className === '' && stack === '' && !isException) return undefined;
  const frame = rootFrameOf(stack);
  const said = mayHaveCause(stack) ? readChain(stack) : { main: undefined, causes: [] };
  // All reports of an exception share what its stack says, and differ in how they are worded.
  const isAsNamed = stack.startsWith(`${name}: ${message}\n`);
  const main = isAsNamed ? undefined : (said.main ?? readException(stack, frame));
  const isNamedByStack = main !== undefined && unqualifiedName(main.type) === className;
  const inLine = inOneLine(message);
  const worded = isNamedByStack ? main.message : inLine;
  const isPrinted = isAsNamed || (inLine !== '' && main?.message === inLine);
  return {
    identity: crc32(stack, crc32(`${isPrinted ? '' : name}\n${message}\n`)),
    hasStack: stack !== '',
    exception: exceptionDigest(className, worded, frame),
    hasMessage: worded !== '',
    raised: exceptionDigest(className, '', frame),
    catcher: frame.startsWith('File ') ? digestOf(catcherOf(stack)) : undefined,
    causes: said.causes.flatMap(
      (cause) => exceptionDigest(unqualifiedName(cause.type), cause.message, cause.frame) ?? [],
    ),
    fields: TELLING_FIELDS.map((field) => digestOf(`${payload[field] ?? ''}`)),
  };
}

function textOf(payload: JsonObject, key: string): string {
  const value = payload[key];
  return typeof value === 'string' ? value : '';
}

function exceptionDigest(className: string, message: string, frame: string): number | undefined {
  if (className === '' || (message === '' && frame === '')) return undefined;
  return digestOf(message === '' ? `${className}\n\n${frame}` : `${className}\n${message}`);
}

/** A short digest is enough to distinguish the failures of one trace. */
export function digestOf(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : crc32(text);
}

/** UTF-16 units of a text that tell two log statements apart. */
const MAX_WORDS = 256;

/** Returns the words of a log statement, without numbers, which differ between attempts. */
export function wordsOf(text: string): string {
  return text.slice(0, MAX_WORDS).replace(/\d+/g, '0');
}

/** Creates a digest of texts that mostly equal the one before. */
export function createRepeatedDigest(): typeof digestOf {
  let last: string | undefined;
  let digest: number | undefined;
  return (text) => {
    if (text !== last) digest = digestOf(text);
    last = text;
    return digest;
  };
}

/** Whether two reports are of one exception: of the same class, with the same message or, if one has no message, raised by the same call. */
export function isSameException(one: FailureDigest, other: FailureDigest): boolean {
  if (one.exception !== undefined && one.exception === other.exception) return true;
  const isUnworded = !one.hasMessage || !other.hasMessage;
  return isUnworded && one.raised !== undefined && one.raised === other.raised;
}

/** Whether one of two exceptions caused the other. */
export function isCauseOfOther(one: FailureDigest, other: FailureDigest): boolean {
  return isCause(one, other) || isCause(other, one);
}

function isCause({ exception }: FailureDigest, { causes }: FailureDigest): boolean {
  return exception !== undefined && causes.includes(exception);
}
