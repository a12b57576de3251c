import type { StackFrame } from '../frames.js';
import { parseExceptionTree } from './exception-tree.js';
import type { StackParser } from './stack-parser.js';
import { parseV8Line } from './v8.js';

const EVIDENCE = /^at (?:\?anon_|[^(]{0,256} \((?:address at |native\)$))/;
const ADDRESS = ' (address at ';
/** Hermes numbers the bodies of generators and async functions. */
const INNER_FUNCTION = /^at \?anon_\d{1,6}_?/;

/** Hermes of React Native: the form of V8, with an address in the bytecode as the location, or `(native)`. */
export const hermesParser: StackParser = {
  family: 'hermes',
  isEvidence: (line) => EVIDENCE.test(line),
  parse: (stack) => parseExceptionTree(stack, parseLine),
};

function parseLine(line: string): StackFrame | null {
  const plain = line.replace(INNER_FUNCTION, 'at ').replace(ADDRESS, ' (');
  return parseV8Line(plain.startsWith('at (') ? `at anonymous ${plain.slice(3)}` : plain);
}
