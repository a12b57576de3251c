import type { JsonObject } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import { ownCopy } from '../own-copy.js';
import { readClientFingerprint } from './client-fingerprint.js';
import { readClientMaterial } from './client-material.js';
import { computeFingerprint, fingerprintOf } from './compute-fingerprint.js';
import { plainErrorName } from './error-name.js';
import type { Fingerprint } from './fingerprint.js';
import { KnownFrames, watched } from './known-frames.js';
import { LongTextCache } from './long-text-cache.js';
import { messageText } from './message-text.js';
import { readStack, type StackReading, speaksOfOverflow } from './read-stack.js';
import { RecentCache } from './recent-cache.js';
import type { StructuredStack } from './structured-frames.js';

/** Groups payloads one after the other. Its answers are shared between equal failures: nobody may change them. */
export type Fingerprinter = (payload: RawPayload) => Fingerprint;

interface KnownStack {
  /** Stands for the reading in the keys of answers. */
  readonly number: number;
  readonly reading: StackReading;
}

/** UTF-16 units of stacks, and of what follows from them, that are remembered; twice as many at most. */
const STACK_UNITS = 4 * 1024 * 1024;
const FRAME_UNITS = 1024 * 1024;
const READING_UNITS = 1024 * 1024;
const ANSWER_UNITS = 4 * 1024 * 1024;
const MAX_STACK_LENGTH = 32_768;
const MAX_ANSWER_KEY = 2_048;
/** About what an answer holds, its basis included. */
const ANSWER_SIZE = 1_024;

const NO_CLIENT = readClientFingerprint(null);
const NO_STACK: KnownStack = { number: 0, reading: readStack(null, '', '') };

/**
 * Builds a function that answers what `computeFingerprint` answers, and remembers the stacks and the failures that come again and again.
 * A failure that is known costs its message. A text that is seen for the first time is not kept: keeping it costs as much as reading it.
 */
export function createFingerprinter(): Fingerprinter {
  const stacks = new LongTextCache<KnownStack>(STACK_UNITS);
  const frames = new KnownFrames<KnownStack>(FRAME_UNITS);
  const readings = new RecentCache<string, KnownStack>(READING_UNITS);
  const answers = new RecentCache<string, Fingerprint | 'seen once'>(ANSWER_UNITS);
  let readingsKnown = 0;

  function stackOf({ stack, error_name, message }: RawPayload): KnownStack | StackReading {
    if (stack === null || stack === '') return NO_STACK;
    // These have a say in how the stack is read, so that its text alone does not decide.
    const dependsOnMore = message.includes('\n') || speaksOfOverflow(error_name, message);
    if (dependsOnMore || stack.length > MAX_STACK_LENGTH) return readStack(stack, error_name, message);
    const known = stacks.get(stack);
    if (known !== undefined) return known;
    const reading = readStack(stack, error_name, message);
    return stacks.isFirstSight(stack) ? reading : stacks.set(stack, knownReading(reading));
  }

  function framesOf(sent: StructuredStack, { stack, error_name, message }: RawPayload): KnownStack | StackReading {
    if (speaksOfOverflow(error_name, message)) return readStack(stack, error_name, message, sent);
    const known = frames.get(sent);
    if (known !== undefined) return known;
    const walking = watched(sent);
    const reading = readStack(null, error_name, message, walking);
    // Where none of them decides, the text of the stack is read.
    if (reading.frames === null) return readStack(stack, error_name, message, sent);
    const kept = knownReading(reading);
    frames.set(sent, walking.walked, kept);
    return kept;
  }

  /** The same for all stacks that read the same: a failure's lines and columns change with every release. */
  function knownReading(reading: StackReading): KnownStack {
    const text = JSON.stringify(reading);
    const known = readings.get(text);
    if (known !== undefined) return known;
    readingsKnown += 1;
    const kept = { number: readingsKnown, reading: ownCopy(reading) };
    readings.set(text, kept, 2 * text.length);
    return kept;
  }

  return (payload) => {
    const material = readClientMaterial(payload.extra);
    if (mentionsFingerprint(payload.extra) || material.fingerprint !== undefined) return computeFingerprint(payload);
    const stack = material.stack === null ? stackOf(payload) : framesOf(material.stack, payload);
    const errorName = plainErrorName(payload.error_name);
    const message = messageText(payload.message, payload.extra, material);
    if (!('number' in stack)) return fingerprintOf({ client: NO_CLIENT, errorName, stack, message });
    const key = `${stack.number} ${message.isTemplate ? 't' : 'm'} ${errorName}\n${message.value}`;
    const remembered = answers.get(key);
    if (remembered !== undefined && remembered !== 'seen once') return remembered;
    const answer = fingerprintOf({ client: NO_CLIENT, errorName, stack: stack.reading, message });
    if (key.length > MAX_ANSWER_KEY) return answer;
    if (remembered === undefined) answers.set(key, 'seen once', key.length);
    else answers.set(key, ownCopy(answer), key.length + ANSWER_SIZE);
    return answer;
  };
}

function mentionsFingerprint(extra: JsonObject | null): boolean {
  return extra !== null && Object.hasOwn(extra, 'fingerprint');
}
