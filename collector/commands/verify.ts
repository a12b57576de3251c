import { printable } from '../../config/values/printable.js';
import type { Finding } from '../../core/storage/verify/finding.js';
import { type VerifySummary, verifyFolder } from '../../core/storage/verify/verify-folder.js';
import { createProgressLine, type ProgressStream, progressBar } from './progress-line.js';
import { INTERRUPTED, untilInterrupted } from './until-interrupted.js';

/** What `faultline verify` was called with. */
export interface VerifyCommandOptions {
  directory: string;
  /** Print NDJSON: one object for each finding, then one with the sums. */
  json: boolean;
  stdout: { write(text: string): unknown };
  stderr: ProgressStream;
}

/** Checks a data folder; answers the exit code: 0 clean, 1 damaged or unreadable, 130 interrupted. */
export async function runVerify({ directory, json, stdout, stderr }: VerifyCommandOptions): Promise<number> {
  const progress = createProgressLine(stderr);
  const text = json ? { finding: findingJson, summary: summaryJson } : { finding: findingText, summary: summaryText };
  try {
    const summary = await untilInterrupted((signal) =>
      verifyFolder({
        nowMs: Date.now,
        directory,
        signal,
        onProgress: ({ step, done, total }) => progress.show(`${step} ${total > 0 ? progressBar(done, total) : ''}`),
        onFinding: (finding) => {
          progress.clear();
          stdout.write(`${text.finding(finding)}\n`);
        },
      }),
    );
    progress.clear();
    if (summary === undefined) return INTERRUPTED;
    stdout.write(`${text.summary(summary)}\n`);
    return summary.damages > 0 ? 1 : 0;
  } finally {
    progress.clear();
  }
}

function findingText({ file, line, offset, code, severity, damage }: Finding): string {
  const place = line === null ? '' : `, line ${line}`;
  const byte = offset === null ? '' : ` (byte ${offset})`;
  const note = severity === 'note' ? 'note: ' : '';
  return printable(`${note}${file}${place}${byte}: ${code}: ${damage}`);
}

function findingJson({ file, line, offset, code, severity, damage }: Finding): string {
  return JSON.stringify({ file: printable(file), line, offset, code, severity, damage: printable(damage) });
}

function summaryText({ partitions, events, damages, notes }: VerifySummary): string {
  const looked = `${count(events, 'event')} in ${count(partitions, 'partition')} checked`;
  const noted = notes === 0 ? '' : `, ${count(notes, 'note')}`;
  if (damages === 0) return `clean: ${looked}${noted}`;
  return `damaged: ${count(damages, 'finding')}${noted}, ${looked}; lines are counted from 0`;
}

function summaryJson({ partitions, events, damages, notes }: VerifySummary): string {
  return JSON.stringify({ clean: damages === 0, partitions, events, damages, notes });
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
