import type { SourcesReader } from '../../core/merged/source.js';
import type { CopyOutcome } from '../effects/clipboard.js';
import type { SourceExcerpt } from '../effects/source-lines.js';

/** What to export, and where to. */
export interface ExportRequest {
  readonly what: 'issues' | 'events' | 'rejected';
  readonly query: string;
  /** CSV if it ends with `.csv`, else NDJSON. */
  readonly path: string;
}

/** What effects may use. The strings returned are notices for the user. */
export interface EffectContext {
  readonly reader: SourcesReader;
  /** The user's name for actions; undefined if the environment has none. */
  readonly actor: string | undefined;
  /** Copies a text to the clipboard. */
  copy(text: string): Promise<CopyOutcome>;
  /** Opens an editor at a one-based line; one that needs the terminal has no notice. Throws a Fault if it fails or has no file. */
  edit(path: string, line: number): Promise<string | undefined>;
  /** Opens a text in an editor as a read-only file of this name, which is removed afterwards. */
  editCopy(name: string, text: string): Promise<string | undefined>;
  /** Undefined if the file is not on this machine. */
  readSource(file: string, line: number): Promise<SourceExcerpt | undefined>;
  /** Throws a Fault if the file exists or cannot be written. */
  exportTo(request: ExportRequest): Promise<string>;
  /** Turns mouse reports on or off. */
  setMouse(isOn: boolean): void;
}
