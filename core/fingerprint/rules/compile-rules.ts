import { LRUCache } from 'lru-cache';
import type { RawPayload } from '../../event/raw-payload.js';
import { payloadMatcher } from '../../query/match-query.js';
import { parseQuery } from '../../query/parse-query.js';
import type { BasisPart } from '../fingerprint.js';
import { GroupingFault } from '../grouping-fault.js';
import {
  FINGERPRINT_VERSION,
  GROUPING_VERSIONS,
  type GroupingRule,
  type GroupingSettings,
} from '../grouping-settings.js';
import { PATTERN_NAMES } from '../message/message-patterns.js';
import { createParameterizer, type Parameterizer } from '../message/parameterize.js';
import type { FrameEffects } from '../stack/frame-rules.js';
import { combineEffects, compileFrameEffects, FRAME_EFFECTS } from '../stack/frame-rules.js';
import { compileTemplate, type FingerprintTemplate } from './fingerprint-template.js';
import { PAYLOAD_VALUES, type ReadValue, valueReader } from './payload-values.js';
import type { RuleEffects, RuleOutcome } from './rule-outcome.js';

/** Applies rules to a payload. */
export type OutcomeOf = (payload: RawPayload) => RuleOutcome;

interface CompiledRule {
  readonly rule: GroupingRule;
  readonly matches: (payload: RawPayload) => boolean;
  readonly template: FingerprintTemplate | null;
  readonly frames: FrameEffects | null;
  readonly splits: readonly { readonly rule: string; readonly field: string; readonly read: ReadValue }[];
}

const KNOWN_PATTERNS: ReadonlySet<string> = new Set(PATTERN_NAMES);
const MAX_RULES = 1_000;
const MAX_SPLITS = 16;
/** Sets of matching rules whose combined effects are cached. */
const MAX_CACHED = 64;

/** Compiles settings. Throws `GROUPING_INVALID`. */
export function compileRules({ version, patterns_off: off, rules }: GroupingSettings): OutcomeOf {
  // Versions before 3 were never released: a folder keeps their fingerprints, and new events get those of the newest.
  if (version > FINGERPRINT_VERSION) {
    throw new GroupingFault(
      null,
      `unknown version ${String(version)} of the rules; use ${GROUPING_VERSIONS.join(' or ')}.`,
    );
  }
  if (rules.length > MAX_RULES) throw new GroupingFault(null, `there are more than ${MAX_RULES} rules.`);
  checkPatterns(null, 'patterns_off', off);
  const compiled = rules.map(compileRule);
  const none: RuleOutcome = { ...combineRules([], off), payload: null, key: '' };
  if (compiled.length === 0) return () => none;
  const cache = new Map<string, RuleEffects>();
  return (payload) => {
    let matching: CompiledRule[] | undefined;
    let key = '';
    for (const [index, one] of compiled.entries()) {
      if (!one.matches(payload)) continue;
      matching ??= [];
      matching.push(one);
      key += `${index} `;
    }
    if (matching === undefined) return none;
    let effects = cache.get(key);
    if (effects === undefined) {
      if (cache.size >= MAX_CACHED) cache.clear();
      effects = combineRules(matching, off);
      cache.set(key, effects);
    }
    return { ...effects, payload, key };
  };
}

function compileRule(rule: GroupingRule): CompiledRule {
  checkPatterns(rule.name, 'patterns_off', rule.patterns_off ?? []);
  checkPatterns(rule.name, 'patterns_on', rule.patterns_on ?? []);
  const fields = rule.split_by ?? [];
  if (fields.length > MAX_SPLITS) throw new GroupingFault(rule.name, `split_by has more than ${MAX_SPLITS} fields.`);
  return {
    rule,
    matches: matcherOf(rule),
    template: rule.fingerprint === undefined ? null : compileTemplate(rule.name, rule.fingerprint),
    frames: compileFrameEffects(rule),
    splits: fields.map((field) => ({ rule: rule.name, field, read: splitReader(rule.name, field) })),
  };
}

function matcherOf({ name, query }: GroupingRule): (payload: RawPayload) => boolean {
  try {
    return payloadMatcher(parseQuery(query, 'payloads'));
  } catch (error) {
    throw new GroupingFault(name, error instanceof Error ? error.message : String(error), error);
  }
}

function splitReader(rule: string, field: string): ReadValue {
  const read = valueReader(field);
  if (read !== undefined) return read;
  throw new GroupingFault(rule, `split_by knows no field "${field}"; known are ${PAYLOAD_VALUES.join(', ')}.`);
}

function checkPatterns(rule: string | null, member: string, names: readonly string[]): void {
  for (const name of names) {
    if (!KNOWN_PATTERNS.has(name)) {
      throw new GroupingFault(rule, `${member} names no row "${name}"; rows are ${PATTERN_NAMES.join(', ')}.`);
    }
  }
}

function combineRules(matching: readonly CompiledRule[], patternsOff: readonly string[]): RuleEffects {
  const off = new Set(patternsOff);
  for (const { rule } of matching) {
    for (const name of rule.patterns_off ?? []) off.add(name);
    for (const name of rule.patterns_on ?? []) off.delete(name);
  }
  const setting = matching.find(({ template }) => template !== null);
  return {
    frames: combineEffects(matching.flatMap(({ frames }) => frames ?? [])),
    parameterize: compiledParameterizer(off),
    fingerprint:
      setting === undefined || setting.template === null
        ? null
        : { rule: setting.rule.name, template: setting.template },
    splits: matching.flatMap(({ splits }) => splits),
    notes: matching.flatMap(({ rule }) => notesOf(rule)),
  };
}

/** Basis parts that list what a rule changes; they are not hashed. */
function notesOf(rule: GroupingRule): BasisPart[] {
  const framesTouched = FRAME_EFFECTS.filter((effect) => (rule[effect]?.length ?? 0) > 0);
  const off = rule.patterns_off ?? [];
  const on = rule.patterns_on ?? [];
  const notes: BasisPart[] = [];
  const note = (value: readonly string[], reason: string): void => {
    if (value.length > 0)
      notes.push({ part: 'rule', used: false, value: [...value], reason: `Rule "${rule.name}" ${reason}` });
  };
  note(framesTouched, 'changes which frames may decide.');
  note(off, 'switches these rows for messages off.');
  note(on, 'switches these rows for messages on.');
  return notes;
}

/** Shared by all groupers: compiling is slow, and a parameterizer has no state. */
const PARAMETERIZERS = new LRUCache<string, Parameterizer, ReadonlySet<string>>({
  max: 64,
  memoMethod: (_key, _stale, { context }) => createParameterizer(context),
});

function compiledParameterizer(off: ReadonlySet<string>): Parameterizer {
  return PARAMETERIZERS.memo([...off].sort().join(' '), { context: off });
}
