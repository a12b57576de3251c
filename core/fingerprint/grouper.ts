import { LRUCache } from 'lru-cache';
import { ownCopy } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import { decideFingerprint, findingsOf, groupPayload } from './decide-fingerprint.js';
import type { Fingerprint } from './fingerprint.js';
import { type GroupingSettings, groupingKey } from './grouping-settings.js';
import type { Findings } from './main-error.js';
import { compileRules, type OutcomeOf } from './rules/compile-rules.js';
import type { RuleOutcome } from './rules/rule-outcome.js';
import { parseClientMaterial } from './sentry-material.js';
import { mentionsOverflow } from './stack/deciding-frames.js';
import { isPlainHeader, isReadFromAtLines } from './stack/parsers/stack-parsers.js';
import { parseStack, type StackAnalysis, type StackSource } from './stack/read-stack.js';
import type { StructuredStack } from './stack/structured-frames.js';

/** Computes fingerprints: pure, never throws, deterministic, and linear in its bounded input. */
export interface Grouper {
  readonly settings: GroupingSettings;
  /** `groupingKey` of the settings. */
  readonly key: string;
  fingerprint(payload: RawPayload): Fingerprint;
}

/** Creates a grouper without a cache. Throws `GROUPING_INVALID`, which names the rule and its problem. */
export function createGrouper(settings: GroupingSettings): Grouper {
  const outcomeOf = compileRules(settings);
  return { settings, key: groupingKey(settings), fingerprint: (payload) => groupPayload(outcomeOf, payload) };
}

/** Like `createGrouper`, with bounded caches. Equal failures share one result, which must not be changed. */
export function createCachedGrouper(settings: GroupingSettings): Grouper {
  const cache = new FingerprintCache(compileRules(settings));
  return { settings, key: groupingKey(settings), fingerprint: (payload) => cache.fingerprint(payload) };
}

/** An analysis that equal stacks share. */
interface SharedAnalysis {
  /** Represents `analysis` in the keys of results. */
  readonly id: number;
  readonly analysis: StackAnalysis;
}

/** UTF-16 units in each cache. */
const STACK_UNITS = 8 * 1024 * 1024;
const ANALYSIS_UNITS = 2 * 1024 * 1024;
const RESULT_UNITS = 8 * 1024 * 1024;
/** A longer text is parsed each time: V8 hashes all texts of one length beyond this alike. */
const MAX_STACK_LENGTH = 16_000;
const MAX_RESULT_KEY = 2_048;
/** Approximate UTF-16 units of a result with its basis. */
const RESULT_SIZE = 1_024;

const NO_STACK: SharedAnalysis = {
  id: 0,
  analysis: parseStack({ stack: null, errorName: '', message: '', structured: null, effects: null }),
};

