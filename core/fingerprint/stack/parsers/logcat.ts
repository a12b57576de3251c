import { linesOf } from './frame-lines.js';
import { jvmParser } from './jvm.js';
import type { StackParser } from './stack-parser.js';

/** Time, process and thread, level and tag of a line of Android's log, in its forms; https://developer.android.com/tools/logcat#outputFormat. */
const PREFIX =
  /^(?:(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}:?\s{1,4})?(?:(?:\d{1,7}[\s-]{1,6}){1,2}\d{1,7}(?:\/\S{1,100})?\s{1,4})?[VDIWEFA][/ ]\s?([\w.$:-]{1,60}?)\s{0,40}(?:\(\s{0,6}\d{1,7}\))?: ?/;

/** Stacks of the JVM in Android's log, whose every line has a prefix. */
export const logcatParser: StackParser = {
  family: 'jvm',
  isEvidence: (line) => {
    const prefix = PREFIX.exec(line);
    return prefix !== null && jvmParser.isEvidence(line.slice(prefix[0].length).trimStart());
  },
  parse: (stack) => jvmParser.parse(linesOfTrace(linesOf(stack)).join('\n')),
};

/** The lines without their prefix, of the tag of the first call, as others may write in between. */
function linesOfTrace(lines: readonly string[]): string[] {
  const first = lines.find((line) => logcatParser.isEvidence(line)) ?? '';
  const tag = PREFIX.exec(first)?.[1];
  return lines.flatMap((line) => {
    const prefix = PREFIX.exec(line);
    if (prefix === null) return [line];
    return prefix[1] === tag ? [line.slice(prefix[0].length)] : [];
  });
}
