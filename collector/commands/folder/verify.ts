import { printable } from '../../../config/values/printable.js';
import type { Finding } from '../../../core/storage/verify/finding.js';
import { type VerifySummary, verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { type FolderCommand, INTERRUPTED, progressBar, withProgress } from '../long-work.js';
import { counted } from '../paint-lines.js';

/** Options of `faultline verify`. */
export interface VerifyCommandOptions extends FolderCommand {
  /** Print NDJSON: one object per finding, then the summary. */
  json: boolean;
}

/** Checks a data folder. Exit code 0 clean, 1 damaged or unreadable, 130 interrupted. */
export async function runVerify({ directory, json, stdout, stderr }: VerifyCommandOptions): Promise<number> {
  const format = json ? { finding: findingJson, summary: summaryJson } : { finding: findingText, summary: summaryText };
  const summary = await withProgress(stderr, (progress, signal) =>
    verifyFolder({
      nowMs: Date.now,
      directory,
      signal,
      onProgress: ({ step, done, total }) => progress.show(`${step} ${total > 0 ? progressBar(done, total) : ''}`),
      onFinding: (finding) => {
        progress.clear();
        stdout.write(`${format.finding(finding)}\n`);
      },
    }),
  );
  if (summary === undefined) return INTERRUPTED;
  stdout.write(`${format.summary(summary)}\n`);
  return summary.damages > 0 ? 1 : 0;
}

function findingText({ file, line, offset, code, severity, damage }: Finding): string {
  const prefix = severity === 'note' ? 'note: ' : '';
  const position = (line === null ? '' : `, line ${line}`) + (offset === null ? '' : ` (byte ${offset})`);
  return printable(`${prefix}${file}${position}: ${code}: ${damage}`);
}

function findingJson({ file, line, offset, code, severity, damage }: Finding): string {
  return JSON.stringify({ file: printable(file), line, offset, code, severity, damage: printable(damage) });
}

function summaryText({ partitions, events, damages, notes }: VerifySummary): string {
  const checked = `${counted(events, 'event')} in ${counted(partitions, 'partition')}`;
  const notesText = notes === 0 ? '' : `, ${counted(notes, 'note')}`;
  if (damages === 0) return `No damage: ${checked}${notesText}.`;
  return `${counted(damages, 'problem')} in ${checked}${notesText} (lines count from 0).`;
}

function summaryJson({ partitions, events, damages, notes }: VerifySummary): string {
  return JSON.stringify({ clean: damages === 0, partitions, events, damages, notes });
}
