import type { LineSpan } from './text-failure.js';
import { MAX_MATCHED_LENGTH } from './trace-family.js';

/** One line of a source, and what of it is looked at. */
export interface TextLine {
  readonly printed: string;
  readonly span: LineSpan;
  /** Without control sequences and without what a container's log put before it. */
  readonly clean: string;
  /** The first `MAX_LOOKED` units of `clean`. */
  readonly matched: string;
  /** What a container's log put before it, as far as it names the writer; empty when there is none. */
  readonly writer: string;
}

const CONTROL_SEQUENCE =
  /\u001b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** What is put before every line on its way: compose, CRI files of Kubernetes, syslog. The first group names the writer. */
const ENVELOPES = [
  /^([A-Za-z0-9][\w.-]{0,63}) {1,32}\| /,
  /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) ((?:stdout|stderr)) [FP] /,
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (\S{1,255} [^\s:[]{1,64}(?:\[\d{1,10}\])?): /,
];

/** A line made ready for looking at. */
export function createTextLine(printed: string, span: LineSpan): TextLine {
  const bare = (printed.includes('\u001b') ? printed.replace(CONTROL_SEQUENCE, '') : printed).replace(/\r$/, '');
  const head = bare.slice(0, MAX_MATCHED_LENGTH);
  for (const envelope of ENVELOPES) {
    const found = envelope.exec(head);
    if (found !== null) return ready(printed, span, bare.slice(found[0].length), found[1] ?? '');
  }
  return ready(printed, span, bare, '');
}

function ready(printed: string, span: LineSpan, clean: string, writer: string): TextLine {
  return { printed, span, clean, matched: clean.slice(0, MAX_MATCHED_LENGTH), writer };
}
