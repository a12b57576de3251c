import { createContext, useContext } from 'react';
import type { DisplayPreferences, WindowSize } from '../state/terminal-state.js';
import type { Theme } from '../terminal/theme.js';

/** What components need to draw. */
export interface View {
  readonly size: WindowSize;
  /** Reference of all ages, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly habits: DisplayPreferences;
  readonly theme: Theme;
  /** Registers a painted row and returns the character that stands for it in Ink; see `terminal/row-canvas.ts`. */
  readonly refer: (row: string) => string;
}

/** Provides the view. */
export const DrawnView = createContext<View | undefined>(undefined);

/** Returns the view; throws outside of DrawnView. */
export function useView(): View {
  const view = useContext(DrawnView);
  if (view === undefined) throw new Error('A component was drawn outside of DrawnView.');
  return view;
}
