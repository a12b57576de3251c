import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { compileGrouping, type Grouping } from '../../../core/fingerprint/compile-grouping.js';
import { groupOnce } from '../../../core/fingerprint/group-once.js';
import type { GroupingVersion } from '../../../core/fingerprint/grouping-version.js';
import { meanOf, type Scores, scoresOf } from './scores.js';

/** One labelled event of a folder of development data. */
interface Labelled {
  readonly label: string;
  readonly kind: string;
  readonly payload: RawPayload;
  /** The same stack as V8 would write it; null where there is none. */
  readonly stackV8: string | null;
}

/** An event of which nothing was said. */
const EMPTY: RawPayload = {
  app: '',
  env: '',
  error_name: '',
  extra: null,
  level: null,
  message: '',
  method: null,
  release: null,
  request_id: null,
  route: '',
  service: '',
  session_id: null,
  stack: null,
  status_code: null,
  tags: {},
  timestamp: null,
  user_id: null,
};

/** What is compared: the rules as they are, and with one thing changed. */
const VARIANTS: readonly (readonly [name: string, version: 1 | 2, change: Partial<GroupingVersion>])[] = [
  ['version 2', 2, {}],
  ['version 2, message always', 2, { messageJoins: 'always' }],
  ['version 2, two frames', 2, { frames: { ...compileGrouping(settings(2)).rules.frames, named: 2 } }],
  ['version 2, three frames', 2, { frames: { ...compileGrouping(settings(2)).rules.frames, named: 3 } }],
  ['version 1', 1, {}],
];

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
  for (const [name, version, change] of VARIANTS) {
    const base = compileGrouping(settings(version));
    const grouping = { ...base, rules: { ...base.rules, ...change } };
    const ofLogs = logs.map((events) => scored(grouping, events));
    print(`${name}: log lines, mean`, meanOf(ofLogs));
    print(
      `${name}: log lines, worst`,
      ofLogs.reduce((worst, one) => (one.f1 < worst.f1 ? one : worst)),
    );
    print(`${name}: crashes, Java text`, scored(grouping, crashes));
    print(`${name}: crashes, V8 text`, scored(grouping, crashes.map(asV8)));
    print(`${name}: crashes and assertions`, scored(grouping, exceptions));
  }
}

function settings(version: 1 | 2): { version: 1 | 2; patterns_off: string[]; rules: [] } {
  return { version, patterns_off: [], rules: [] };
}

function readLabelled(file: string): Labelled[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { label, kind, event } = JSON.parse(line);
      const { error_name, message, stack, stack_v8: stackV8 = null } = event;
      return { label, kind: String(kind), payload: { ...EMPTY, error_name, message, stack }, stackV8 };
    });
}

function asV8(event: Labelled): Labelled {
  return { ...event, payload: { ...event.payload, stack: event.stackV8 } };
}

function scored(grouping: Grouping, events: readonly Labelled[]): Scores {
  return scoresOf(events.map(({ label, payload }) => ({ label, fingerprint: groupOnce(grouping, payload).value })));
}

function print(name: string, { accuracy, precision, recall, f1 }: Scores): void {
  const figures = [accuracy, precision, recall, f1].map((figure) => figure.toFixed(3)).join(' / ');
  process.stdout.write(`${name.padEnd(64)} ${figures}\n`);
}
