/** What every command of the collector is given. */
export interface CommandSurroundings {
  readonly streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };
  /** The data folder where none is named. */
  readonly defaultDirectory: string;
  /** Takes the exit code. */
  readonly done: (code: number) => void;
}
