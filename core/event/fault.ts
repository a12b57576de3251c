/** An error with a stable code for programs and a sentence for people: what failed, where, and how to fix it. The HTTP room maps codes to statuses. */
export class Fault extends Error {
  readonly code: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** The sentence of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
