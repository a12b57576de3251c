/** An open resource. */
export interface Closable {
  close(): Promise<void>;
}

/** Closes all resources in order, even if one fails, and returns the errors. */
export async function closeAll(resources: readonly Closable[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const resource of resources) {
    try {
      await resource.close();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}
