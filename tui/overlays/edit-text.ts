/** A text and its cursor in UTF-16 units. */
export interface EditedText {
  readonly draft: string;
  readonly cursor: number;
}

/** A text to insert at the cursor, or the name of a key. */
export type TextEdit = { readonly insert: string } | { readonly key: string };

/** Maximum length of a text in UTF-16 units. */
export const MAX_DRAFT_UNITS = 4_096;
const HALF_AT_END = /[\ud800-\udbff]$/;

/** Editing keys, as in shells; other keys do nothing. */
const KEY_EDITS: Readonly<Record<string, (text: EditedText) => EditedText>> = {
  left: ({ draft, cursor }) => ({ draft, cursor: before(draft, cursor) }),
  right: ({ draft, cursor }) => ({ draft, cursor: behind(draft, cursor) }),
  home: ({ draft }) => ({ draft, cursor: 0 }),
  end: ({ draft }) => ({ draft, cursor: draft.length }),
  backspace: ({ draft, cursor }) => without(draft, before(draft, cursor), cursor),
  delete: ({ draft, cursor }) => without(draft, cursor, behind(draft, cursor)),
  'ctrl-a': (text) => move(text, 'home'),
  'ctrl-e': (text) => move(text, 'end'),
  'ctrl-b': (text) => move(text, 'left'),
  'ctrl-f': (text) => move(text, 'right'),
  'ctrl-d': (text) => move(text, 'delete'),
  'ctrl-w': ({ draft, cursor }) => without(draft, draft.slice(0, cursor).trimEnd().lastIndexOf(' ') + 1, cursor),
  'ctrl-u': ({ draft, cursor }) => without(draft, 0, cursor),
  'ctrl-k': ({ draft, cursor }) => without(draft, cursor, draft.length),
};

/** Applies an edit; the text is cut to MAX_DRAFT_UNITS. */
export function editText(text: EditedText, edit: TextEdit): EditedText {
  if ('key' in edit) return KEY_EDITS[edit.key]?.(text) ?? { draft: text.draft, cursor: text.cursor };
  const room = Math.max(0, MAX_DRAFT_UNITS - text.draft.length);
  // A paste may have been cut in the middle of a pair.
  const added = edit.insert.slice(0, room).replace(HALF_AT_END, '');
  const draft = text.draft.slice(0, text.cursor) + added + text.draft.slice(text.cursor);
  return { draft, cursor: text.cursor + added.length };
}

function move(text: EditedText, key: string): EditedText {
  return KEY_EDITS[key]?.(text) ?? text;
}

function without(draft: string, from: number, to: number): EditedText {
  return { draft: draft.slice(0, from) + draft.slice(to), cursor: from };
}

function before(draft: string, cursor: number): number {
  return cursor - ([...draft.slice(Math.max(0, cursor - 2), cursor)].at(-1)?.length ?? 0);
}

function behind(draft: string, cursor: number): number {
  return cursor + ([...draft.slice(cursor, cursor + 2)][0]?.length ?? 0);
}
