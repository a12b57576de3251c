import { EventEmitter } from 'node:events';
import { type CollectOptions, runCollect } from '../../../collector/commands/collect.js';
import { waitFor } from '../../helpers/wait-for.js';

/** Standard output or error of a command in this process. */
export class WrittenText {
  text = '';

  write(part: string): void {
    this.text += part;
  }
}

const started: CollectHere[] = [];

/** For `afterAll`: stops what a failed test left. */
export async function stopCollectors(): Promise<void> {
  await Promise.allSettled(started.splice(0).map((one) => one.stop()));
}

/** `faultline collect` in this process. */
export class CollectHere {
  readonly stdout = new WrittenText();
  readonly stderr = new WrittenText();
  /** Emits the signals that a process gets. */
  readonly signals = new EventEmitter();
  /** Codes with which the command ended the process at once. */
  readonly exits: number[] = [];
  readonly finished: Promise<number>;
  #hasEnded = false;

  constructor(options: Partial<CollectOptions>) {
    this.finished = runCollect({
      ...{ config: [], set: [], env: {}, version: '1.2.3', isTerminalClosed: () => false },
      ...{ stdout: this.stdout, stderr: this.stderr, signals: this.signals },
      exit: (code) => void this.exits.push(code),
      ...options,
    }).finally(() => {
      this.#hasEnded = true;
    });
    started.push(this);
  }

  /** Waits for the start and returns the first group of a match in standard output. Rejects with standard error if the command ends instead. */
  async printed(pattern: RegExp): Promise<string> {
    await waitFor('the start', () => this.#hasEnded || this.stdout.text.includes('Look: '));
    if (this.#hasEnded) throw new Error(this.stderr.text);
    const [, found] = pattern.exec(this.stdout.text) ?? [];
    if (found === undefined) throw new Error(`no ${pattern} in ${this.stdout.text}`);
    return found;
  }

  /** The origin that takes events. */
  async ingestUrl(): Promise<string> {
    return await this.printed(/send --url (http:\/\/[\w.:]+)/);
  }

  /** Where events are posted. */
  async eventsUrl(): Promise<string> {
    return `${await this.ingestUrl()}/v1/events`;
  }

  /** Sends SIGTERM, and returns the exit code. */
  async stop(): Promise<number> {
    this.signals.emit('SIGTERM');
    return await this.finished;
  }
}
