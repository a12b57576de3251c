import { beginTimeSlice } from '../../time-slice.js';
import type { IndexContent } from '../index/content/index-content.js';
import { unlessUnusable } from '../index/documents/index-fault.js';

/** With more segments, all issues are scanned instead, which reads no files. */
const MAX_SEGMENTS = 64;
/** Issues between two checks of the clock. */
const ISSUES_PER_CLOCK_CHECK = 256;

/** Ordinals of issues with occurrences received after an instant. */
export async function arrivedIssues(content: IndexContent, afterMicros: number): Promise<ReadonlySet<number>> {
  if (content.lastReceivedAtMicros <= afterMicros) return new Set();
  const { segments } = content;
  const first = Math.max(segments.numberAt(afterMicros), segments.sealed.firstSegment);
  const isNear = segments.open.number - first < MAX_SEGMENTS;
  return (
    (isNear ? await fromSegments(content, first, afterMicros) : undefined) ?? (await fromAll(content, afterMicros))
  );
}

/** Undefined if a segment cannot be read, which readers of events report. */
async function fromSegments(
  { segments }: IndexContent,
  first: number,
  afterMicros: number,
): Promise<Set<number> | undefined> {
  const ordinals = new Set<number>();
  const slice = beginTimeSlice();
  for (let number = first; number <= segments.open.number; number += 1) {
    const segment = await unlessUnusable(() => segments.get(number), undefined);
    if (segment === undefined) return undefined;
    for (const { ordinal, weight } of segment.rowsAfter(afterMicros)) if (weight > 0) ordinals.add(ordinal);
    if (slice.isOver) await slice.next();
  }
  return ordinals;
}

async function fromAll({ issues }: IndexContent, afterMicros: number): Promise<Set<number>> {
  const ordinals = new Set<number>();
  const slice = beginTimeSlice();
  for (const { ordinal, lastReceivedAtMicros } of issues.inOrder) {
    if (lastReceivedAtMicros > afterMicros) ordinals.add(ordinal);
    if (ordinal % ISSUES_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
  }
  return ordinals;
}