/** Computes the results of `groupPayload`; analyses of repeated stacks and results of repeated failures come from bounded caches. */
class FingerprintCache {
  readonly #outcomeOf: OutcomeOf;
  /** By the rules that change frames, and the text of the stack. */
  readonly #stacks = new LRUCache<string, SharedAnalysis>({
    maxSize: STACK_UNITS,
    sizeCalculation: (_analysis, key) => key.length,
  });
  /** By their JSON: lines and columns of a failure change with every release, its deciding frames do not. */
  readonly #analyses = new LRUCache<string, SharedAnalysis>({
    maxSize: ANALYSIS_UNITS,
    sizeCalculation: (_analysis, json) => 2 * json.length,
  });
  /** A result is stored when its failure comes a second time, because a copy costs as much as the result. */
  readonly #results = new LRUCache<string, Fingerprint | 'seen once'>({
    maxSize: RESULT_UNITS,
    sizeCalculation: (result, key) => key.length + (result === 'seen once' ? 0 : RESULT_SIZE),
  });
  readonly #trial = new CacheTrial();
  #lastId = 0;

  constructor(outcomeOf: OutcomeOf) {
    this.#outcomeOf = outcomeOf;
  }

  /** Equal failures share one result, which must not be changed. */
  fingerprint(payload: RawPayload): Fingerprint {
    if (this.#trial.isPaused()) return groupPayload(this.#outcomeOf, payload);
    const { extra } = payload;
    const user = this.#outcomeOf(payload);
    const material = parseClientMaterial(extra);
    const isGroupedByClient =
      material.fingerprint !== undefined || (extra !== null && Object.hasOwn(extra, 'fingerprint'));
    if (isGroupedByClient) return groupPayload(this.#outcomeOf, payload);
    const { stack, error_name: errorName, message } = payload;
    const source = { stack, errorName, message, structured: null, effects: user.frames };
    const { id, analysis } =
      material.stack === null
        ? this.#analysisOfText(source, user)
        : this.#analysisOfFrames(material.stack, { ...source, structured: material.stack }, user);
    const findings = findingsOf(payload, user, material, analysis);
    // A template can contain any field of the payload.
    if (user.fingerprint !== null) return decideFingerprint(findings);
    return this.#resultOf(resultKey(id, findings), findings);
  }

  #analysisOfText(source: StackSource, rules: RuleOutcome): SharedAnalysis {
    const { stack, errorName, message } = source;
    if (stack === null || stack === '') return NO_STACK;
    // The analysis then depends on more than the text of the stack.
    const dependsOnMore = message.includes('\n') || mentionsOverflow(errorName, message);
    if (dependsOnMore || stack.length > MAX_STACK_LENGTH) return this.#share(parseStack(source));
    const wholeKey = stackKey('text', rules, stack);
    const atLines = linesAfterHeader(stack);
    const atLinesKey = atLines === null ? wholeKey : stackKey('lines after the header', rules, atLines);
    const cached = this.#stacks.get(atLinesKey) ?? this.#stacks.get(wholeKey);
    if (cached !== undefined) return cached;
    this.#trial.countMiss();
    const analysis = this.#share(parseStack(source));
    this.#stacks.set(isReadFromAtLines(stack) ? atLinesKey : wholeKey, analysis);
    return analysis;
  }

  #analysisOfFrames(sent: StructuredStack, source: StackSource, rules: RuleOutcome): SharedAnalysis {
    if (mentionsOverflow(source.errorName, source.message)) return this.#share(parseStack(source));
    const key = stackKey('frames', rules, sent.identity());
    const cached = this.#stacks.get(key);
    if (cached !== undefined) return cached;
    this.#trial.countMiss();
    const analysis = parseStack({ ...source, stack: null });
    // Without a deciding frame, the text of the stack counts.
    if (analysis.frames === null) return this.#share(parseStack(source));
    const shared = this.#share(analysis);
    if (key.length <= MAX_STACK_LENGTH) this.#stacks.set(key, shared);
    return shared;
  }

  /** One object for equal analyses. */
  #share(analysis: StackAnalysis): SharedAnalysis {
    const json = JSON.stringify(analysis);
    const cached = this.#analyses.get(json);
    if (cached !== undefined) return cached;
    this.#lastId += 1;
    const shared = { id: this.#lastId, analysis: ownCopy(analysis) };
    this.#analyses.set(json, shared);
    return shared;
  }

  #resultOf(key: string, findings: Findings): Fingerprint {
    const cached = this.#results.get(key);
    if (cached !== undefined && cached !== 'seen once') return cached;
    const result = decideFingerprint(findings);
    if (key.length > MAX_RESULT_KEY) return result;
    this.#results.set(key, cached === undefined ? 'seen once' : ownCopy(result));
    return result;
  }
}

/** Payloads of a trial, how many of them may miss the cache, and for how many payloads it then pauses. */
const TRIAL = 1_024;
const MOST_MISSES = (3 * TRIAL) / 4;
const PAUSE = 7 * TRIAL;

/** Where most stacks are new, caching costs more than it saves: it pauses, and is tried again later. After a start all are new. */
class CacheTrial {
  /** Of this trial and its pause; below 0 before the first one. */
  #payloads = -PAUSE;
  #misses = 0;

  /** Call it once for each payload. */
  isPaused(): boolean {
    this.#payloads += 1;
    const isPassed = this.#payloads === TRIAL && this.#misses <= MOST_MISSES;
    if (isPassed || this.#payloads === TRIAL + PAUSE) this.#payloads = 0;
    if (this.#payloads === 0) this.#misses = 0;
    return this.#payloads > TRIAL;
  }

  countMiss(): void {
    this.#misses += 1;
  }
}

/** The rules that change frames, and what else the analysis depends on. */
function stackKey(
  kind: 'text' | 'lines after the header' | 'frames',
  { key, frames }: RuleOutcome,
  stack: string,
): string {
  return `${kind} ${frames === null ? '' : key}\n${stack}`;
}

/** The stack from its second line on, if the first may be a header, which often holds values; else null. */
function linesAfterHeader(stack: string): string | null {
  const headerEnd = stack.indexOf('\n');
  return headerEnd > 0 && isPlainHeader(stack.slice(0, headerEnd)) ? stack.slice(headerEnd) : null;
}

function resultKey(analysisId: number, { payload, user, errorName, isSynthetic, code, message }: Findings): string {
  const splits = user.key === '' ? '' : JSON.stringify(user.splits.map(({ read }) => read(payload)));
  const wording = message.reworded?.wording.becomes ?? '';
  const kind = `${message.isTemplate ? 't' : 'm'}${isSynthetic ? 's' : ''}${wording}`;
  // The title has the words of the message that came.
  const shown = message.firstLine === message.value ? '' : message.firstLine;
  return `${user.key}${splits} ${analysisId} ${kind} ${JSON.stringify(code)} ${errorName}\n${message.value}\n${shown}`;
}
