import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { FailureReader } from '../../core/contract/reader.js';
import { isAppFile } from '../../core/fingerprint/stack/in-app.js';
import { sourcePaths } from '../../core/source-code/source-paths.js';
import { allowsColour } from '../terminal/theme.js';
import type { SourcePlace } from '../text/line.js';

/** `editor` and `source` are URIs with `{path}`, `{line}` and `{column}`; `source` also with `{commit}`. */
export interface SourceLinksOptions {
  /** Such as `vscode://file{path}:{line}:{column}`; for files below the root. */
  readonly editor?: string | undefined;
  /** Such as `https://git.example.com/shop/blob/{commit}/{path}#L{line}`; for files that `editor` does not link. */
  readonly source?: string | undefined;
  /** Absolute folder below which files are linked. */
  root: string;
  /** The commit of a release, undefined if it is not known. */
  commitOf: (release: string) => string | undefined;
}

/** Returns the URI of a place, in printable ASCII; undefined without one. */
export type LinkOf = (place: SourcePlace) => string | undefined;

const MAX_KNOWN = 1_000;
const MAX_URI = 2_000;
const MAX_PATH = 500;
/** Values of `TERM_PROGRAM` and `TERM`, and other variables, of terminals with hyperlinks. */
const PROGRAMS = /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|mintty|rio|Tabby|zed)$/;
const TERMS = /^(?:xterm-(?:kitty|ghostty)|alacritty|foot|wezterm|contour)/;
const VARIABLES = ['KITTY_WINDOW_ID', 'KONSOLE_VERSION', 'WT_SESSION'];
/** GNOME Terminal 3.26; the one before crashed. */
const FIRST_VTE = 5_000;

/**
 * Creates the function that links places: an existing file below the root to the editor, any other one, also a relative path of no file here, to the
 * source. Undefined without templates.
 */
export function createSourceLinks({ editor, source, root, commitOf }: SourceLinksOptions): LinkOf | undefined {
  if (editor === undefined && source === undefined) return undefined;
  // The path is absolute: `vscode://file/{path}` would have two slashes.
  const editorTemplate = editor?.replace(/([^/])\/\{path\}/, '$1{path}');
  const filesByPath = new Map<string, string | undefined>();
  const fileOf = (path: string): string | undefined => {
    if (!filesByPath.has(path)) {
      if (filesByPath.size >= MAX_KNOWN) filesByPath.clear();
      filesByPath.set(path, fileBelow(path, root));
    }
    return filesByPath.get(path);
  };
  return (place) => {
    const file = fileOf(place.path);
    if (editorTemplate !== undefined && file !== undefined) {
      return fillTemplate(editorTemplate, join(root, file), place, commitOf);
    }
    const name = file ?? relativePath(place.path);
    return source === undefined || name === undefined ? undefined : fillTemplate(source, name, place, commitOf);
  };
}

/** Undefined if the template needs a commit that is not known, or the URI would be too long or not Unicode. */
function fillTemplate(
  template: string,
  path: string,
  { line, column, release }: SourcePlace,
  commitOf: SourceLinksOptions['commitOf'],
): string | undefined {
  const needsCommit = template.includes('{commit}');
  const commit = needsCommit && release !== null ? commitOf(release) : undefined;
  if (needsCommit && commit === undefined) return undefined;
  try {
    const values: Readonly<Record<string, string>> = {
      path: path.split('/').map(encodeURIComponent).join('/'),
      commit: encodeURIComponent(commit ?? ''),
      line: String(line),
      column: String(column ?? 1),
    };
    const uri = template.replace(/\{(path|commit|line|column)\}/g, (_, key: string) => values[key] ?? '');
    return uri.length > MAX_URI ? undefined : uri;
  } catch {
    // `encodeURIComponent` throws for lone surrogates.
    return undefined;
  }
}

/** The path of a file, relative to the root. Paths that only an event names are not touched: asking for one can mount a share. */
function fileBelow(path: string, root: string): string | undefined {
  const below = root.endsWith('/') ? root : `${root}/`;
  const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  try {
    const found = sourcePaths(path, [root]).find(
      (file) => file.startsWith(below) && !file.includes('/../') && isFile(file),
    );
    return found?.slice(below.length);
  } catch {
    // No permission, or a name that is too long.
    return undefined;
  }
}

/** A path that an event names relative to its repository; undefined if it is absolute or leads out of it. */
function relativePath(path: string): string | undefined {
  const name = path.replace(/^\.\//, '');
  const isRelative = name.length <= MAX_PATH && name.includes('/') && !/[\\:]/.test(name) && isAppFile(name);
  return isRelative && name.split('/').every((part) => !['', '.', '..'].includes(part)) ? name : undefined;
}

/** Whether a terminal shows hyperlinks (OSC 8); `NO_COLOR` and `TERM=dumb` turn them off, `FORCE_HYPERLINK` on. */
export function hasHyperlinks(env: NodeJS.ProcessEnv): boolean {
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION, FORCE_HYPERLINK } = env;
  if (!allowsColour(env) || TERM === 'dumb') return false;
  if (FORCE_HYPERLINK !== undefined) return FORCE_HYPERLINK !== '0';
  if (PROGRAMS.test(TERM_PROGRAM) || TERMS.test(TERM) || Number(VTE_VERSION) >= FIRST_VTE) return true;
  return VARIABLES.some((name) => env[name] !== undefined);
}

/** The newest commit of a release; the name of the release if none is recorded or it cannot be read. */
export async function readReleaseCommit(reader: Pick<FailureReader, 'getRelease'>, release: string): Promise<string> {
  const found = await reader.getRelease(release).catch(() => undefined);
  return found?.commit_list[0]?.id ?? release;
}
