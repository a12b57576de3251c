import type { Fault } from '../../event/fault.js';
import type { IndexContent } from './content/index-content.js';

/** An index that can be read, in the writing process or another. */
export interface IndexSource {
  /** As it is now; another one after `recover`, so ask anew in every call. */
  readonly content: IndexContent;
  /** Events that are not covered on disk: a crash replays as many. */
  readonly lagEvents: number;
  /** Takes in what somebody else appended to the record, at most twice a second; returns at once where this process is the writer. */
  refresh(): Promise<void>;
  /** Says that a document of what was the content then turned out to be unusable; true when the same question may now be answered. */
  recover(fault: Fault, content?: IndexContent): Promise<boolean>;
  /** Safe to call twice. */
  close(): Promise<void>;
}
