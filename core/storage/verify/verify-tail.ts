import type { ReadableFile } from '../files/store-files.js';
import type { Partition } from '../record/partition.js';
import { COMMITS_FILE, RAW_FILE } from '../record/partition-path.js';
import type { ChainPlace } from './judge-commit.js';
import { createRawSpans } from './raw-spans.js';
import type { VerifyContext } from './verify-context.js';

/** The end of a raw file. */
export interface TailOptions {
  readonly raw: ReadableFile;
  readonly rawBytes: number;
  /** Where the last commit ends. */
  readonly from: ChainPlace;
  readonly hasCommitFile: boolean;
}

/** Says what lies in a raw file behind its last commit; beside a running writer that is no damage. */
export async function verifyTail(context: VerifyContext, { folder }: Partition, options: TailOptions): Promise<void> {
  const { raw, rawBytes, from, hasCommitFile } = options;
  const isLive = context.writer !== undefined;
  if (!hasCommitFile && !isLive) {
    const what = `The file is missing beside a raw file of ${rawBytes} bytes.`;
    context.report({ code: 'COMMITS_MISSING', file: `${folder}/${COMMITS_FILE}`, what });
    context.damagedFolders.add(folder);
    return;
  }
  const bytes = rawBytes - from.offset;
  if (bytes <= 0) return;
  const { newlines } = await createRawSpans(raw).read(from.offset, bytes);
  const what = `Behind the last commit lie ${bytes} bytes, ${newlines} whole lines.`;
  context.report({
    code: 'RAW_UNCOMMITTED_TAIL',
    file: `${folder}/${RAW_FILE}`,
    line: from.line,
    offset: from.offset,
    what,
    ...(isLive && { severity: 'note' }),
  });
  if (!isLive) context.damagedFolders.add(folder);
}
