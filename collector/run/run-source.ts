/** The stream of a program's output; `terminal` stands for both. */
export type StreamName = 'stdout' | 'stderr' | 'terminal';

/** The origin of the events of one run. */
export interface RunSource {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The name of the program in messages. */
  readonly program: string;
  readonly cwd: string;
  /** Names from the command line; they override those in the output. */
  readonly overrides: RunNames;
  /** Names for events without their own. */
  readonly defaults: RunNames & { readonly app: string; readonly service: string; readonly env: string };
}

/** Names in an event. */
export interface RunNames {
  readonly app?: string | undefined;
  readonly service?: string | undefined;
  readonly env?: string | undefined;
  readonly release?: string | undefined;
}

/** The names of the run as a whole. */
export function runNamesOf({ overrides, defaults }: RunSource): RunSource['defaults'] {
  return {
    app: overrides.app ?? defaults.app,
    service: overrides.service ?? defaults.service,
    env: overrides.env ?? defaults.env,
    release: overrides.release ?? defaults.release,
  };
}
