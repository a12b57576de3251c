import { cutText } from './cut-text.js';
import { addCut, type Path, type Repairs } from './repairs.js';

/** A string within `maxUnits`, its cut recorded under the limit that asked for it. */
export function cutString(
  text: string,
  maxUnits: number,
  path: Path,
  repairs: Repairs,
  limit: 'max_string_length' | 'max_stack_length' = 'max_string_length',
): string {
  if (text.length <= maxUnits) return text;
  const kept = cutText(text, maxUnits);
  addCut(repairs, limit, path, text.length, kept.length);
  return kept;
}

/**
 * A key within `maxUnits`, its cut recorded; undefined when another entry has the cut key already (`isTaken`), so that the entry has to go.
 */
export function cutKey(
  key: string,
  maxUnits: number,
  path: Path,
  repairs: Repairs,
  isTaken: (key: string) => boolean,
): string | undefined {
  if (key.length <= maxUnits) return key;
  const kept = cutText(key, maxUnits);
  const isLost = isTaken(kept);
  addCut(repairs, 'max_string_length', [...path, kept], key.length, isLost ? 0 : kept.length);
  return isLost ? undefined : kept;
}
