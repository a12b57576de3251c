import { statSync } from 'node:fs';
import { sourcePaths } from '../../core/source-code/source-paths.js';
import type { SourcePlace } from '../text/line.js';

export interface EditorLinksOptions {
  /** URI with `{path}`, `{line}` and `{column}`, such as `vscode://file{path}:{line}:{column}`. */
  template: string;
  /** Absolute folder below which files are linked. */
  root: string;
  env: NodeJS.ProcessEnv;
}

const MAX_KNOWN = 1_000;
const MAX_URI = 2_000;
/** Values of `TERM_PROGRAM` and `TERM`, and other variables, of terminals with hyperlinks. */
const PROGRAMS = /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|mintty|rio|Tabby|zed)$/;
const TERMS = /^(?:xterm-(?:kitty|ghostty)|alacritty|foot|wezterm|contour)/;
const VARIABLES = ['KITTY_WINDOW_ID', 'KONSOLE_VERSION', 'WT_SESSION'];
/** GNOME Terminal 3.26; the one before crashed. */
const FIRST_VTE = 5_000;

/** Creates the function that returns the URI of a place for an editor: only of a file that exists below the root. Undefined if the terminal has no hyperlinks. */
export function createEditorLinks({ template, root, env }: EditorLinksOptions) {
  if (!hasHyperlinks(env)) return undefined;
  // The path is absolute: `vscode://file/{path}` would have two slashes.
  const form = template.replace(/([^/])\/\{path\}/, '$1{path}');
  const known = new Map<string, string | undefined>();
  return (place: SourcePlace): string | undefined => {
    if (!known.has(place.path)) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(place.path, fileBelow(place.path, root));
    }
    const file = known.get(place.path);
    if (file === undefined) return undefined;
    const values: Readonly<Record<string, string>> = {
      path: file,
      line: String(place.line),
      column: String(place.column ?? 1),
    };
    const uri = form.replace(/\{(path|line|column)\}/g, (_, name: string) => values[name] ?? '');
    return uri.length > MAX_URI ? undefined : uri;
  };
}

/** The path of a file in a URI. Paths that only an event names are not touched: asking for one can mount a share. */
function fileBelow(path: string, root: string): string | undefined {
  const below = root.endsWith('/') ? root : `${root}/`;
  const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  try {
    const found = sourcePaths(path, [root]).find(
      (file) => file.startsWith(below) && !file.includes('/../') && isFile(file),
    );
    return found?.split('/').map(encodeURIComponent).join('/');
  } catch {
    // No permission, a name that is too long, or one that is not Unicode.
    return undefined;
  }
}

function hasHyperlinks(env: NodeJS.ProcessEnv): boolean {
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION, FORCE_HYPERLINK } = env;
  if (FORCE_HYPERLINK !== undefined) return FORCE_HYPERLINK !== '0';
  if (PROGRAMS.test(TERM_PROGRAM) || TERMS.test(TERM) || Number(VTE_VERSION) >= FIRST_VTE) return true;
  return VARIABLES.some((name) => env[name] !== undefined);
}
