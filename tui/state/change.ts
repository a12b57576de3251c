import type { Fault } from '../../core/event/fault.js';
import type { Outside } from './outside.js';

/** What becomes of a state. */
export type Change<State> = (state: State) => State;

/** One thing that is read for what is on the screen. */
export interface Read<State> {
  /** Names what is read for which screen: a second one of the same name is not started while the first is on its way. */
  readonly name: string;
  /** Answers what the reading changes; the state may have changed meanwhile, also to another screen. */
  perform(reader: Outside['reader']): Promise<Change<State>>;
  /** What a fault changes; undefined, as where this is absent, means that the connection is lost. */
  failed?(fault: Fault): Change<State> | undefined;
}

/** One thing that is done outside of the screen: an action, a copy, a file. They are done one after the other, in the order in which they were asked for. */
export interface Effect<State> {
  /** Answers what it changes. A fault is shown to the person. */
  perform(outside: Outside): Promise<Change<State>>;
}
