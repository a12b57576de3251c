import type { TerminalReader } from '../readers/source.js';

/** A stretch of a source file around one of its lines. */
export interface SourceExcerpt {
  /** Where it was found. */
  readonly path: string;
  /** One-based number of the first line. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** Which issues or events are written to a file. */
export interface ExportRequest {
  readonly what: 'issues' | 'events';
  readonly query: string;
  readonly format: 'ndjson' | 'csv';
  readonly path: string;
}

/** What effects may touch. Sentences are for people: they say what happened, also where it is less than was asked for. */
export interface Outside {
  /** Where everything is read from; it acts where its collector lets it. */
  readonly reader: TerminalReader;
  /** Name of the person, for actions; undefined where the environment holds none. */
  readonly actor: string | undefined;
  copy(text: string): Promise<string>;
  /** Opens an editor at a one-based line; the terminal is lent to it where it needs it. Throws a Fault where there is no such file here. */
  edit(path: string, line: number): Promise<string>;
  /** Undefined where the file is not reachable from here. */
  readSource(file: string, line: number): Promise<SourceExcerpt | undefined>;
  /** Throws a Fault, for one where the file exists already. */
  exportTo(request: ExportRequest): Promise<string>;
  /** Turns reports of the mouse on or off. */
  setMouse(isOn: boolean): void;
}
