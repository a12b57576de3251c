/** How an editor is told a file and a line. */
export interface EditorForm {
  /** Names of its program, without folder and `.exe`. */
  readonly names: readonly string[];
  readonly args: (path: string, line: number) => readonly string[];
  /** Where it draws: in our terminal, in a window of its own, or by `isInTerminal`. */
  readonly place: 'terminal' | 'window' | 'emacs';
}

const plusLine: EditorForm['args'] = (path, line) => [`+${line}`, path];
const pathColonLine: EditorForm['args'] = (path, line) => [`${path}:${line}`];
/** The file may be a record of what strangers sent: it must not set options of the editor. */
const withoutModelines: EditorForm['args'] = (path, line) => ['--cmd', 'set nomodeline', `+${line}`, path];

/** The editors that we know. */
const FORMS: readonly EditorForm[] = [
  { names: ['vim', 'nvim', 'vimx'], args: withoutModelines, place: 'terminal' },
  { names: ['gvim', 'mvim', 'nvim-qt', 'neovide'], args: plusLine, place: 'window' },
  {
    names: ['vi', 'view', 'nvi', 'elvis', 'nano', 'pico', 'joe', 'jed', 'ne', 'mg', 'mcedit', 'vis', 'kak', 'less'],
    args: plusLine,
    place: 'terminal',
  },
  { names: ['emacs', 'emacsclient'], args: plusLine, place: 'emacs' },
  { names: ['helix', 'hx', 'micro'], args: pathColonLine, place: 'terminal' },
  {
    names: ['code', 'code-insiders', 'codium', 'vscodium', 'cursor', 'windsurf', 'positron'],
    args: (path, line) => ['-g', `${path}:${line}`],
    place: 'window',
  },
  { names: ['subl', 'sublime_text', 'zed', 'zeditor', 'zedit', 'lapce'], args: pathColonLine, place: 'window' },
  {
    names: [
      ...['idea', 'webstorm', 'phpstorm', 'pycharm', 'goland', 'clion', 'rubymine', 'rider', 'rustrover', 'fleet'],
      ...['studio', 'mate'],
    ],
    args: (path, line) => ['--line', String(line), path],
    place: 'window',
  },
  { names: ['kate', 'kwrite'], args: (path, line) => ['--line', String(line), path], place: 'window' },
  { names: ['gedit', 'gnome-text-editor', 'xed', 'pluma'], args: plusLine, place: 'window' },
];

/** Those that end like `vi` take its form; of all others only that they take a file is known. */
const LIKE_VI: EditorForm = { names: [], args: plusLine, place: 'terminal' };
const UNKNOWN: EditorForm = { names: [], args: (path) => [path], place: 'terminal' };

/** The form of an editor by its program's name. */
export function editorForm(name: string): EditorForm {
  const known = FORMS.find(({ names }) => names.includes(name));
  return known ?? (/vim?$/.test(name) ? LIKE_VI : UNKNOWN);
}
