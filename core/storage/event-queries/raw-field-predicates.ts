import { levelOf } from '../../normalize/level.js';
import type { FieldValue } from '../../query/query-fields.js';
import { filledToken, integerToken, keyTest, type LineTest, type TokenVerdict, textToken } from './raw-predicates.js';

/** One test must say yes, or with `isNegated` none may. */
interface FieldTests {
  readonly anyOf: readonly LineTest[];
  readonly isNegated: boolean;
}

/** Fields with few short values, by their key in raw lines. */
const TOKENS: Readonly<Record<string, (holds: (value: FieldValue) => boolean) => TokenVerdict>> = {
  level: (holds) => textToken((level) => holds(levelOf({ level }))),
  method: textToken,
  release: textToken,
  status_code: integerToken,
};

/** Tests for fields with few short values; undefined for other fields. */
export function lineTestsOf(field: string, holds: (value: FieldValue) => boolean): FieldTests | undefined {
  if (field === 'type') return testsOfType(holds('exception'), holds('log'));
  const key = field === 'releases' ? 'release' : field;
  const tokenOf = TOKENS[key];
  return tokenOf && { anyOf: [keyTest(key, tokenOf(holds))], isNegated: false };
}

/** Exceptions have a stack or a status code. */
function testsOfType(isException: boolean, isLog: boolean): FieldTests {
  if (isException === isLog) return { anyOf: [], isNegated: isLog };
  const hasStatus = integerToken((value) => value !== null);
  return { anyOf: [keyTest('stack', filledToken), keyTest('status_code', hasStatus)], isNegated: isLog };
}
