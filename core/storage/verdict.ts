/** How sure it is that an event matches: so that `NOT` turns no into yes and leaves the third as it is. */
export const NO = 0;
export const MAYBE = 1;
export const YES = 2;
export type Verdict = typeof NO | typeof MAYBE | typeof YES;
