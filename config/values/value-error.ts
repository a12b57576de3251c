/** A setting's text that does not say what it should (code `CONFIG_VALUE_INVALID`); the message reads after "expected … , found …". */
export class ValueError extends Error {
  readonly code = 'CONFIG_VALUE_INVALID';
  /** The text that was probably meant; undefined when nothing is close. */
  readonly suggestion: string | undefined;

  constructor(message: string, suggestion?: string) {
    super(message);
    this.name = 'ValueError';
    this.suggestion = suggestion;
  }
}
