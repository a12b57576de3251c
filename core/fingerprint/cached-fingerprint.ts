import { ownCopy } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import { decideFingerprint, findingsOf, groupPayload } from './decide-fingerprint.js';
import type { Fingerprint } from './fingerprint.js';
import { KnownFrames, watchWalk } from './known-frames.js';
import { LongTextCache, RecentCache } from './recent-cache.js';
import type { OutcomeOf } from './rules/compile-rules.js';
import type { RuleOutcome } from './rules/rule-outcome.js';
import { parseClientMaterial } from './sentry-material.js';
import { mentionsOverflow } from './stack/deciding-frames.js';
import { isPlainHeader, isReadFromAtLines } from './stack/parsers/stack-parsers.js';
import { parseStack, type StackAnalysis, type StackSource } from './stack/read-stack.js';
import type { StructuredStack } from './stack/structured-frames.js';

interface CachedStack {
  /** Represents `analysis` in the keys of results. */
  readonly number: number;
  readonly analysis: StackAnalysis;
}

/** UTF-16 units in each cache; a cache holds twice as many at most. */
const STACK_UNITS = 4 * 1024 * 1024;
const FRAME_UNITS = 1024 * 1024;
const ANALYSIS_UNITS = 1024 * 1024;
const RESULT_UNITS = 4 * 1024 * 1024;
const MAX_STACK_LENGTH = 32_768;
const MAX_RESULT_KEY = 2_048;
/** Sets of matching frame rules with caches of their own, which share the units of stacks. */
const MAX_RULE_CACHES = 4;
/** Approximate UTF-16 units of a result with its basis. */
const RESULT_SIZE = 1_024;
/** If more than `MOST_NEW` stacks of a trial miss the cache, caching costs more than it saves and pauses for `PAUSE` payloads. */
const TRIAL = 1_024;
const MOST_NEW = (3 * TRIAL) / 4;
const PAUSE = 7_168;

/** Analyses for one set of matching rules, because rules change which frames decide. */
interface StackCaches {
  readonly stacks: LongTextCache<CachedStack>;
  readonly frames: KnownFrames<CachedStack>;
}

/**
 * Returns a function with the results of `groupPayload` that caches repeated stacks and failures. A stack is stored when it is seen a second
 * time, if possible without its header, which often holds values.
 */
