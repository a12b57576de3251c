import { levelOf } from '../../normalize/level.js';
import type { FieldValue } from '../../query/query-fields.js';
import { filledToken, integerToken, keyTest, type LineTest, textToken } from './raw-predicates.js';

/** One test must say yes, or with `isNegated` none may. */
interface FieldTests {
  readonly anyOf: readonly LineTest[];
  readonly isNegated: boolean;
}

/** Tests for fields with few short values; undefined for other fields. */
export function lineTestsOf(field: string, holds: (value: FieldValue) => boolean): FieldTests | undefined {
  switch (field) {
    case 'level':
      return one(
        keyTest(
          'level',
          textToken((level) => holds(levelOf({ level }))),
        ),
      );
    case 'method':
      return one(keyTest('method', textToken(holds)));
    case 'release':
    case 'releases':
      return one(keyTest('release', textToken(holds)));
    case 'status_code':
      return one(keyTest('status_code', integerToken(holds)));
    case 'type':
      return testsOfType(holds('exception'), holds('log'));
    default:
      return undefined;
  }
}

function one(test: LineTest): FieldTests {
  return { anyOf: [test], isNegated: false };
}

/** Exceptions have a stack or a status code. */
function testsOfType(isException: boolean, isLog: boolean): FieldTests {
  if (isException === isLog) return { anyOf: [], isNegated: isLog };
  const anyOf = [
    keyTest('stack', filledToken),
    keyTest(
      'status_code',
      integerToken((value) => value !== null),
    ),
  ];
  return { anyOf, isNegated: isLog };
}
