import type { Fault } from '../../event/fault.js';
import type { IndexContent } from './content/index-content.js';

/** An index that can be read, in the writing process or another. */
export interface IndexSource {
  /** Replaced after `recover`: get it again in every call. */
  readonly content: IndexContent;
  /** Events since the last checkpoint, which a crash replays. */
  readonly lagEvents: number;
  /** Applies what another process appended, at most twice a second; does nothing in the writing process. */
  refresh(): Promise<void>;
  /** Reports that a document of `content` is unusable; true if the caller may retry. */
  recover(fault: Fault, content?: IndexContent): Promise<boolean>;
  /** Safe to call twice. */
  close(): Promise<void>;
}
