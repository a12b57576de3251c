import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import type { SourcesReader } from '../../core/merged/source.js';
import { copyToClipboard } from '../effects/clipboard.js';
import type { ExportFormat } from '../effects/export-rows.js';
import { userName } from '../preferences/user-name.js';
import type { EffectContext, ExportRequest } from '../state/effect-context.js';

export interface EffectContextOptions {
  readonly reader: SourcesReader;
  /** Names the editor and the clipboard. */
  readonly env: NodeJS.ProcessEnv;
  /** Default: the name in `env`. */
  readonly userName?: string | undefined;
  /** Writes an escape sequence between two frames. Default: no terminal. */
  readonly write?: (sequence: string) => void;
  /** Lends the terminal to a program until it exits; default: no terminal to lend. */
  readonly lend?: <T>(run: () => Promise<T>) => Promise<T>;
  readonly setMouse?: (isOn: boolean) => void;
}

/** Creates the effects of the terminal; modules that the start does not need are imported on first use. */
export function createEffectContext(options: EffectContextOptions): EffectContext {
  const { reader, env, write, setMouse, lend = (run) => run() } = options;
  return {
    reader,
    actor: options.userName ?? userName(env),
    copy: (text) => copyToClipboard(text, env, write),
    edit: (path, line) => edit(path, line, { env, lend }),
    async editCopy(name, text) {
      const { writeReadOnlyCopy } = await import('../effects/editor.js');
      const { path, remove } = await writeReadOnlyCopy(name, text);
      let notice: string | undefined;
      try {
        notice = await edit(path, 1, { env, lend });
      } finally {
        // An editor with its own window still reads it.
        if (notice === undefined) remove();
      }
      return notice;
    },
    async readSource(file, line) {
      const { readSourceLines } = await import('../effects/source-lines.js');
      return await readSourceLines({ path: file, line });
    },
    exportTo: (request) => exportTo(reader, request),
    setMouse: (isOn) => setMouse?.(isOn),
  };
}

async function edit(
  path: string,
  line: number,
  { env, lend }: Required<Pick<EffectContextOptions, 'env' | 'lend'>>,
): Promise<string | undefined> {
  const { editorCommand, openEditor } = await import('../effects/editor.js');
  const options = { env, path, line };
  const { program, needsTerminal } = editorCommand(options);
  const open = () => openEditor(options);
  const end = needsTerminal ? await lend(open) : await open();
  if (end.kind === 'failed') throw new Fault('EDITOR_FAILED', `${path}: ${end.reason}.`);
  return end.kind === 'opened' ? `${program} shows line ${line} of ${path}.` : undefined;
}

async function exportTo(reader: SourcesReader, { what, query, path }: ExportRequest): Promise<string> {
  const [{ exportEvents, exportIssues, exportRejected }, { writeExportFile }] = await Promise.all([
    import('../effects/export-rows.js'),
    import('../effects/export-file.js'),
  ]);
  let rows = 0;
  const onProgress = ({ written }: { written: number }): void => {
    rows = written;
  };
  const format: ExportFormat = path.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson';
  const source = { reader, query, format, onProgress };
  const target = resolve(path.replace(/^~(?=\/|$)/, () => homedir()));
  const exports = { issues: exportIssues, events: exportEvents, rejected: exportRejected };
  await writeExportFile({ path: target, chunks: exports[what](source) });
  return `${rows} ${what === 'rejected' ? 'rejected payloads' : what} written to ${target}.`;
}
