/** A setting's text is invalid (code `CONFIG_VALUE_INVALID`); the message follows "expected …, found …: ". */
export class ValueError extends Error {
  readonly code = 'CONFIG_VALUE_INVALID';
  /** The text that was probably meant; undefined if none is similar. */
  readonly suggestion: string | undefined;

  constructor(message: string, suggestion?: string) {
    super(message);
    this.name = 'ValueError';
    this.suggestion = suggestion;
  }
}
