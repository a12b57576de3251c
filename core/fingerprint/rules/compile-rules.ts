import { LRUCache } from 'lru-cache';
import { messageOf } from '../../event/fault.js';
import type { RawPayload } from '../../event/raw-payload.js';
import { payloadMatcher } from '../../query/match-query.js';
import { parseQuery } from '../../query/parse-query.js';
import { suggestion } from '../../query/suggestion.js';
import type { BasisPart } from '../fingerprint.js';
import {
  FINGERPRINT_VERSION,
  GROUPING_VERSIONS,
  GroupingFault,
  type GroupingRule,
  type GroupingSettings,
} from '../grouping-settings.js';
import { PATTERN_NAMES } from '../message/message-patterns.js';
import { createParameterizer, type Parameterizer } from '../message/parameterize.js';
import { combineEffects, compileFrameEffects, FRAME_EFFECTS, type FrameEffects } from '../stack/frame-rules.js';
import { compileTemplate, type FingerprintTemplate } from './fingerprint-template.js';
import { PAYLOAD_VALUES, type ReadValue, valueReader } from './payload-values.js';
import type { RuleOutcome } from './rule-outcome.js';

/** Applies rules to a payload. */
export type OutcomeOf = (payload: RawPayload) => RuleOutcome;

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
  for (const name of off) checkPattern(null, name);
  const compiled = rules.map(compileRule);
  const none = combineRules([], off, '');
  if (compiled.length === 0) return () => none;
  const cache = new Map<string, RuleOutcome>();
  return (payload) => {
    let matching: CompiledRule[] | undefined;
    let key = '';
    for (const [index, rule] of compiled.entries()) {
      if (!rule.matches(payload)) continue;
      matching ??= [];
      matching.push(rule);
      key += `${index} `;
    }
    if (matching === undefined) return none;
    let outcome = cache.get(key);
    if (outcome === undefined) {
      if (cache.size >= MAX_CACHED) cache.clear();
      outcome = combineRules(matching, off, key);
      cache.set(key, outcome);
    }
    return outcome;
  };
}

interface CompiledRule {
  readonly rule: GroupingRule;
  readonly matches: (payload: RawPayload) => boolean;
  readonly template: FingerprintTemplate | null;
  readonly frames: FrameEffects | null;
  readonly splits: RuleOutcome['splits'];
}

function compileRule(rule: GroupingRule): CompiledRule {
  for (const name of [...(rule.patterns_off ?? []), ...(rule.patterns_on ?? [])]) checkPattern(rule.name, name);
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

/** Compiles the query of a rule. Throws `GROUPING_INVALID`. */
export function matcherOf({ name, query }: Pick<GroupingRule, 'name' | 'query'>): (payload: RawPayload) => boolean {
  try {
    return payloadMatcher(parseQuery(query, 'payloads'));
  } catch (error) {
    throw new GroupingFault(name, messageOf(error), error);
  }
}

/** Returns the reader of a field in `split_by`. Throws `GROUPING_INVALID`. */
export function splitReader(rule: string, field: string): ReadValue {
  const read = valueReader(field);
  if (read === undefined) throw unknownName(rule, 'field', field, PAYLOAD_VALUES);
  return read;
}

/** Throws `GROUPING_INVALID` for an unknown name of a message pattern. */
export function checkPattern(rule: string | null, name: string): void {
  if (!KNOWN_PATTERNS.has(name)) throw unknownName(rule, 'kind of value', name, PATTERN_NAMES);
}

/** Suggests the nearest name, else lists all. */
function unknownName(rule: string | null, what: string, name: string, known: readonly string[]): GroupingFault {
  const hint = suggestion(name, known) || ` Known are ${known.join(', ')}.`;
  return new GroupingFault(rule, `unknown ${what} ${JSON.stringify(name)}.${hint}`);
}

function combineRules(matching: readonly CompiledRule[], patternsOff: readonly string[], key: string): RuleOutcome {
  const off = new Set(patternsOff);
  for (const { rule } of matching) {
    for (const name of rule.patterns_off ?? []) off.add(name);
    for (const name of rule.patterns_on ?? []) off.delete(name);
  }
  const setting = matching.find(({ template }) => template !== null);
  return {
    key,
    frames: combineEffects(matching.flatMap(({ frames }) => frames ?? [])),
    parameterize: PARAMETERIZERS.memo([...off].sort().join(' '), { context: off }),
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
