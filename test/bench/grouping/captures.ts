import { readFileSync } from 'node:fs';
import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import { RunWatch } from '../../../collector/run/run-watch.js';
import type { JsonObject } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { serverPayload } from '../../helpers/payloads.js';
import type { Half } from './program.js';

/** What one run of a program printed before it failed. */
export interface Captured {
  readonly label: string;
  readonly half: Half;
  readonly language: string;
  /** 1, or 2 for the source with moved lines. */
  readonly release: number;
  readonly exitCode: number;
  readonly stderr: string;
}

const FOLDER = 'test/bench/grouping/captures';

/** Returns the path of the captures of a half. */
export function capturesFile(half: Half): string {
  return `${FOLDER}/${half}.ndjson`;
}

/** Reads the captures of a half. */
export function readCaptures(half: Half): Captured[] {
  return readFileSync(capturesFile(half), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Parses a captured run as `faultline run` does. The first failure counts: members of an exception group may follow. Throws without one. */
export function payloadOf({ label, exitCode, stderr }: Captured): RawPayload {
  const events: JsonObject[] = [];
  const watch = new RunWatch({
    source: {
      command: ['app'],
      program: 'app',
      cwd: '/srv/app',
      overrides: {},
      defaults: { app: 'app', service: 'app', env: 'bench' },
    },
    createFailureLines: () => createFailureLines('error'),
    onEvent: (event) => events.push(event),
    onError: (error) => {
      throw error;
    },
    now: () => new Date(0),
  });
  watch.output('stderr', Buffer.from(stderr));
  watch.ended({ kind: 'exited', code: exitCode }, { signals: new Set(), isOnTerminal: false, isOutputClosed: false });
  const [event] = events;
  if (event === undefined) throw new Error(`${label}: no failure in a run`);
  const { error_name, message, stack } = event;
  return serverPayload({
    error_name: text(error_name),
    message: text(message),
    stack: stack === null ? null : text(stack),
  });
}

function text(value: JsonObject[string] | undefined): string {
  if (typeof value !== 'string') throw new Error('the name, message and stack of a failure must be text');
  return value;
}
