import { createContext, useContext } from 'react';
import type { Habits, WindowSize } from '../state/terminal-state.js';
import type { RowReferences } from '../terminal/row-references.js';
import type { Theme } from '../theme.js';

/** What every component draws with. */
export interface View {
  readonly size: WindowSize;
  /** The time against which ages are told, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly habits: Habits;
  readonly theme: Theme;
  readonly references: RowReferences;
}

/** Carries the view to the components below. */
export const ViewContext = createContext<View | undefined>(undefined);

/** The view that the component is drawn in. */
export function useView(): View {
  const view = useContext(ViewContext);
  if (view === undefined) throw new Error('A component was drawn outside of ViewContext.');
  return view;
}
