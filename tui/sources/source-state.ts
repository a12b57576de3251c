/** How one source is doing: one line for people. */
export interface SourceState {
  readonly name: string;
  /** URL without credentials, or path. */
  readonly address: string;
  /** `lost` is left out of what is read until it answers again. */
  readonly kind: 'connecting' | 'connected' | 'lost';
  /** Why it is lost, from outside: not yet neutralised. Undefined where it is not. */
  readonly reason: string | undefined;
  /** Since when it is lost, milliseconds since the epoch; undefined where it is not. */
  readonly sinceMs: number | undefined;
  /** By its latest numbers; undefined before it told any. */
  readonly events: number | undefined;
  readonly issues: number | undefined;
  /** Whether its issues may be acted on; undefined before it told. */
  readonly canAct: boolean | undefined;
}
