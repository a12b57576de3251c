/** Which way output came: its two streams, or the terminal that stands for both. */
export type StreamName = 'stdout' | 'stderr' | 'terminal';

/** What the events of one run say of where they come from. */
export interface RunSource {
  /** Words of the command line. */
  readonly command: readonly string[];
  /** What the program is called in messages. */
  readonly program: string;
  readonly cwd: string;
  /** Named by the caller of the run: these hold whatever a line of output says. */
  readonly given: RunNames;
  /** For events that say nothing themselves, where nothing was given. */
  readonly fallback: RunNames & { readonly app: string; readonly service: string; readonly env: string };
}

/** Names of an event's origin; undefined where there is none. */
export interface RunNames {
  readonly app?: string | undefined;
  readonly service?: string | undefined;
  readonly env?: string | undefined;
  readonly release?: string | undefined;
}

/** The names that hold for the run as a whole. */
export function runNamesOf({ given, fallback }: RunSource): RunSource['fallback'] {
  return {
    app: given.app ?? fallback.app,
    service: given.service ?? fallback.service,
    env: given.env ?? fallback.env,
    release: given.release ?? fallback.release,
  };
}
