import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Fault, messageOf } from '../../../core/event/fault.js';
import { PayloadParser } from '../../../core/event/validate/payload-reader.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import { DEFAULT_LIMITS, MAX_LINE_BYTES, MAX_MEMBERS } from '../../import/default-bounds.js';
import { type ImportCounts, type ImportRejection, importFile } from '../../import/import-file.js';
import { lineKey } from '../../import/missing-events.js';
import { type FolderCommand, type ProgressLine, progressBar, withProgress } from '../long-work.js';

const MAX_PRINTED_REJECTIONS = 20;
const FAILED = 1;
/** In a list of files. */
const STDIN = '-';
const IMPORT_ID = /^[\w.-]{1,64}$/;

/** Options of `faultline import`. */
export interface ImportOptions extends FolderCommand {
  /** Paths; `-` is standard input. */
  files: readonly string[];
  /** Undefined: a new id, which is printed if the import is interrupted. */
  id: string | undefined;
  defaults: { app: string | undefined; service: string | undefined; env: string | undefined };
  stdin: Readable;
}

/** Imports NDJSON files into a data folder. Exit code 0 all stored, 1 some rejected or interrupted, 2 wrong usage. */
export async function runImport(options: ImportOptions): Promise<number> {
  if (options.id !== undefined && !IMPORT_ID.test(options.id)) {
    options.stderr.write('--id must be 1 to 64 letters, digits, dots, dashes or underscores\n');
    return 2;
  }
  for (const file of options.files) {
    const fault = file === STDIN ? undefined : await faultOf(file);
    if (fault !== undefined) {
      options.stderr.write(`${file} ${fault}; nothing was imported\n`);
      return 2;
    }
  }
  const code = await withProgress(options.stderr, async (progress, signal) => {
    const store = await openEventStore({
      directory: options.directory,
      onProgress: ({ doneEvents, totalEvents }) =>
        progress.show(`rebuilding the index ${progressBar(doneEvents, totalEvents)}`),
      onFault: (fault) => options.stderr.write(`${fault.message}\n`),
    });
    return await importFiles(options, store, signal, progress).finally(() => store.close());
  });
  return code ?? FAILED;
}

async function faultOf(file: string): Promise<string | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) return 'does not exist';
  return stats.isDirectory() ? 'is a folder' : undefined;
}

async function importFiles(
  options: ImportOptions,
  store: EventStore,
  signal: AbortSignal,
  progress: ProgressLine,
): Promise<number> {
  const reader = createReader(options.defaults);
  const importId = options.id ?? randomUUID();
  // With a new id, nothing can be a repetition.
  const recovered = options.id === undefined ? new Map<string, number>() : await countRecoveredLines(store);
  const total: ImportCounts = { stored: 0, alreadyStored: 0, rejected: 0 };
  let rejections = 0;
  const onRejected = (file: string, { line, field, reason }: ImportRejection): void => {
    rejections += 1;
    if (rejections > MAX_PRINTED_REJECTIONS) return;
    progress.clear();
    options.stderr.write(`${file}:${line}: ${field === '' ? 'the line' : field} ${reason}\n`);
  };
  for (const file of options.files) {
    if (signal.aborted) break;
    const size = file === STDIN ? undefined : (await stat(file)).size;
    const counts = await importFile({
      store,
      reader,
      input: file === STDIN ? options.stdin : createReadStream(file, { highWaterMark: 256 * 1024 }),
      file,
      importId,
      recovered,
      maxLineBytes: MAX_LINE_BYTES,
      maxMembers: MAX_MEMBERS,
      signal,
      onRejected: (rejection) => onRejected(file, rejection),
      onProgress: (readBytes, { stored }) =>
        progress.show(`${file} ${progressBar(readBytes, size)} ${stored.toLocaleString('en')} stored`),
    }).catch((error: unknown) => {
      throw new Fault('IMPORT_FAILED', `${file}: ${messageOf(error)}; repeat with --id ${importId} to continue`, {
        cause: error,
      });
    });
    total.stored += counts.stored;
    total.alreadyStored += counts.alreadyStored;
    total.rejected += counts.rejected;
  }
  progress.clear();
  if (rejections > MAX_PRINTED_REJECTIONS) options.stderr.write(`and ${rejections - MAX_PRINTED_REJECTIONS} more\n`);
  const already = total.alreadyStored > 0 ? `, ${total.alreadyStored} already there` : '';
  options.stdout.write(`${total.stored} stored${already}, ${total.rejected} rejected\n`);
  if (signal.aborted) options.stderr.write(`interrupted; repeat with --id ${importId} to continue\n`);
  return signal.aborted || total.rejected > 0 ? FAILED : 0;
}

function createReader({ app, service, env }: ImportOptions['defaults']): PayloadParser {
  const defaults = {
    ...(app !== undefined && { app }),
    ...(service !== undefined && { service }),
    ...(env !== undefined && { env }),
  };
  // The events may come from an export of a store that sampled.
  return new PayloadParser({ defaults, limits: DEFAULT_LIMITS, keepsWeight: true });
}

async function countRecoveredLines(store: EventStore): Promise<Map<string, number>> {
  const lines = new Map<string, number>();
  for await (const line of store.recoveredLines()) {
    const key = lineKey(line);
    lines.set(key, (lines.get(key) ?? 0) + 1);
  }
  return lines;
}
