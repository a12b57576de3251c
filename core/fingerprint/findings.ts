import type { ClientFingerprint } from './client-fingerprint.js';
import type { MessageText } from './message-text.js';
import type { StackReading } from './read-stack.js';
import type { RuleOutcome } from './rules/rule-outcome.js';

/** What was read from a payload before anything is decided. */
export interface Findings {
  readonly client: ClientFingerprint;
  /** Plain text. */
  readonly errorName: string;
  /** Whether the client made its type up, so that it says nothing. */
  readonly isSynthetic: boolean;
  readonly stack: StackReading;
  readonly message: MessageText;
  readonly user: RuleOutcome;
}
