import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { v7, validate } from 'uuid';
import type { FailureActions } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import { parseJson } from '../../core/event/json.js';
import { type IdentifiedAction, parseAction } from '../../core/storage/actions/action-log.js';
import type { EventStore } from '../../core/storage/event-store.js';
import { within } from '../../core/within.js';
import type { ActionRequest, IssueDetail } from '../../generated/reader-answers.js';
import type { Component } from '../component/built-in.js';
import { untilDone } from '../component/until-done.js';
import type { Consumption, NatsTransport, StreamMessage } from './transport.js';

const TIMES = {
  /** Longest wait for actions that the servers have and this gateway lacks. */
  newerMs: 5_000,
  /** Between attempts to connect, and to store an action. */
  retryMs: 1_000,
};

/** What shared actions use of the store. */
export type SharingStore = Pick<EventStore, 'planAction' | 'adoptAction' | 'reader'>;

interface SharedActionsOptions {
  readonly transport: NatsTransport;
  /** First tokens of all subjects. */
  readonly prefix: string;
  /** Of the stream: 1, 3 or 5. */
  readonly replicas: number;
  /** Open from `start` until after `shutdown`. */
  readonly store: SharingStore;
  readonly logger: Logger;
  /** Default: 5 seconds and 1 second. */
  readonly times?: typeof TIMES;
}

/** Attempts to share an action while other gateways act on the same issue. */
const MAX_ATTEMPTS = 5;
/** Longest wait until a shared action is stored here. */
const ADOPTION_MS = 10_000;
const POLL_MS = 10;
const PENDING = 'The NATS servers have the action; it is applied here later. Look at the issue before you repeat it.';

type Outcome = 'published' | 'stored' | Fault;

/** Actions that all gateways of a prefix store in the order of one stream; `act` also rejects with faults of `NatsTransport` and `ACTION_PENDING`. */
export class SharedActions implements FailureActions, Component {
  readonly #options: SharedActionsOptions;
  readonly #times: typeof TIMES;
  readonly #stream: string;
  readonly #stopped = new AbortController();
  /** Sequence of the last message that was read of each subject. */
  readonly #sequences = new Map<string, number>();
  /** Own actions by id. */
  readonly #outcomes = new Map<string, Outcome>();
  /** The last call for each issue; calls for one issue run one after the other. */
  readonly #running = new Map<IssueId, Promise<unknown>>();
  #reading: Consumption | undefined;
  #connecting: Promise<void> | undefined;
  #hasSkipped = false;

