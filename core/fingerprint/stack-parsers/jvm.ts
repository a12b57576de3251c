import { parseCauses } from './caused-by.js';
import { isCertainJavaLine } from './certain-lines.js';
import { isForeignJavaLine } from './foreign-lines.js';
import { isJvmFrame, jvmFrame } from './jvm-frame.js';
import type { StackParser } from './stack-parser.js';
import { indentOf, linesOf } from './text-lines.js';
import { parsedStack, type TracedException } from './traced-exception.js';

const CIRCLE = '[CIRCULAR REFERENCE';
const CAUSED_BY = '\nCaused by: ';
const AROUND = 'Wrapped by: ';
const HEADER = /^([A-Za-z_$][\w.$]{0,255})(?:: (.*))?$/;

/** The Java machine: no mark of a circle is a root, and a log may begin with the root, each next one behind `Wrapped by:`. */
export const jvmParser: StackParser = {
  family: 'jvm',
  isEvidence: isJvmFrame,
  isCertain: isCertainJavaLine,
  parse: (stack) => {
    // What begins with a line break is looked for at each line, and that is slow.
    if (stack.includes(AROUND) && stack.includes(`\n${AROUND}`)) return parsedStack(wrapped(linesOf(stack)));
    const circle = stack.includes(CIRCLE) ? stack.indexOf(`${CAUSED_BY}${CIRCLE}`) : -1;
    return parseCauses(circle < 0 ? stack : stack.slice(0, circle), jvmFrame, isForeignJavaLine);
  },
};

function wrapped(lines: readonly string[]): TracedException[] {
  const exceptions: TracedException[] = [];
  let header = '';
  let calls: string[] = [];
  let isSuppressed = false;
  const end = () => {
    if (header !== '' || calls.length > 0) exceptions.push(traced(header, calls));
  };
  for (const line of lines) {
    const text = line.trimStart();
    if (line.startsWith(AROUND)) {
      end();
      header = line.slice(AROUND.length);
      calls = [];
      isSuppressed = false;
    } else if (text.startsWith('Suppressed: ')) isSuppressed = true;
    else if (text.startsWith('at ')) {
      if (!isSuppressed) calls.push(text);
    } else if (calls.length === 0 && exceptions.length === 0 && indentOf(line) === 0 && HEADER.test(text))
      header = text;
  }
  end();
  return exceptions;
}

function traced(header: string, calls: readonly string[]): TracedException {
  const found = HEADER.exec(header);
  return {
    type: found?.[1] ?? null,
    message: found?.[2] ?? null,
    frames: function* () {
      for (const call of calls) {
        const frame = jvmFrame(call);
        if (frame !== null) yield frame;
      }
    },
  };
}
