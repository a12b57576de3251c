import type { JsonObject } from '../../core/event/json.js';

/** The range of a line in its source: byte offsets in files, line numbers in streams. */
export interface LineSpan {
  readonly from: number;
  /** After its newline. */
  readonly to: number;
}

/** A failure that a program printed. */
export interface TextFailure {
  /** `json`, `log`, or the language: `node`, `python`, `java`, `go`, `rust`, `ruby`, `php`, `dotnet`, `elixir`, or that of a line form. */
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
