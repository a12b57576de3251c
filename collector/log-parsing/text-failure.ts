import type { JsonObject } from '../../core/event/json.js';
import { TERMINAL_SEQUENCE } from '../../core/event/text.js';
import { MAX_MATCHED_LENGTH } from './trace-family.js';

/** The range of a line in its source: byte offsets in files, line numbers in streams. */
export interface LineSpan {
  readonly from: number;
  /** After its newline. */
  readonly to: number;
}

/** A failure that a program printed. */
export interface TextFailure {
  /** `json`, `log`, or the language: `node`, `python`, `java`, `go`, `rust`, `ruby`, `php`, `dotnet`, `elixir`, `test` for a failed test, or that of a line form. */
  readonly format: string;
  /** Keys of a raw payload: always `error_name`, `message` and `stack` (may be null), others from a JSON line, whose rest is in `extra`. */
  readonly value: JsonObject;
  /** The printed lines joined by newlines, cut to 1 MiB. */
  readonly text: string;
  readonly span: LineSpan;
}

/** Finds failures in one stream or file line by line; it holds only lines that may still belong to a failure. */
export interface FailureLines {
  /** Parses the next line, without its newline; it may hold control sequences. Returns the failures that are complete now. */
  push(line: string, span: LineSpan): readonly TextFailure[];
  /** Ends all open traces and returns their failures; for a source that ended or is silent. */
  flush(): readonly TextFailure[];
  /** Start of the first line that may belong to a failure not yet returned; infinite if nothing waits. */
  readonly waitingFrom: number;
}

/** One line of a source in the forms that parsers need. */
export interface TextLine {
  readonly printed: string;
  readonly span: LineSpan;
  /** Without control sequences and log prefix. */
  readonly clean: string;
  /** The first `MAX_MATCHED_LENGTH` units of `clean`. */
  readonly matched: string;
  /** The writer that the log prefix names; empty without a prefix. */
  readonly writer: string;
}

/** Line prefixes of compose, Kubernetes CRI files and syslog. The first group names the writer. */
const PREFIXES = [
  /^([A-Za-z0-9][\w.-]{0,63}) {1,32}\| /,
  /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) ((?:stdout|stderr)) [FP] /,
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (\S{1,255} [^\s:[]{1,64}(?:\[\d{1,10}\])?): /,
];

/** PHP-FPM quotes what a child printed. */
const OF_CHILD =
  /^\[[^\]]{1,40}\] WARNING: \[pool [^\]]{1,64}\] (child \d{1,10}) said into std(?:err|out): "(?:NOTICE: PHP message: )?(.*)"(?:, pipe is closed)?$/;

/** Strips control sequences and the log prefix from a printed line. */
export function createTextLine(printed: string, span: LineSpan): TextLine {
  const bare = (printed.includes('\u001b') ? printed.replace(TERMINAL_SEQUENCE, '') : printed).replace(/\r$/, '');
  const head = bare.slice(0, MAX_MATCHED_LENGTH);
  const [prefix = '', writer = ''] =
    PREFIXES.reduce<RegExpExecArray | null>((found, pattern) => found ?? pattern.exec(head), null) ?? [];
  const child = bare.startsWith('[') ? OF_CHILD.exec(bare) : null;
  const clean = child?.[2] ?? bare.slice(prefix.length);
  return { printed, span, clean, matched: clean.slice(0, MAX_MATCHED_LENGTH), writer: child?.[1] ?? writer };
}
