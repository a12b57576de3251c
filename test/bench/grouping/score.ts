import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { meanOf, type Scores, scoresOf } from './scores.js';

/** A labelled event of the development data. */
interface Labelled {
  readonly label: string;
  readonly kind: string;
  readonly payload: RawPayload;
  /** The stack in the format of V8; null without one. */
  readonly stackV8: string | null;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node dist/test/bench/grouping/score.js FOLDER\n');
  process.exitCode = 2;
} else {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  const logs = files.filter((name) => name.startsWith('log-')).map((name) => readLabelled(join(folder, name)));
  const exceptions = files
    .filter((name) => !name.startsWith('log-'))
    .flatMap((name) => readLabelled(join(folder, name)));
  const crashes = exceptions.filter(({ kind }) => kind === 'crash');
  const ofLogs = logs.map(scored);
  print('log lines, mean', meanOf(ofLogs));
  print(
    'log lines, worst',
    ofLogs.reduce((worst, one) => (one.f1 < worst.f1 ? one : worst)),
  );
  print('crashes, Java text', scored(crashes));
  print('crashes, V8 text', scored(crashes.map(asV8)));
  print('crashes and assertions', scored(exceptions));
}

function readLabelled(file: string): Labelled[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { label, kind, event } = JSON.parse(line);
      const { error_name, message, stack, stack_v8: stackV8 = null } = event;
      return { label, kind: String(kind), payload: serverPayload({ error_name, message, stack }), stackV8 };
    });
}

function asV8(event: Labelled): Labelled {
  return { ...event, payload: { ...event.payload, stack: event.stackV8 } };
}

function scored(events: readonly Labelled[]): Scores {
  return scoresOf(events.map(({ label, payload }) => ({ label, fingerprint: computeFingerprint(payload).value })));
}

function print(name: string, { accuracy, precision, recall, f1 }: Scores): void {
  const figures = [accuracy, precision, recall, f1].map((figure) => figure.toFixed(3)).join(' / ');
  process.stdout.write(`${name.padEnd(32)} ${figures}\n`);
}
