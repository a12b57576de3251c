const COLLECTOR_ADDRESS = /^https?:\/\//;

/** Whether a source is a data folder: its address is a path then. */
export function isFolder({ address }: Pick<SourceState, 'address'>): boolean {
  return !COLLECTOR_ADDRESS.test(address);
}

/** How one source is doing: one line for people. */
export interface SourceState {
  readonly name: string;
  /** URL without credentials, or path. */
  readonly address: string;
  /** `lost` is left out of what is read until it answers again; so is `unauthorized`, which answers, and wants another token. */
  readonly kind: 'connecting' | 'connected' | 'lost' | 'unauthorized';
  /** Why it is left out, from outside: not yet neutralised. Undefined where it is not. */
  readonly reason: string | undefined;
  /** Since when it is left out, milliseconds since the epoch; undefined where it is not. */
  readonly sinceMs: number | undefined;
  /** Events that are stored there, without those for which they stand, by its latest numbers; undefined before it told any. */
  readonly events: number | undefined;
  readonly issues: number | undefined;
  /** Whether its issues may be acted on; undefined before it told. */
  readonly canAct: boolean | undefined;
}
