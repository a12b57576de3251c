import type { IssueId } from '../../core/event/ids.js';
import type { FailureActions, FailureReader } from '../../core/reader.js';
import type { SourceState } from './source-state.js';

/** What the terminal reads from: one source or several, which look like one. */
export interface TerminalReader extends FailureReader, Partial<FailureActions> {
  /** How each source is doing, in the order in which they were named; also where there is one. */
  sources(): readonly SourceState[];
  /** Names of the sources that have an issue, as far as it was read; empty where there is only one source. */
  ownersOf(issueId: IssueId): readonly string[];
}
