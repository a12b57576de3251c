/**
 * Every failure that Faultline itself reports on purpose: a stable code for programs, a sentence for people
 * (what, which, how to mend it), and whether the same call may succeed later. The HTTP room maps codes to statuses.
 */
export class Fault extends Error {
  readonly code: string;
  /** True when the sender may try the very same request again later. */
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