export function createCachedFingerprint(outcomeOf: OutcomeOf): (payload: RawPayload) => Fingerprint {
  const defaultCaches = createStackCaches(1);
  const ruleCaches = new Map<string, StackCaches>();
  const analyses = new RecentCache<string, CachedStack>(ANALYSIS_UNITS);
  const results = new RecentCache<string, Fingerprint | 'seen once'>(RESULT_UNITS);
  const noStack: CachedStack = { number: 0, analysis: parseStack(NO_SOURCE) };
  let lastNumber = 0;
  let tried = 0;
  let newStacks = 0;
  let pausedPayloads = 0;

  /** Null if too many sets of rules match. */
  function cachesFor({ key, frames }: RuleOutcome): StackCaches | null {
    if (frames === null) return defaultCaches;
    const known = ruleCaches.get(key);
    if (known !== undefined || ruleCaches.size >= MAX_RULE_CACHES) return known ?? null;
    const caches = createStackCaches(1 / MAX_RULE_CACHES);
    ruleCaches.set(key, caches);
    return caches;
  }

  function stackOf(
    { stack, error_name: errorName, message }: RawPayload,
    user: RuleOutcome,
  ): CachedStack | StackAnalysis {
    if (stack === null || stack === '') return noStack;
    const source = { stack, errorName, message, structured: null, effects: user.frames };
    const caches = cachesFor(user);
    // Here the analysis depends on more than the text of the stack.
    const dependsOnMore = message.includes('\n') || mentionsOverflow(errorName, message);
    if (caches === null || dependsOnMore || stack.length > MAX_STACK_LENGTH) return parseStack(source);
    const headerEnd = stack.indexOf('\n');
    const atLines = headerEnd > 0 && isPlainHeader(stack.slice(0, headerEnd)) ? stack.slice(headerEnd) : undefined;
    const known = (atLines !== undefined ? caches.stacks.get(atLines) : undefined) ?? caches.stacks.get(stack);
    if (known !== undefined) return known;
    newStacks += 1;
    const analysis = parseStack(source);
    const key = atLines !== undefined && isReadFromAtLines(stack) ? ownText(atLines) : stack;
    return caches.stacks.isFirstSight(key) ? analysis : caches.stacks.set(key, shareAnalysis(analysis));
  }

  function framesOf(sent: StructuredStack, payload: RawPayload, user: RuleOutcome): CachedStack | StackAnalysis {
    const { stack, error_name: errorName, message } = payload;
    const source = { stack, errorName, message, structured: sent, effects: user.frames };
    const caches = cachesFor(user);
    if (caches === null || mentionsOverflow(errorName, message)) return parseStack(source);
    const known = caches.frames.get(sent);
    if (known !== undefined) return known;
    const walking = watchWalk(sent);
    const analysis = parseStack({ ...source, stack: null, structured: walking });
    // Without a deciding frame, the text of the stack counts.
    if (analysis.frames === null) return parseStack(source);
    const cached = shareAnalysis(analysis);
    caches.frames.set(sent, walking.walked, cached);
    return cached;
  }

  /** One object for equal analyses: lines and columns of a failure change with every release. */
  function shareAnalysis(analysis: StackAnalysis): CachedStack {
    const text = JSON.stringify(analysis);
    const known = analyses.get(text);
    if (known !== undefined) return known;
    lastNumber += 1;
    const cached = { number: lastNumber, analysis: ownCopy(analysis) };
    analyses.set(text, cached, 2 * text.length);
    return cached;
  }

  return (payload) => {
    if (pausedPayloads > 0) {
      pausedPayloads -= 1;
      return groupPayload(outcomeOf, payload);
    }
    const { extra } = payload;
    const user = outcomeOf(payload);
    const material = parseClientMaterial(extra);
    if ((extra !== null && Object.hasOwn(extra, 'fingerprint')) || material.fingerprint !== undefined) {
      return groupPayload(outcomeOf, payload);
    }
    tried += 1;
    if (tried === TRIAL) {
      if (newStacks > MOST_NEW) pausedPayloads = PAUSE;
      tried = newStacks = 0;
    }
    const stack = material.stack === null ? stackOf(payload, user) : framesOf(material.stack, payload, user);
    const isCached = 'number' in stack;
    const findings = findingsOf(payload, user, material, isCached ? stack.analysis : stack);
    // A template can contain any field of the payload.
    if (!isCached || user.fingerprint !== null) return decideFingerprint(findings);
    const { errorName, isSynthetic, message } = findings;
    const key = `${ruleKey(user, payload)}${stack.number} ${message.isTemplate ? 't' : 'm'}${isSynthetic ? 's' : ''} ${errorName}\n${message.value}`;
    const known = results.get(key);
    if (known !== undefined && known !== 'seen once') return known;
    const result = decideFingerprint(findings);
    if (key.length > MAX_RESULT_KEY) return result;
    if (known === undefined) results.set(key, 'seen once', key.length);
    else results.set(key, ownCopy(result), key.length + RESULT_SIZE);
    return result;
  };
}

const NO_SOURCE: StackSource = { stack: null, errorName: '', message: '', structured: null, effects: null };

/** `share`: fraction of `STACK_UNITS` and `FRAME_UNITS`. */
function createStackCaches(share: number): StackCaches {
  return { stacks: new LongTextCache(STACK_UNITS * share), frames: new KnownFrames(FRAME_UNITS * share) };
}

/** The part of a result's key that depends on the user's rules. */
function ruleKey({ key, splits }: RuleOutcome, payload: RawPayload): string {
  if (key === '') return '';
  return `${key}${JSON.stringify(splits.map(({ read }) => read(payload)))} `;
}

/** A copy, because a slice keeps the whole stack alive. */
function ownText(text: string): string {
  return Buffer.from(text).toString();
}
