// Generated from schema.json by `npm run schema`. Change the schema, not this file.

/**
 * Single characters, or names such as `ctrl-x`, `pagedown`, `f5`, `shift-tab`, `enter` and `space`.
 *
 * @maxItems 16
 */
export type KeyList = string[];
/**
 * What is shown together, merged by issue.
 *
 * @minItems 1
 * @maxItems 32
 */
export type SourceList = SourceSettings[];

/**
 * What a person chose for the terminal. A section that is left empty (null) is a default instance of itself.
 */
export interface PreferencesSettings {
  /**
   * What things look like. `terminal` uses the terminal's own 16 colours; `dark` and `light` use 256 where there are 256 and suit a black and a white background; `high_contrast` uses no colours but bold, inverse and underlined text. Default `terminal`.
   */
  theme: 'terminal' | 'dark' | 'light' | 'high_contrast';
  /**
   * How many colours are used. `auto` takes it from COLORTERM and TERM, and none when NO_COLOR is set; anything else overrules these. Default `auto`.
   */
  colours: 'auto' | 'none' | '16' | '256';
  /**
   * The signs that the terminal draws. `auto` is Unicode where the locale says UTF-8. Default `auto`.
   */
  characters: 'auto' | 'unicode' | 'ascii';
  /**
   * How times are shown. Default `utc`.
   */
  time: 'utc' | 'local';
  /**
   * Whether clicks and the wheel are taken; the terminal then selects text only with Shift held. Default `false`.
   */
  mouse: boolean;
  /**
   * Whether the screen is written so that it can be read aloud. Default `false`.
   */
  screen_reader: boolean;
  looks: LooksSettings;
  keys: KeysSettings;
  contexts: ContextsSettings;
  /**
   * Name of the context that `faultline browse` opens when it is told of no other; absent: the collector at http://localhost:4319, else the local data folder.
   */
  default_context?: string;
}

/**
 * Changes to the theme, by meaning. A meaning that is absent looks as the theme has it.
 */
export interface LooksSettings {
  plain?: LookSettings;
  muted?: LookSettings;
  strong?: LookSettings;
  selected?: LookSettings;
  cursor_dim?: LookSettings;
  marked?: LookSettings;
  match?: LookSettings;
  heading?: LookSettings;
  label?: LookSettings;
  critical?: LookSettings;
  error?: LookSettings;
  warning?: LookSettings;
  info?: LookSettings;
  good?: LookSettings;
  in_app?: LookSettings;
  json_key?: LookSettings;
  json_string?: LookSettings;
  json_number?: LookSettings;
  json_literal?: LookSettings;
  added?: LookSettings;
  removed?: LookSettings;
  bar?: LookSettings;
  bar_selected?: LookSettings;
  tab?: LookSettings;
  tab_selected?: LookSettings;
}

/**
 * What text of one meaning looks like. A key that is absent stays as the theme has it.
 */
export interface LookSettings {
  /**
   * A number from 0 to 255, or the name of one of the terminal's own 16: `red`, `bright_red`, and so on. Below 256 colours the nearest of the 16 is taken.
   */
  colour?: string;
  /**
   * Whether the text is bold.
   */
  bold?: boolean;
  /**
   * Whether the text is weaker than others.
   */
  dim?: boolean;
  /**
   * Whether the text is underlined.
   */
  underline?: boolean;
  /**
   * Whether text and background change places.
   */
  inverse?: boolean;
}

/**
 * Keys by command. A list replaces the built-in keys of its command; an empty one takes them away. Which commands there are is checked when the file is read.
 */
export interface KeysSettings {
  [id: string]: KeyList;
}

/**
 * Where failures are read from, by a name of letters, digits, `_`, `-` and `.`.
 */
export interface ContextsSettings {
  [id: string]: SourceList;
}

/**
 * One collector or data folder: `url` or `data`, not both.
 */
export interface SourceSettings {
  /**
   * Address of a collector's reading API, http or https.
   */
  url?: string;
  /**
   * Path of a data folder, read-only. A relative one begins at the folder in which the command is started, `~/` at the home folder.
   */
  data?: string;
  /**
   * Path of a file with the token of the collector, on a line of its own. A relative one begins at the folder in which the command is started, `~/` at the home folder. Absent: `token_env` counts.
   */
  token_file?: string;
  /**
   * Name of the environment variable that holds the token of the collector. Absent: what the command is given, `--token-file` or `FAULTLINE_TOKEN`.
   */
  token_env?: string;
  /**
   * What the source is called on the screen; absent: its address or path.
   */
  name?: string;
}
