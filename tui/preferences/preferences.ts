import { basename, join } from 'node:path';
import { parseCollectorUrl } from '../../core/http-reader/collector-url.js';
import type { PreferencesSettings, SourceSettings } from '../../generated/preferences-settings.js';
import type { ColourChoice, ThemeName } from '../terminal/theme.js';

/** Preferences of the terminal. Names and paths come from a file: neutralise them before they are shown. */
export interface Preferences {
  readonly theme: ThemeName;
  readonly colours: ColourChoice;
  readonly characters: 'auto' | 'unicode' | 'ascii';
  readonly time: 'utc' | 'local';
  readonly isMouseOn: boolean;
  readonly isForScreenReader: boolean;
  /** Template of links to an editor. */
  readonly editorLink?: string;
  /** Keys by command, as configured; see `applyKeys`. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Sources by the name of their context; at least one each. */
  readonly contexts: ReadonlyMap<string, readonly ContextSource[]>;
  /** A name of `contexts`. */
  readonly defaultContext?: string;
}

/** A collector by the address of its reading API, or a data folder by its path. */
export type ContextSource =
  | { readonly url: string; readonly name: string; readonly tokenFile?: string; readonly tokenEnv?: string }
  | { readonly data: string; readonly name: string };

/** Makes preferences of valid settings; paths that begin with `~/` are resolved against `home`. */
export function toPreferences(settings: PreferencesSettings, home: string): Preferences {
  const { theme, colours, characters, time, default_context: defaultContext } = settings;
  return {
    theme,
    colours,
    characters,
    time,
    isMouseOn: settings.mouse,
    isForScreenReader: settings.screen_reader,
    keys: new Map(Object.entries(settings.keys)),
    contexts: new Map(
      Object.entries(settings.contexts).map(([name, sources]) => [
        name,
        sources.map((source) => toSource(source, home)),
      ]),
    ),
    ...(settings.links.editor !== undefined && { editorLink: settings.links.editor }),
    ...(defaultContext === undefined ? {} : { defaultContext }),
  };
}

/** The default name of a collector is its host, which has no credentials. */
function toSource(settings: SourceSettings, home: string): ContextSource {
  const { url, data = '', name, token_file: tokenFile, token_env: tokenEnv } = settings;
  if (url !== undefined) {
    return {
      url,
      name: name ?? parseCollectorUrl(url).host,
      ...(tokenFile !== undefined && { tokenFile: atHome(tokenFile, home) }),
      ...(tokenEnv !== undefined && { tokenEnv }),
    };
  }
  const path = atHome(data, home);
  return { data: path, name: name ?? (basename(path) || path) };
}

function atHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
