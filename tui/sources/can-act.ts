import type { SourceReader } from './source.js';

/** Whether a source lets whoever asks act on its issues. */
export async function canAct(reader: SourceReader): Promise<boolean> {
  return reader.act !== undefined && (await reader.access()).actions;
}
