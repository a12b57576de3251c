import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Fault } from '../../core/event/fault.js';
import { createPayloadParser } from '../../core/event/validate/payload-reader.js';
import { type EventStore, openEventStore } from '../../core/storage/event-store.js';
import { DEFAULT_LIMITS, MAX_LINE_BYTES, MAX_MEMBERS } from '../import/default-bounds.js';
import { type ImportCounts, type ImportRejection, importFile } from '../import/import-file.js';
import { lineKey } from '../import/missing-events.js';
import { createProgressLine, type ProgressStream, progressBar } from './progress-line.js';

const MOST_REJECTIONS_SHOWN = 20;
const IMPORT_ID = /^[\w.-]{1,64}$/;

/** What `faultline import` was called with. */
export interface ImportOptions {
  /** Paths; `-` is standard input. */
  files: readonly string[];
  directory: string;
  /** Absent: a new one, which is printed when the import is interrupted. */
  id: string | undefined;
  defaults: { app: string | undefined; service: string | undefined; env: string | undefined };
  stdin: Readable;
  stdout: { write(text: string): unknown };
  stderr: ProgressStream;
}

/** Puts NDJSON files into a data folder; answers the exit code: 0 all stored, 1 something was rejected or failed, 2 called wrongly. */
export async function runImport(options: ImportOptions): Promise<number> {
  if (options.id !== undefined && !IMPORT_ID.test(options.id)) {
    options.stderr.write('--id must be 1 to 64 letters, digits, dots, dashes or underscores\n');
    return 2;
  }
  for (const file of options.files) {
    const found = file === '-' ? undefined : await stat(file).catch(() => null);
    if (found === null || found?.isDirectory() === true) {
      options.stderr.write(`${file}: ${found === null ? 'no such file' : 'is a folder'}; nothing was imported\n`);
      return 2;
    }
  }
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const progress = createProgressLine(options.stderr);
  const store = await openEventStore({
    directory: options.directory,
    onProgress: ({ doneEvents, totalEvents }) =>
      progress.show(`rebuilding the index ${progressBar(doneEvents, totalEvents)}`),
    onFault: (fault) => options.stderr.write(`${fault.message}\n`),
  });
  try {
    return await importAll(options, store, abort.signal, progress);
  } finally {
    progress.clear();
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
    await store.close();
  }
}

async function importAll(
  options: ImportOptions,
  store: EventStore,
  signal: AbortSignal,
  progress: ReturnType<typeof createProgressLine>,
): Promise<number> {
  const { app, service, env } = options.defaults;
  const defaults = {
    ...(app !== undefined && { app }),
    ...(service !== undefined && { service }),
    ...(env !== undefined && { env }),
  };
  // What an operator imports may come from an export of a store that sampled.
  const reader = createPayloadParser({ defaults, limits: DEFAULT_LIMITS, keepsWeight: true });
  const importId = options.id ?? randomUUID();
  // Without an id of the person's own nothing can be a repeat.
  const recovered = options.id === undefined ? new Map<string, number>() : await recoveredLines(store);
  const total: ImportCounts = { stored: 0, alreadyStored: 0, rejected: 0 };
  let shown = 0;
  const onRejected = (file: string, { line, field, reason }: ImportRejection): void => {
    shown += 1;
    if (shown > MOST_REJECTIONS_SHOWN) return;
    progress.clear();
    options.stderr.write(`${file}:${line}: ${field === '' ? 'the line' : field} ${reason}\n`);
  };
  for (const file of options.files) {
    if (signal.aborted) break;
    const size = file === '-' ? undefined : (await stat(file)).size;
    const counts = await importFile({
      store,
      reader,
      input: file === '-' ? options.stdin : createReadStream(file, { highWaterMark: 256 * 1024 }),
      file,
      importId,
      recovered,
      maxLineBytes: MAX_LINE_BYTES,
      maxMembers: MAX_MEMBERS,
      signal,
      onRejected: (rejection) => onRejected(file, rejection),
      onProgress: (readBytes, sofar) =>
        progress.show(`${file} ${progressBar(readBytes, size)} ${sofar.stored.toLocaleString('en')} stored`),
    }).catch((error: unknown) => {
      throw new Fault(
        'IMPORT_FAILED',
        `${file}: ${error instanceof Error ? error.message : String(error)}; repeat with --id ${importId} to go on`,
        { cause: error },
      );
    });
    total.stored += counts.stored;
    total.alreadyStored += counts.alreadyStored;
    total.rejected += counts.rejected;
  }
  progress.clear();
  if (shown > MOST_REJECTIONS_SHOWN) options.stderr.write(`and ${shown - MOST_REJECTIONS_SHOWN} more\n`);
  const already = total.alreadyStored > 0 ? `, ${total.alreadyStored} already stored by an earlier run` : '';
  options.stdout.write(`${total.stored} stored, ${total.rejected} rejected${already}\n`);
  if (signal.aborted) options.stderr.write(`interrupted; repeat with --id ${importId} to go on\n`);
  return signal.aborted || total.rejected > 0 ? 1 : 0;
}

async function recoveredLines(store: EventStore): Promise<Map<string, number>> {
  const lines = new Map<string, number>();
  for await (const line of store.recoveredLines()) {
    const key = lineKey(line);
    lines.set(key, (lines.get(key) ?? 0) + 1);
  }
  return lines;
}
