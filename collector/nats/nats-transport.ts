import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamManager, JsMsg } from '@nats-io/jetstream';
import { Fault, messageOf } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import {
  type Connected,
  codeOf,
  MIN_BACKOFF_MS,
  type NatsOptions,
  type NatsSettings,
  openConnection,
  REQUEST_TIMEOUT_MS,
} from './nats-connection.js';
import type {
  ConsumerProgress,
  Consumption,
  MessageReply,
  NatsTransport,
  StreamMessage,
  StreamSettings,
} from './transport.js';

/** After this long without an answer a message is delivered again. */
const ACK_WAIT_MS = 30_000;
/** The server forgets the consumer of a gateway that does not return, which otherwise holds messages back. */
const FORGET_CONSUMER_MS = 72 * 3_600_000;
/** Messages of `read` that wait in memory. */
const MAX_READ_AHEAD = 16;
const DUPLICATE_WINDOW_MS = 120_000;
const NANOS_PER_MS = 1_000_000;
/** Error codes of JetStream. */
const STREAM_NOT_FOUND = 10_059;
const CONSUMER_NOT_FOUND = 10_014;

/** Opens a connection in the background. Faults: `TLS_UNREADABLE`, `NATS_CREDENTIALS_UNREADABLE`. */
export async function openNats(settings: NatsSettings, options: NatsOptions): Promise<NatsTransport> {
  const { logger } = options;
  const closing = new AbortController();
  // One for each consumer.
  setMaxListeners(0, closing.signal);
  const { opened, current, call, reportProblem } = await openConnection(settings, options, closing.signal);

  function ensureStream(stream: StreamSettings): Promise<void> {
    return call(async ({ manager }) => {
      if (await isStream(manager, stream.name)) return;
      const { DiscardPolicy, RetentionPolicy, StorageType } = await import('@nats-io/jetstream');
      const isInterest = stream.retention === 'interest';
      try {
        await manager.streams.add({
          name: stream.name,
          subjects: [...stream.subjects],
          num_replicas: stream.replicas,
          retention: isInterest ? RetentionPolicy.Interest : RetentionPolicy.Limits,
          discard: DiscardPolicy.New,
          max_bytes: stream.maxBytes ?? -1,
          storage: StorageType.File,
          duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
          allow_direct: true,
        });
        logger.info({ stream: stream.name, replicas: stream.replicas }, 'created a stream');
      } catch (error) {
        throw notCreated(stream, error);
      }
    });
  }

  /** Runs a consumer again when it ends, for example because the server lost it, until it is stopped. */
  function keepConsuming(
    begin: (connected: Connected) => Promise<AsyncIterable<JsMsg> & { close(): Promise<unknown> }>,
    handle: (message: JsMsg) => Promise<void> | undefined,
    progress: (connected: Connected) => Promise<ConsumerProgress>,
  ): Consumption {
    const stopping = new AbortController();
    closing.signal.addEventListener('abort', () => stopping.abort());
    let messages: { close(): Promise<unknown> } | undefined;
    const run = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        try {
          const begun = await call(begin);
          messages = begun;
          // Not awaited: it resolves when the iteration below ends.
          if (stopping.signal.aborted) void begun.close();
          for await (const message of begun) {
            const handled = handle(message);
            if (handled !== undefined) await handled;
          }
        } catch (error) {
          reportProblem(messageOf(error));
        }
        await delay(MIN_BACKOFF_MS * 4, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    };
    const running = run();
    return {
      progress: () => call(progress),
      async stop() {
        stopping.abort();
        await messages?.close();
        await within(REQUEST_TIMEOUT_MS, running);
      },
    };
  }

  return {
    ensureStream,
    hasStream: (name) => call(({ manager }) => isStream(manager, name)),
    async publish(subject, body, { messageId, expectedSequence } = {}) {
      return await call(async ({ client }) => {
        const expect = expectedSequence === undefined ? undefined : { lastSubjectSequence: expectedSequence };
        const ack = await client.publish(subject, body, {
          timeout: REQUEST_TIMEOUT_MS,
          ...(messageId !== undefined && { msgID: messageId }),
          ...(expect && { expect }),
        });
        return { sequence: ack.seq };
      });
    },
    send(subject, body) {
      try {
        current()?.connection.publish(subject, body);
      } catch (error) {
        reportProblem(messageOf(error));
      }
    },
    subscribe(subject, receive) {
      let end: (() => void) | undefined = () => undefined;
      void opened.then((ready) => {
        if (ready === undefined || end === undefined) return;
        const subscription = ready.connection.subscribe(subject, {
          callback: (error, message) => {
            if (error === null) receive(message.data, message.subject);
          },
        });
        end = () => subscription.unsubscribe();
      });
      return () => {
        end?.();
        end = undefined;
      };
    },
    async consume({ stream, durable, subject, maxInFlight, maxBuffered = maxInFlight }, receive) {
      const add = async ({ manager }: Connected) => {
        const { AckPolicy, DeliverPolicy } = await import('@nats-io/jetstream');
        await manager.consumers.add(stream, {
          durable_name: durable,
          filter_subject: subject,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
          max_ack_pending: maxInFlight,
          inactive_threshold: FORGET_CONSUMER_MS * NANOS_PER_MS,
        });
      };
      const begin = async (ready: Connected) => {
        await add(ready);
        const { client } = ready;
        return await (await client.consumers.get(stream, durable)).consume({
          max_messages: maxBuffered,
          abort_on_missing_resource: true,
        });
      };
      const unanswered = new Set<JsMsg>();
      const reply = (message: JsMsg, how: MessageReply): void => {
        if (!unanswered.delete(message)) return;
        try {
          if (how.kind === 'ack') message.ack();
          else message.nak(how.delayMs);
        } catch {
          // Without a connection; the message is delivered again.
        }
      };
      const handle = (message: JsMsg): undefined => {
        unanswered.add(message);
        void receive(messageOfStream(message)).then(
          (how) => reply(message, how),
          () => reply(message, { kind: 'retry', delayMs: MIN_BACKOFF_MS }),
        );
      };
      await call(add);
      const consumption = keepConsuming(begin, handle, async ({ manager }) => {
        const info = await manager.consumers.info(stream, durable);
        return { pending: info.num_pending + info.num_ack_pending, ackedSequence: info.ack_floor.stream_seq };
      });
      return {
        progress: consumption.progress,
        async stop() {
          await consumption.stop();
          // Otherwise the server waits for answers before it delivers them to the next consumer.
          for (const message of [...unanswered]) reply(message, { kind: 'retry', delayMs: 0 });
        },
      };
    },
    removeConsumer(stream, durable) {
      return call(async ({ manager }) => {
        await foundBy(manager.consumers.delete(stream, durable), CONSUMER_NOT_FOUND);
      });
    },
    async read({ stream, fromSequence }, receive) {
      let next = fromSequence;
      const begin = async ({ client }: Connected) => {
        const { DeliverPolicy } = await import('@nats-io/jetstream');
        const consumer = await client.consumers.get(stream, {
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: Math.max(1, next),
        });
        return await consumer.consume({ max_messages: MAX_READ_AHEAD, abort_on_missing_resource: true });
      };
      const handle = async (message: JsMsg): Promise<void> => {
        await receive(messageOfStream(message));
        next = message.seq + 1;
      };
      return keepConsuming(begin, handle, async ({ manager }) => {
        const { state } = await manager.streams.info(stream);
        return { pending: Math.max(0, state.last_seq + 1 - Math.max(next, state.first_seq)), ackedSequence: next - 1 };
      });
    },
    async close() {
      closing.abort();
      const ready = await opened;
      await within(REQUEST_TIMEOUT_MS, ready?.connection.drain().catch(() => undefined) ?? Promise.resolve());
      await within(REQUEST_TIMEOUT_MS, ready?.connection.close().catch(() => undefined) ?? Promise.resolve());
    },
  };
}

async function isStream(manager: JetStreamManager, name: string): Promise<boolean> {
  return (await foundBy(manager.streams.info(name), STREAM_NOT_FOUND)) !== undefined;
}

/** Undefined if the call failed with this code. */
async function foundBy<Result>(call: Promise<Result>, notFound: number): Promise<Result | undefined> {
  return await call.catch((error: unknown) => {
    if (codeOf(error) !== notFound) throw error;
    return undefined;
  });
}

function messageOfStream(message: JsMsg): StreamMessage {
  const { subject, data, seq, redelivered } = message;
  return { subject, body: data, sequence: seq, isRedelivered: redelivered };
}

function notCreated({ name, subjects, replicas, retention, maxBytes = -1 }: StreamSettings, cause: unknown): Fault {
  const create = `nats stream add ${name} --subjects '${subjects.join(',')}' --retention ${retention} --discard new --storage file --replicas ${replicas} --max-bytes ${maxBytes} --defaults`;
  const sentence = `the stream ${name} is missing and cannot be created: ${messageOf(cause)}. Run \`${create}\`, or set \`replicas\` to at most the number of servers, and \`max_stream_size\` to what they have.`;
  return new Fault('NATS_REFUSED', sentence, { cause, retryable: true });
}
