/** Whatever holds something open. */
export interface Closable {
  close(): Promise<void>;
}

/** Closes one after the other, all of them whatever the others say, and answers the errors. */
export async function closeAll(parts: readonly Closable[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await part.close();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}
