import type { Component } from '../component.js';
import { type Line, stagesOf } from './line.js';
import type { Part } from './part.js';

/** What a reload of the configuration did, by component ids; `metrics` is the collector's own. */
export interface ReloadReport {
  /** Went on as they were, with everything they remember. */
  readonly kept: readonly string[];
  /** Got other settings, or one that they refer to did. */
  readonly replaced: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lines, of which the later took over what it could. */
export function reportOf(before: Line, after: Line): ReloadReport {
  const [earlier, later] = [partsOf(before), partsOf(after)];
  const keysBefore = new Set(earlier.map(({ key }) => key));
  const keysAfter = new Set(later.map(({ key }) => key));
  const known = new Set(earlier);
  return {
    kept: idsOf(later.filter((part) => known.has(part))),
    replaced: idsOf(later.filter((part) => !known.has(part) && keysBefore.has(part.key))),
    added: idsOf(later.filter(({ key }) => !keysBefore.has(key))),
    removed: idsOf(earlier.filter(({ key }) => !keysAfter.has(key))),
  };
}

/** All parts of a line, in the order of their start. */
export function partsOf(line: Line): readonly Part<Component>[] {
  return stagesOf(line).flat();
}

function idsOf(parts: readonly Part<Component>[]): string[] {
  return [...new Set(parts.map(({ id }) => id))];
}
