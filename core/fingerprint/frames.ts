/** One call on a stack, read from text and normalized: what two builds, hosts or versions of a library would not share is gone. */
export interface StackFrame {
  /** Name of the function, with its class where the text has it; null when it has none or the name is a minifier's. */
  readonly function: string | null;
  /** Class or module that holds the function, for families that write it; null for others. */
  readonly module: string | null;
  /** Path without host, query, build folders and hashes; null when the text has none. */
  readonly file: string | null;
  /** One-based; null when unknown. Never part of a fingerprint. */
  readonly line: number | null;
  /** One-based; null when unknown. Never part of a fingerprint. */
  readonly column: number | null;
  /** True for code of the application, false for libraries and the language's own code, by the kind of path or namespace. */
  readonly inApp: boolean;
}
