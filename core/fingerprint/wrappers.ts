import type { StackFrame } from './frames.js';

/** `raises`: it reports what its caller did wrong, so it counts together with its caller. `passes_on`: it only calls another one and does not count. */
export type WrapperKind = 'raises' | 'passes_on';

interface WrapperRow {
  readonly kind: WrapperKind;
  /** Tried on the name of the function without its class; or, with `isWholeName`, on all of it. */
  readonly named?: RegExp;
  readonly isWholeName?: boolean;
  /** Tried on the module. */
  readonly inModule?: RegExp;
  readonly reason: string;
  /** Names of functions that the row means. */
  readonly examples: readonly string[];
}

/** Functions through which many different failures come. */
export const WRAPPERS: readonly WrapperRow[] = [
  {
    kind: 'raises',
    named:
      /^_*(?:assert|throw|raise|fail|panic|abort|invariant|unreachable|ensure|require|verify|check|validate|expect)(?:[A-Z_]\w*)?$/,
    reason: 'Checks and assertions fail for whoever called them.',
    examples: ['assert', 'assertPositive', 'Preconditions.checkNotNull', '_throwIfClosed', 'validate_input'],
  },
  {
    kind: 'raises',
    named:
      /^_*(?:create|make|new|build|wrap|to|report|handle)\w*(?:Error|Exception|Failure)$|^_*[a-z]\w*(?:Error|Exception)$/,
    reason: 'Factories of errors are called from many places.',
    examples: ['createHttpError', 'Reader.syntaxError', 'newIllegalStateException'],
  },
  {
    kind: 'passes_on',
    named: /^(?:invoke|newInstance)\d$|^reflectiveCall$/,
    inModule: /(?:^|\.)reflect\.|Accessor$|\$Proxy$|\$\$Lambda$|\$\$<generated>$/,
    reason: 'Reflection, proxies and generated classes call something else.',
    examples: ['invoke0', 'newInstance0'],
  },
  {
    kind: 'passes_on',
    isWholeName: true,
    named:
      /^(?:asyncGeneratorStep|_asyncToGenerator|__awaiter|__generator|fulfilled|rejected|step|_next|_throw|tryCatch|tryCatcher|processTicksAndRejections|runMicrotasks|promiseReactionJob)$/,
    reason: 'The machinery of promises and of compiled async functions.',
    examples: ['asyncGeneratorStep', '__awaiter', 'step'],
  },
  {
    kind: 'passes_on',
    named:
      /^(?:emit|emitOne|emitMany|dispatchEvent|fireEvent|callListener|listOnTimeout|processTimers|processImmediate)$/,
    reason: 'Timers and event emitters call whoever asked for it.',
    examples: ['Bus.emit', 'processTimers', 'dispatchEvent'],
  },
];

/** The kind of wrapper that a frame is; null when it is code with a purpose of its own. */
export function wrapperKind(frame: StackFrame): WrapperKind | null {
  const { function: name, module } = frame;
  const member = name === null ? '' : name.slice(name.lastIndexOf('.') + 1);
  for (const row of WRAPPERS) {
    if (name !== null && row.named?.test(row.isWholeName === true ? name : member)) return row.kind;
    if (module !== null && row.inModule?.test(module)) return row.kind;
  }
  return null;
}
