import type { Call, FrameOfCall } from '../families/call.js';
import { frameKey, normalizeGenerated, type StackFrame } from '../frames.js';
import {
  type DeferredFrame,
  type ExceptionGroup,
  MAX_LINE_LENGTH,
  MAX_LINES,
  type ParsedStack,
} from './stack-parser.js';

/** Where a text says that code is. */
export interface Location {
  readonly path: string;
  readonly line: number;
}

/** One exception of a text. */
export interface TracedException extends ExceptionGroup {
  /** Innermost first; parsed lazily. `defer`: as of `ParsedStack.walk`. */
  readonly frames: (defer?: (read: DeferredFrame) => void) => Iterable<StackFrame>;
}

/** Returns the `frames` of lines, of which some may not be frames. */
export function framesOf<Line>(
  lines: readonly Line[],
  parseLine: (line: Line) => StackFrame | null,
  isForeign?: (line: Line) => boolean,
): TracedException['frames'] {
  return function* (defer) {
    for (const line of lines) {
      const isDeferred = defer !== undefined && isForeign?.(line) === true;
      if (isDeferred) defer(() => parseLine(line));
      const frame = isDeferred ? null : parseLine(line);
      if (frame !== null) yield frame;
    }
  };
}

/** Returns the `frames` of the lines of calls, the innermost first; `callOf` returns null for a line that is no call. */
export function framesOfCalls<Line>(
  lines: readonly Line[],
  callOf: (line: Line) => Call | null,
  frameOf: FrameOfCall,
): TracedException['frames'] {
  return function* () {
    let call: Call | null | undefined;
    for (const line of lines) {
      const caller = callOf(line);
      const frame = call && frameOf(call, { caller: caller ?? undefined, hasLocations: true });
      if (frame) yield frame;
      call = caller;
    }
    const frame = call && frameOf(call, { hasLocations: true });
    if (frame) yield frame;
  };
}

/** Types that only stop work: what they were turned into, for example a timeout, says why. */
const CANCELLATION =
  /(?:^|[.:$])(?:(?:Task|Operation|Job)?Cancel(?:l?ed|lation)(?:Error|Exception)|AbortError|(?:Interrupted|ClosedByInterrupt)Exception)$/;
/** Go has no type for it. */
const CANCELED = /^(?:rpc error: code = Canceled desc = )?context canceled$/;

/** Whether an exception only says that its work was cancelled. */
export function isCancellation({ type, message }: ExceptionGroup): boolean {
  return (type !== null && CANCELLATION.test(type)) || (message !== null && CANCELED.test(message));
}

/** Removes cancellations from the end of a chain that ends with its root; one exception always remains. */
export function withoutCancellations<One>(
  rootLast: readonly One[],
  isCancelled: (exception: One) => boolean,
): readonly One[] {
  if (rootLast.length < 2) return rootLast;
  return rootLast.slice(0, Math.max(1, rootLast.findLastIndex((one) => !isCancelled(one)) + 1));
}

/** Creates a stack from its exceptions, the root first. */
export function parsedStack(chain: readonly TracedException[], group?: ExceptionGroup): ParsedStack {
  const rootFirst = withoutCancellations(chain.toReversed(), isCancellation).toReversed();
  const root = rootFirst.length > 1 ? rootFirst[0] : undefined;
  const message = root?.message?.slice(0, MAX_LINE_LENGTH) ?? '';
  return {
    rootCause: root?.type ?? null,
    rootMessage: message === '' ? null : message,
    group,
    walk: (visit, defer) => {
      for (const { frames } of rootFirst) {
        let count = 0;
        for (const frame of frames(defer)) {
          if (!visit(frame)) return;
          count++;
          if (count === MAX_LINES) break;
        }
      }
    },
  };
}

/** Returns the chain that represents a group: the first by type and innermost frame of its root, independent of the order of failing. Empty without chains. */
export function firstChain(chains: readonly (readonly TracedException[])[]): readonly TracedException[] {
  const [first] = chains
    .map((chain) => ({ chain, rank: rankOf(chain[0]) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : one.rank > other.rank ? 1 : 0));
  return first?.chain ?? [];
}

/** Returns the chain that represents a group whose members have the same root type and innermost frame; empty for other groups, which stand for themselves. */
export function sharedChain(chains: readonly (readonly TracedException[])[]): readonly TracedException[] {
  const [first] = chains;
  return first !== undefined && new Set(chains.map(([root]) => rankOf(root))).size === 1 ? first : [];
}

function rankOf(root: TracedException | undefined): string {
  if (root === undefined) return '';
  const [frame] = root.frames();
  return `${normalizeGenerated(root.type ?? '')}\n${frame === undefined ? '' : frameKey(frame)}`;
}
