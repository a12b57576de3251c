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
import type { ActionRequest } from '../../generated/reader-answers.js';
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

/** Actions that all gateways of a prefix store in the order of one stream; `act` also rejects with faults of `NatsTransport` and `ACTION_PENDING`. */
export function createSharedActions(options: SharedActionsOptions): FailureActions & Component {
  const { transport, prefix, replicas, store, logger, times = TIMES } = options;
  const stream = `${prefix}-actions`;
  const stopped = new AbortController();
  const { signal } = stopped;
  /** Sequence of the last message that was read of each subject. */
  const sequences = new Map<string, number>();
  /** Own actions by id. */
  const outcomes = new Map<string, 'published' | 'stored' | Fault>();
  /** The last call for each issue; calls for one issue run one after the other. */
  const running = new Map<IssueId, Promise<unknown>>();
  let reading: Consumption | undefined;
  let connecting: Promise<void> | undefined;
  let hasSkipped = false;

  const pause = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  const until = async (isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    while (!(await isTrue()) && performance.now() < deadline && !signal.aborted) await pause(POLL_MS);
  };

  /** Tries again while the store refuses; undefined after a stop. */
  const adopt = async (action: IdentifiedAction): Promise<'stored' | Fault | undefined> => {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        await store.adoptAction(action);
        return 'stored';
      } catch (err) {
        const isFinal = err instanceof Fault && !err.retryable;
        if (isFinal || isFirst) logger.error({ err, id: action.id }, 'a shared action was not stored');
        if (isFinal) return err;
        await pause(times.retryMs);
      }
    }
    return undefined;
  };

  const receive = async ({ subject, body, sequence }: StreamMessage): Promise<void> => {
    const action = parseShared(body);
    const outcome = action && (await adopt(action));
    if (signal.aborted) return;
    if (action === undefined && !hasSkipped)
      logger.error({ stream, sequence }, 'skipped messages that are not actions');
    hasSkipped ||= action === undefined;
    if (action && outcome && outcomes.has(action.id)) outcomes.set(action.id, outcome);
    sequences.set(subject, sequence);
  };

  const connect = async (): Promise<void> => {
    await reading?.stop();
    const subjects = [`${prefix}.actions.*`];
    await transport.ensureStream({ name: stream, subjects, replicas, retention: 'limits' });
    sequences.clear();
    reading = await transport.read({ stream, fromSequence: 1 }, receive);
  };
  const begin = async (): Promise<void> => {
    let isFirst = true;
    const onFailure = (err: unknown): void => {
      if (isFirst) logger.warn({ err }, 'actions cannot be shared yet');
      isFirst = false;
    };
    connecting ??= untilDone(connect, { stop: signal, firstMs: times.retryMs, onFailure });
    await connecting;
    connecting = undefined;
  };

  /** Waits until the servers' actions are stored here. If none is new, the servers lost their last ones, which only some gateways may have: begins again. */
  const catchUp = async (subject: string, known: number): Promise<void> => {
    const isNewer = (): boolean => (sequences.get(subject) ?? 0) !== known;
    const isIdle = async (): Promise<boolean> => (await reading?.progress().catch(() => undefined))?.pending === 0;
    await until(async () => isNewer() && (await isIdle()), times.newerMs);
    if (!isNewer() && !signal.aborted) await within(times.newerMs, begin());
  };

  const share = async (issueId: IssueId, request: ActionRequest, attempt = 1): Promise<void> => {
    const subject = `${prefix}.actions.${issueId}`;
    // Before the plan: an action that is adopted meanwhile must be a conflict.
    const expectedSequence = sequences.get(subject) ?? 0;
    const action = { ...(await store.planAction(issueId, request)), id: v7() };
    // A merged issue is acted on as its group.
    if (action.issueId !== issueId) return share(action.issueId, request, attempt);
    const { id, actor, data } = action;
    const body = Buffer.from(JSON.stringify({ id, action: action.action, issue_id: issueId, actor, data }));
    outcomes.set(id, 'published');
    try {
      await transport.publish(subject, body, { messageId: id, expectedSequence });
      await until(() => outcomes.get(id) !== 'published', ADOPTION_MS);
      const outcome = outcomes.get(id);
      if (outcome !== 'stored')
        throw outcome instanceof Fault ? outcome : new Fault('ACTION_PENDING', PENDING, { retryable: true });
    } catch (error) {
      const isConflict = error instanceof Fault && error.code === 'NATS_CONFLICT';
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
      await catchUp(subject, expectedSequence);
      await share(issueId, request, attempt + 1);
    } finally {
      outcomes.delete(id);
    }
  };

  return {
    async act(issueId, request) {
      const done = (running.get(issueId) ?? Promise.resolve()).then(() => share(issueId, request));
      const settled = done.catch(() => undefined);
      running.set(issueId, settled);
      await done.finally(() => {
        if (running.get(issueId) === settled) running.delete(issueId);
      });
      const detail = await store.reader.getIssue(issueId);
      // Issues are never removed.
      if (detail === undefined) throw new Error(`Issue ${issueId} is gone.`);
      return detail;
    },
    async start() {
      void begin();
    },
    async shutdown() {
      stopped.abort();
      await connecting;
      await reading?.stop();
    },
  };
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
