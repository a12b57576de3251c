/** One version of the built-in rules, as data. A version that was released never changes. */
export interface GroupingVersion {
  readonly version: 1 | 2;
  /**
   * Whose type and message count where a stack is a chain. `both`: the event's, and the root's type beside them.
   * `root`: the root cause's, whatever it was wrapped in.
   */
  readonly mainException: 'both' | 'root';
  /** `where_needed`: only where neither the deciding frames nor the type say what failed. */
  readonly messageJoins: 'always' | 'where_needed';
  readonly frames: FrameChoice;
  /** Whether a title without a message names the culprit instead. */
  readonly titleNamesCulprit: boolean;
}

/** How the frames that decide are chosen. */
export interface FrameChoice {
  /** Named frames of the application that decide. */
  readonly named: number;
  /** A frame without a name says little: so many are taken until one has a name. */
  readonly maxUnnamed: number;
  /** `neighbours`: a frame that follows itself counts once. `any_period`: a frame that comes again does. */
  readonly collapses: 'neighbours' | 'any_period';
  /** Whether a frame that raises counts together with a caller that has no name. */
  readonly raisesForUnnamed: boolean;
  readonly overflow: OverflowChoice;
}

/** How a stack that ran over is read. */
export interface OverflowChoice {
  /** Linear; tried on names and messages. */
  readonly named: RegExp;
  /** Frames in which a cycle is looked for. */
  readonly window: number;
  /** Of which frames the cycle must be half. */
  readonly of: 'all' | 'application';
}

const FIRST: GroupingVersion = {
  version: 1,
  mainException: 'both',
  messageJoins: 'always',
  titleNamesCulprit: false,
  frames: {
    named: 1,
    maxUnnamed: 3,
    collapses: 'neighbours',
    raisesForUnnamed: false,
    overflow: {
      named: /stack ?overflow|recursion|call stack|stack level too deep|stack exhausted/i,
      window: 64,
      of: 'all',
    },
  },
};

const SECOND: GroupingVersion = {
  version: 2,
  mainException: 'root',
  messageJoins: 'where_needed',
  titleNamesCulprit: true,
  frames: {
    named: 1,
    maxUnnamed: 3,
    collapses: 'any_period',
    raisesForUnnamed: true,
    overflow: {
      named:
        /stack ?overflow|recursion|call stack|stack level too deep|stack exhausted|overflowed its stack|stack exceeds|nesting level/i,
      window: 512,
      of: 'application',
    },
  },
};

/** All versions, the newest last. */
export const GROUPING_VERSIONS: readonly GroupingVersion[] = [FIRST, SECOND];