  constructor(options: SharedActionsOptions) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
    this.#stream = `${options.prefix}-actions`;
  }

  async start(): Promise<void> {
    void this.#begin();
  }

  async shutdown(): Promise<void> {
    this.#stopped.abort();
    await this.#connecting;
    await this.#reading?.stop();
  }

  async act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    const before = this.#running.get(issueId) ?? Promise.resolve();
    const shared = before.then(() => this.#share(issueId, request));
    const settled = shared.catch(() => undefined);
    this.#running.set(issueId, settled);
    await shared.finally(() => {
      if (this.#running.get(issueId) === settled) this.#running.delete(issueId);
    });
    const detail = await this.#options.store.reader.getIssue(issueId);
    // Issues are never removed.
    if (detail === undefined) throw new Error(`Issue ${issueId} is gone.`);
    return detail;
  }

  /** Reads the actions of all gateways from the first one on, once the servers respond. */
  async #begin(): Promise<void> {
    const { logger } = this.#options;
    let isFirst = true;
    const onFailure = (err: unknown): void => {
      if (isFirst) logger.warn({ err }, 'actions cannot be shared yet');
      isFirst = false;
    };
    const retrying = { stop: this.#stopped.signal, firstMs: this.#times.retryMs, onFailure };
    this.#connecting ??= untilDone(() => this.#connect(), retrying);
    await this.#connecting;
    this.#connecting = undefined;
  }

  async #connect(): Promise<void> {
    const { transport, prefix, replicas } = this.#options;
    const stream = this.#stream;
    await this.#reading?.stop();
    await transport.ensureStream({ name: stream, subjects: [`${prefix}.actions.*`], replicas, retention: 'limits' });
    this.#sequences.clear();
    this.#reading = await transport.read({ stream, fromSequence: 1 }, (message) => this.#receive(message));
  }

  async #receive({ subject, body, sequence }: StreamMessage): Promise<void> {
    const action = parseShared(body);
    const outcome = action && (await this.#adopt(action));
    if (this.#stopped.signal.aborted) return;
    if (action === undefined) this.#reportSkipped(sequence);
    if (action && outcome && this.#outcomes.has(action.id)) this.#outcomes.set(action.id, outcome);
    this.#sequences.set(subject, sequence);
  }

  #reportSkipped(sequence: number): void {
    if (this.#hasSkipped) return;
    this.#hasSkipped = true;
    this.#options.logger.error({ stream: this.#stream, sequence }, 'skipped messages that are not actions');
  }

  /** Tries again while the store refuses; undefined after a stop. */
  async #adopt(action: IdentifiedAction): Promise<'stored' | Fault | undefined> {
    const { store, logger } = this.#options;
    for (let isFirst = true; !this.#stopped.signal.aborted; isFirst = false) {
      try {
        await store.adoptAction(action);
        return 'stored';
      } catch (err) {
        const isFinal = err instanceof Fault && !err.retryable;
        if (isFinal || isFirst) logger.error({ err, id: action.id }, 'a shared action was not stored');
        if (isFinal) return err;
        await this.#pause(this.#times.retryMs);
      }
    }
    return undefined;
  }

  /** Plans an action and publishes it; begins again if another gateway acted on the issue meanwhile. */
  async #share(issueId: IssueId, request: ActionRequest, attempt = 1): Promise<void> {
    const { store, prefix } = this.#options;
    const subject = `${prefix}.actions.${issueId}`;
    // Before the plan: an action that is adopted meanwhile must be a conflict.
    const expectedSequence = this.#sequences.get(subject) ?? 0;
    const action = { ...(await store.planAction(issueId, request)), id: v7() };
    // A merged issue is acted on as its group.
    if (action.issueId !== issueId) return this.#share(action.issueId, request, attempt);
    try {
      await this.#publish(subject, action, expectedSequence);
    } catch (error) {
      const isConflict = error instanceof Fault && error.code === 'NATS_CONFLICT';
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
      await this.#catchUp(subject, expectedSequence);
      await this.#share(issueId, request, attempt + 1);
    }
  }

  /** Resolves when the action is stored here. */
  async #publish(subject: string, action: IdentifiedAction, expectedSequence: number): Promise<void> {
    const { id, issueId, actor, data } = action;
    const body = Buffer.from(JSON.stringify({ id, action: action.action, issue_id: issueId, actor, data }));
    this.#outcomes.set(id, 'published');
    try {
      await this.#options.transport.publish(subject, body, { messageId: id, expectedSequence });
      await this.#until(() => this.#outcomes.get(id) !== 'published', ADOPTION_MS);
      const outcome = this.#outcomes.get(id);
      if (outcome instanceof Fault) throw outcome;
      if (outcome !== 'stored') throw new Fault('ACTION_PENDING', PENDING, { retryable: true });
    } finally {
      this.#outcomes.delete(id);
    }
  }

  /** Waits until the servers' actions are stored here. If none is new, the servers lost their last ones, which only some gateways may have: begins again. */
  async #catchUp(subject: string, lastSequence: number): Promise<void> {
    const isNewer = (): boolean => (this.#sequences.get(subject) ?? 0) !== lastSequence;
    const isIdle = async (): Promise<boolean> => {
      const progress = await this.#reading?.progress().catch(() => undefined);
      return progress?.pending === 0;
    };
    await this.#until(async () => isNewer() && (await isIdle()), this.#times.newerMs);
    if (!isNewer() && !this.#stopped.signal.aborted) await within(this.#times.newerMs, this.#begin());
  }

  async #until(isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await isTrue()) && performance.now() < deadline && !this.#stopped.signal.aborted) {
      await this.#pause(POLL_MS);
    }
  }

  /** Ends early if it is stopped. */
  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => undefined);
  }
}

/** The shared actions of a component; throws a retryable `COLLECTOR_STARTING` before its `start`. */
export function runningActions(actions: FailureActions | undefined): FailureActions {
  if (actions !== undefined) return actions;
  throw new Fault('COLLECTOR_STARTING', 'The collector is not connected to its fleet yet.', { retryable: true });
}

function parseShared(body: Uint8Array): IdentifiedAction | undefined {
  const action = parseAction(parseJson(Buffer.from(body).toString('utf8')));
  return action !== undefined && validate(action.id) ? { ...action, id: action.id.toLowerCase() } : undefined;
}
