import type { JsonObject } from '../../core/event/json.js';

/** Where a line stands in its source: for files bytes from the beginning, for streams the number of the line. */
export interface LineSpan {
  readonly from: number;
  /** Behind its newline. */
  readonly to: number;
}

/** A failure that a program printed, as far as its text tells. */
export interface TextFailure {
  /** What it was recognised by: `node`, `python`, `java`, `go`, `rust`, `ruby`, `php`, `dotnet`, `elixir` or `json`. */
  readonly format: string;
  /**
   * Keys of a raw payload that the text gives: `error_name`, `message` and `stack` always (`stack` null when there is none), others where a JSON line
   * has them; what else the line held lies under `extra`.
   */
  readonly value: JsonObject;
  /** The text as it was printed, its lines joined by newlines, at most 1 MiB of it. */
  readonly text: string;
  /** From the beginning of its first line to the end of its last one. */
  readonly span: LineSpan;
}

/** The failures in the lines of one stream or file, found line by line. Holds only what may still be part of one. */
export interface FailureLines {
  /** Takes the next line, without its newline; control sequences for colour are allowed in it. Answers the failures that it ended or is. */
  push(line: string, span: LineSpan): readonly TextFailure[];
  /** Answers what still waits for more lines: the source has ended, or was silent for long enough. */
  flush(): readonly TextFailure[];
  /** Where the first line begins that may be part of a failure not yet answered; undefined when none waits. All before it is done with. */
  readonly waitingFrom: number | undefined;
  /** Lines so far that belonged to a trace beyond the bounds of one, and were neither answered nor looked at on their own. */
  readonly linesCut: number;
}
