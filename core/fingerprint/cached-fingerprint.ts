import { type JsonObject, ownCopy } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import { decideFingerprint, groupOnce } from './decide-fingerprint.js';
import type { Fingerprint } from './fingerprint.js';
import { KnownFrames, watched } from './known-frames.js';
import { plainErrorName } from './main-error.js';
import { messageText } from './message/message-text.js';
import { LongTextCache, RecentCache } from './recent-cache.js';
import type { OutcomeOf } from './rules/compile-rules.js';
import type { RuleOutcome } from './rules/rule-outcome.js';
import { readClientFingerprint, readClientMaterial } from './sentry-material.js';
import { speaksOfOverflow } from './stack/deciding-frames.js';
import { readStack, type StackReading, type StackSource } from './stack/read-stack.js';
import type { StructuredStack } from './stack/structured-frames.js';

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
/** Sets of rules that change which frames decide and of which the stacks are remembered, each with a share of what stacks may hold. */
const MAX_MEMORIES = 4;
/** About what an answer holds, its basis included. */
const ANSWER_SIZE = 1_024;
/** Where more than three quarters of the stacks of a trial are new, remembering costs more than it saves: the next `PAUSE` payloads go without memory. */
const TRIAL = 1_024;
const MOST_NEW = (3 * TRIAL) / 4;
const PAUSE = 7_168;

/** Readings by the stack they were read from, for one set of matching rules: rules have a say in which frames decide. */
interface StackMemory {
  readonly stacks: LongTextCache<KnownStack>;
  readonly frames: KnownFrames<KnownStack>;
}

const NO_CLIENT = readClientFingerprint(null);

/**
 * Builds a function that answers what `groupOnce` answers, and remembers the stacks and the failures that come again and again.
 * A failure that is known costs its message; where little comes again, memory pauses. A text that is seen for the first time is not kept: keeping it costs as much as reading it.
 */
export function cachedFingerprint(outcomeOf: OutcomeOf): (payload: RawPayload) => Fingerprint {
  const unshaped = stackMemory(1);
  const shaped = new Map<string, StackMemory>();
  const readings = new RecentCache<string, KnownStack>(READING_UNITS);
  const answers = new RecentCache<string, Fingerprint | 'seen once'>(ANSWER_UNITS);
  const noStack: KnownStack = { number: 0, reading: readStack(NO_SOURCE) };
  let readingsKnown = 0;
  let tried = 0;
  let newStacks = 0;
  let toCompute = 0;

  /** Null where too many sets of rules match. */
  function memoryOf({ key, frames }: RuleOutcome): StackMemory | null {
    if (frames === null) return unshaped;
    const known = shaped.get(key);
    if (known !== undefined || shaped.size >= MAX_MEMORIES) return known ?? null;
    const memory = stackMemory(1 / MAX_MEMORIES);
    shaped.set(key, memory);
    return memory;
  }

  function stackOf(
    { stack, error_name: errorName, message }: RawPayload,
    user: RuleOutcome,
  ): KnownStack | StackReading {
    if (stack === null || stack === '') return noStack;
    const source = { stack, errorName, message, structured: null, effects: user.frames };
    const memory = memoryOf(user);
    // These have a say in how the stack is read, so that its text alone does not decide.
    const dependsOnMore = message.includes('\n') || speaksOfOverflow(errorName, message);
    if (memory === null || dependsOnMore || stack.length > MAX_STACK_LENGTH) return readStack(source);
    const known = memory.stacks.get(stack);
    if (known !== undefined) return known;
    const reading = readStack(source);
    if (!memory.stacks.isFirstSight(stack)) return memory.stacks.set(stack, knownReading(reading));
    newStacks += 1;
    return reading;
  }

  function framesOf(sent: StructuredStack, payload: RawPayload, user: RuleOutcome): KnownStack | StackReading {
    const { stack, error_name: errorName, message } = payload;
    const source = { stack, errorName, message, structured: sent, effects: user.frames };
    const memory = memoryOf(user);
    if (memory === null || speaksOfOverflow(errorName, message)) return readStack(source);
    const known = memory.frames.get(sent);
    if (known !== undefined) return known;
    const walking = watched(sent);
    const reading = readStack({ ...source, stack: null, structured: walking });
    // Where none of them decides, the text of the stack is read.
    if (reading.frames === null) return readStack(source);
    const kept = knownReading(reading);
    memory.frames.set(sent, walking.walked, kept);
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
    if (toCompute > 0) {
      toCompute -= 1;
      return groupOnce(outcomeOf, payload);
    }
    const { extra } = payload;
    const user = outcomeOf(payload);
    const material = readClientMaterial(extra);
    if (mentionsFingerprint(extra) || material.fingerprint !== undefined) {
      return groupOnce(outcomeOf, payload);
    }
    tried += 1;
    if (tried === TRIAL) {
      if (newStacks > MOST_NEW) toCompute = PAUSE;
      tried = newStacks = 0;
    }
    const stack = material.stack === null ? stackOf(payload, user) : framesOf(material.stack, payload, user);
    const { isSynthetic } = material;
    const found = {
      client: NO_CLIENT,
      errorName: plainErrorName(payload.error_name),
      isSynthetic,
      message: messageText(payload.message, extra, material, user.parameterize),
      user,
    };
    if (!('number' in stack)) return decideFingerprint({ ...found, stack });
    // What a rule sets may name anything of the payload.
    if (user.fingerprint !== null) return decideFingerprint({ ...found, stack: stack.reading });
    const { errorName, message } = found;
    const key = `${ruleKey(user, payload)}${stack.number} ${message.isTemplate ? 't' : 'm'}${isSynthetic ? 's' : ''} ${errorName}\n${message.value}`;
    const remembered = answers.get(key);
    if (remembered !== undefined && remembered !== 'seen once') return remembered;
    const answer = decideFingerprint({ ...found, stack: stack.reading });
    if (key.length > MAX_ANSWER_KEY) return answer;
    if (remembered === undefined) answers.set(key, 'seen once', key.length);
    else answers.set(key, ownCopy(answer), key.length + ANSWER_SIZE);
    return answer;
  };
}

const NO_SOURCE: StackSource = { stack: null, errorName: '', message: '', structured: null, effects: null };

/** `share`: of what stacks may hold. */
function stackMemory(share: number): StackMemory {
  return { stacks: new LongTextCache(STACK_UNITS * share), frames: new KnownFrames(FRAME_UNITS * share) };
}

/** All that the user's rules have to say about a payload. */
function ruleKey({ key, splits }: RuleOutcome, payload: RawPayload): string {
  if (key === '') return '';
  return `${key}${JSON.stringify(splits.map(({ read }) => read(payload)))} `;
}

function mentionsFingerprint(extra: JsonObject | null): boolean {
  return extra !== null && Object.hasOwn(extra, 'fingerprint');
}
