import type { FieldValue } from '../../query/query-fields.js';
import { filledToken, integerToken, keyTest, type LineTest, textToken } from './raw-predicates.js';

/** Tests of which one must say yes, or where `isNegated` none may. */
export interface FieldTests {
  readonly anyOf: readonly LineTest[];
  readonly isNegated: boolean;
}

/** What the level of an event is whose sender named none. */
const DEFAULT_LEVEL = 'error';

/** Fields whose values are short and few, so that to look at each says more than to look for a piece of one; undefined for all others. */
export function lineTestsOf(field: string, holds: (value: FieldValue) => boolean): FieldTests | undefined {
  switch (field) {
    case 'level':
      return one(
        keyTest(
          'level',
          textToken((level) => holds(level ?? DEFAULT_LEVEL)),
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

/** An exception has a stack or a status code. */
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
