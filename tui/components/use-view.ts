import { createContext, useContext } from 'react';
import type { Habits, WindowSize } from '../state/terminal-state.js';
import type { Theme } from '../terminal/theme.js';

/** What every component draws with. */
export interface View {
  readonly size: WindowSize;
  /** The time against which ages are told, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly habits: Habits;
  readonly theme: Theme;
  /** The character that stands for a painted row on its way through Ink; see `terminal/row-canvas.ts`. */
  readonly refer: (row: string) => string;
}

/** Carries the view to the components below. */
export const DrawnView = createContext<View | undefined>(undefined);

/** The view that the component is drawn in. */
export function useView(): View {
  const view = useContext(DrawnView);
  if (view === undefined) throw new Error('A component was drawn outside of DrawnView.');
  return view;
}
