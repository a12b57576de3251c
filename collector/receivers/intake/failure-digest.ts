import { crc32 } from '@node-rs/crc32';
import { unqualifiedName } from '../../../core/event/class-name.js';
import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import { catcherOf, inOneLine, readChain, rootFrameOf } from './cause-chain.js';

/** What a payload says of its failure, as digests, so that remembered reports hold no text. A digest is undefined where it says nothing. */
export interface FailureDigest {
  /** The names of app and service. */
  readonly service: number | undefined;
  /** Error name, message and stack as they are. */
  readonly name: number | undefined;
  readonly message: number | undefined;
  readonly stack: number | undefined;
  /** The name of its class without its module. */
  readonly className: number | undefined;
  /** The class with the message, without one with the call that raised it. */
  readonly exception: number | undefined;
  readonly hasMessage: boolean;
  /** The call that raised it. */
  readonly rootFrame: number | undefined;
  /** The function that caught it; only Python says so. */
  readonly catcher: number | undefined;
  /** The `exception` of each of its causes. */
  readonly causes: readonly number[];
  /** Which of `TELLING_FIELDS` it has, as bits. */
  readonly fields: number;
}

/** The fields that one report of a failure may have and another may lack. */
const TELLING_FIELDS = ['route', 'method', 'status_code', 'user_id', 'session_id', 'stack'] as const;
const MAX_NAME = 256;

/** Digests a payload; undefined if it names neither a class nor a stack, unless its sender says that it is an exception. */
export function digestOfFailure(payload: JsonObject, isException = false): FailureDigest | undefined {
  const { error_name: name, message, stack } = payload;
  const className = typeof name === 'string' && name.length <= MAX_NAME ? unqualifiedName(name) : '';
  const stackText = typeof stack === 'string' ? stack : '';
  if (className === '' && stackText === '' && !isException) return undefined;
  const { main, causes } = readChain(stackText);
  // All reports of an exception share what its stack says, and differ in how they are worded.
  const isNamedByStack = main !== undefined && unqualifiedName(main.type) === className;
  const said = isNamedByStack ? main.message : inOneLine(typeof message === 'string' ? message : '');
  const frame = rootFrameOf(stackText);
  return {
    service: digestOf(`${payload['app']}\n${payload['service']}`),
    name: digestOf(name),
    message: digestOf(message),
    stack: digestOf(stack),
    className: digestOf(className),
    exception: exceptionDigest(className, said, frame),
    hasMessage: said !== '',
    rootFrame: digestOf(frame),
    catcher: digestOf(catcherOf(stackText)),
    causes: causes.flatMap((cause) => exceptionDigest(unqualifiedName(cause.type), cause.message, cause.frame) ?? []),
    fields: fieldsOf(payload),
  };
}

function exceptionDigest(className: string, message: string, frame: string): number | undefined {
  if (className === '' || (message === '' && frame === '')) return undefined;
  return digestOf(message === '' ? `${className}\n\n${frame}` : `${className}\n${message}`);
}

function fieldsOf(payload: JsonObject): number {
  let bits = 0;
  for (const [index, field] of TELLING_FIELDS.entries()) {
    const value = payload[field];
    if (value !== undefined && value !== null && value !== '') bits |= 1 << index;
  }
  return bits;
}

/** A short digest is enough to distinguish the failures of one trace. */
export function digestOf(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return crc32(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Whether two reports say the same in the same words. */
export function isIdentical(one: FailureDigest, other: FailureDigest): boolean {
  return (
    one.service === other.service &&
    one.message === other.message &&
    one.stack === other.stack &&
    one.name === other.name
  );
}

/** Whether two reports are of one exception: of the same class, with the same message or, if one has no message, raised by the same call. */
export function isSameException(one: FailureDigest, other: FailureDigest): boolean {
  if (one.className === undefined || one.className !== other.className) return false;
  if (one.exception !== undefined && one.exception === other.exception) return true;
  const isUnworded = !one.hasMessage || !other.hasMessage;
  return isUnworded && one.rootFrame !== undefined && one.rootFrame === other.rootFrame;
}

/** Whether one of two exceptions caused the other. */
export function isCauseOfOther(one: FailureDigest, other: FailureDigest): boolean {
  return isCause(one, other) || isCause(other, one);
}

function isCause({ exception }: FailureDigest, { causes }: FailureDigest): boolean {
  return exception !== undefined && causes.includes(exception);
}
