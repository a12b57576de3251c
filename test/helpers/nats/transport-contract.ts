import { v7 } from 'uuid';
import type { MessageReply, NatsTransport, StreamMessage } from '../../../collector/nats/transport.js';
import { waitFor } from '../wait-for.js';

/** NATS as a contract test needs it. */
export interface TestedNats {
  connect(): Promise<NatsTransport> | NatsTransport;
  /** Called once, after all connections are closed. */
  close?(): Promise<void>;
}

const text = (body: Uint8Array): string => Buffer.from(body).toString('utf8');
const bytes = (value: string): Uint8Array => Buffer.from(value, 'utf8');

/** Tests that hold for each implementation of `NatsTransport`. Every test has its own streams, so one cluster serves all. */
export function describeTransport(name: string, open: () => Promise<TestedNats> | TestedNats): void {
  describe(name, () => {
    let nats: TestedNats;
    const connections: NatsTransport[] = [];

    beforeAll(async () => {
      nats = await open();
    });
    afterEach(async () => {
      await Promise.all(connections.splice(0).map((connection) => connection.close()));
    });
    afterAll(async () => {
      await nats.close?.();
    });

    async function connect(): Promise<NatsTransport> {
      const connection = await nats.connect();
      connections.push(connection);
      return connection;
    }

    async function openStream(retention: 'interest' | 'limits') {
      const transport = await connect();
      const stream = `T${v7().replaceAll('-', '')}`;
      await transport.ensureStream({ name: stream, subjects: [`${stream}.*`], replicas: 1, retention });
      const publish = async (subject: string, body: string, options = {}): Promise<number> =>
        (await transport.publish(`${stream}.${subject}`, bytes(body), options)).sequence;
      return { transport, stream, publish };
    }

    it('creates a stream once, and stores messages under increasing sequences', async () => {
      const { transport, stream, publish } = await openStream('limits');
      await transport.ensureStream({ name: stream, subjects: [`${stream}.*`], replicas: 1, retention: 'limits' });
      expect([await publish('a', '1'), await publish('b', '2'), await publish('a', '3')]).toEqual([1, 2, 3]);
    });

    it('tells whether a stream exists without creating it', async () => {
      const { transport, stream } = await openStream('limits');
      expect([await transport.hasStream(stream), await transport.hasStream(`${stream}X`)]).toEqual([true, false]);
      expect(await transport.hasStream(`${stream}X`)).toBe(false);
    });

    it('refuses a message that no stream stores', async () => {
      const transport = await connect();
      const publishing = transport.publish(`nowhere.${v7()}`, bytes('1'));
      await expect(publishing).rejects.toMatchObject({ code: 'NATS_REFUSED', retryable: true });
    });

    it('stores a message id once and resolves with its first sequence', async () => {
      const { transport, stream, publish } = await openStream('limits');
      expect(await publish('a', 'once', { messageId: 'id' })).toBe(1);
      expect(await publish('a', 'once', { messageId: 'id' })).toBe(1);
      expect(await publish('a', 'other', { messageId: 'other' })).toBe(2);
      const read: string[] = [];
      await transport.read({ stream, fromSequence: 1 }, async ({ body }) => void read.push(text(body)));
      await waitFor('both messages', () => read.includes('other'));
      expect(read).toEqual(['once', 'other']);
    });

    it('compares the expected sequence with that of the subject, not of the stream', async () => {
      const { publish } = await openStream('limits');
      expect(await publish('a', '1', { expectedSequence: 0 })).toBe(1);
      expect(await publish('b', '2', { expectedSequence: 0 })).toBe(2);
      expect(await publish('a', '3', { expectedSequence: 1 })).toBe(3);
      await expect(publish('a', '4', { expectedSequence: 1 })).rejects.toMatchObject({ code: 'NATS_CONFLICT' });
      await expect(publish('b', '4', { expectedSequence: 0 })).rejects.toMatchObject({ code: 'NATS_CONFLICT' });
      expect(await publish('b', '4', { expectedSequence: 2 })).toBe(4);
    });

    it('lets one of several concurrent publications with the same expected sequence succeed', async () => {
      const { stream, publish } = await openStream('limits');
      const other = await connect();
      const results = await Promise.allSettled([
        publish('a', '1', { expectedSequence: 0 }),
        other.publish(`${stream}.a`, bytes('2'), { expectedSequence: 0 }),
        publish('a', '3', { expectedSequence: 0 }),
      ]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('reads from a sequence on, in order and one at a time, also what is published later', async () => {
      const { stream, publish } = await openStream('limits');
      const reader = await connect();
      for (const body of ['1', '2', '3']) await publish('a', body);
      const read: [number, string, string][] = [];
      let running = 0;
      let most = 0;
      const reading = await reader.read({ stream, fromSequence: 2 }, async ({ sequence, subject, body }) => {
        running += 1;
        most = Math.max(most, running);
        // Another message may arrive.
        await reader.hasStream(stream);
        running -= 1;
        read.push([sequence, subject.slice(stream.length + 1), text(body)]);
      });
      await waitFor('stored messages', () => read.length === 2);
      await publish('b', '4');
      await waitFor('a later message', () => read.length === 3);
      expect(read).toEqual([
        [2, 'a', '2'],
        [3, 'a', '3'],
        [4, 'b', '4'],
      ]);
      expect(most).toBe(1);
      expect(await waitFor('an idle reader', async () => (await reading.progress()).pending === 0)).toBe(true);
      await reading.stop();
      await reading.stop();
    });

    it('lets every reader of a stream see all messages', async () => {
      const { stream, publish } = await openStream('limits');
      const seen: string[][] = [[], []];
      for (const one of seen) {
        const reader = await connect();
        await reader.read({ stream, fromSequence: 1 }, async ({ body }) => void one.push(text(body)));
      }
      for (const body of ['1', '2']) await publish('a', body);
      await waitFor('all messages', () => seen.every((one) => one.length === 2));
      expect(seen).toEqual([
        ['1', '2'],
        ['1', '2'],
      ]);
    });

    it('begins messages of a subject in order, and has at most `maxInFlight` without an answer', async () => {
      const { transport, stream, publish } = await openStream('interest');
      const begun: string[] = [];
      const answers: (() => void)[] = [];
      const consuming = await transport.consume(
        { stream, durable: 'one', subject: `${stream}.a`, maxInFlight: 2 },
        async ({ body }) => {
          begun.push(text(body));
          await new Promise<void>((resolve) => answers.push(resolve));
          return { kind: 'ack' };
        },
      );
      for (const body of ['1', '2', '3', '4']) await publish('a', body);
      await publish('b', 'other');
      await waitFor('two messages', () => begun.length === 2);
      expect(await consuming.progress()).toMatchObject({ pending: 4 });
      expect(begun).toEqual(['1', '2']);
      for (let done = 0; done < 4; done += 1) {
        await waitFor('the next message', () => answers.length > done);
        answers[done]?.();
      }
      await waitFor('all answers', async () => (await consuming.progress()).pending === 0);
      expect(begun).toEqual(['1', '2', '3', '4']);
    });

    it('delivers a message again after `retry`, until `ack`', async () => {
      const { transport, stream, publish } = await openStream('interest');
      const received: StreamMessage[] = [];
      const consuming = await transport.consume(
        { stream, durable: 'one', subject: `${stream}.a`, maxInFlight: 4 },
        async (message) => {
          received.push(message);
          return received.length < 3 ? { kind: 'retry', delayMs: 20 } : { kind: 'ack' };
        },
      );
      await publish('a', 'again');
      await waitFor('an answer', async () => (await consuming.progress()).pending === 0);
      expect(received.map(({ body, sequence, isRedelivered }) => [text(body), sequence, isRedelivered])).toEqual([
        ['again', 1, false],
        ['again', 1, true],
        ['again', 1, true],
      ]);
    });

    it('continues a durable consumer under its name after a stop', async () => {
      const { transport, stream, publish } = await openStream('interest');
      const options = { stream, durable: 'one', subject: `${stream}.a`, maxInFlight: 1 };
      const received: string[] = [];
      const receive = async ({ body }: StreamMessage) => {
        received.push(text(body));
        return { kind: 'ack' } as const;
      };
      const first = await transport.consume(options, receive);
      await publish('a', '1');
      await waitFor('the answer', async () => (await first.progress()).pending === 0);
      await first.stop();
      await first.stop();
      await publish('a', '2');
      const second = await (await connect()).consume(options, receive);
      await waitFor('the rest', async () => (await second.progress()).pending === 0 && received.length === 2);
      expect(received).toEqual(['1', '2']);
    });

    it('delivers a message without an answer to the next consumer of that name', async () => {
      const { transport, stream, publish } = await openStream('interest');
      const options = { stream, durable: 'one', subject: `${stream}.a`, maxInFlight: 1 };
      let answer: ((reply: MessageReply) => void) | undefined;
      const first = await transport.consume(options, () => {
        return new Promise((resolve) => {
          answer = resolve;
        });
      });
      await publish('a', '1');
      await waitFor('the first delivery', () => answer !== undefined);
      await first.stop();
      answer?.({ kind: 'ack' });
      const received: [string, boolean][] = [];
      await (await connect()).consume(options, async ({ body, isRedelivered }) => {
        received.push([text(body), isRedelivered]);
        return { kind: 'ack' };
      });
      await waitFor('the second delivery', () => received.length > 0, 90_000);
      expect(received).toEqual([['1', true]]);
    });

    it('divides the messages of a durable consumer among its connections', async () => {
      const { stream, publish } = await openStream('interest');
      const received: string[] = [];
      let allPublished = (): void => undefined;
      const published = new Promise<void>((resolve) => {
        allPublished = resolve;
      });
      for (const worker of ['one', 'two']) {
        const connection = await connect();
        await connection.consume(
          { stream, durable: 'shared', subject: `${stream}.a`, maxInFlight: 1 },
          async ({ body }) => {
            received.push(`${worker} ${text(body)}`);
            await published;
            return { kind: 'ack' };
          },
        );
      }
      for (let body = 0; body < 10; body += 1) await publish('a', `${body}`);
      allPublished();
      await waitFor('all messages', () => received.length >= 10);
      expect(new Set(received.map((one) => one.split(' ')[1])).size).toBe(10);
      expect(received).toHaveLength(10);
      expect(new Set(received.map((one) => one.split(' ')[0])).size).toBe(2);
    });

    it('keeps a message of an `interest` stream until each consumer acknowledged it, and without one not at all', async () => {
      const { transport, stream, publish } = await openStream('interest');
      await publish('a', 'too early');
      const received: Record<string, string[]> = { one: [], two: [], late: [] };
      const consume = (durable: string) =>
        transport.consume({ stream, durable, subject: `${stream}.a`, maxInFlight: 1 }, async ({ body }) => {
          received[durable]?.push(text(body));
          return { kind: 'ack' };
        });
      const consumers = [await consume('one'), await consume('two')];
      expect(await publish('a', 'kept')).toBe(2);
      await waitFor('both answers', async () => {
        const pending = await Promise.all(consumers.map((consumer) => consumer.progress()));
        return (
          pending.every((one) => one.pending === 0) && received['one']?.length === 1 && received['two']?.length === 1
        );
      });
      const late = await consume('late');
      expect(await publish('a', 'new')).toBe(3);
      await waitFor(
        'the new message',
        async () => received['late']?.includes('new') && (await late.progress()).pending === 0,
      );
      expect(received['one']?.[0]).toBe('kept');
      expect(received['late']).toEqual(['new']);
    });

    it('keeps no message for a consumer that was removed', async () => {
      const { transport, stream, publish } = await openStream('interest');
      const options = { stream, subject: `${stream}.a`, maxInFlight: 1 };
      const one = await transport.consume({ ...options, durable: 'one' }, async () => ({ kind: 'retry', delayMs: 5 }));
      await publish('a', '1');
      await one.stop();
      await transport.removeConsumer(stream, 'one');
      await transport.removeConsumer(stream, 'one');
      const received: string[] = [];
      await transport.consume({ ...options, durable: 'one' }, async ({ body }) => {
        received.push(text(body));
        return { kind: 'ack' };
      });
      await publish('a', '2');
      await waitFor('a message', () => received.length > 0);
      expect(received).toEqual(['2']);
    });

    it('sends to all subscribers of a matching subject without storing', async () => {
      const root = `t${v7()}`;
      const [sender, receiver] = [await connect(), await connect()];
      const received = new Map<string, Set<string>>();
      const patterns = [`${root}.a.b`, `${root}.a.*`, `${root}.>`, `${root}.*`, `${root}.b.*`];
      const ends = patterns.map((pattern) =>
        receiver.subscribe(pattern, (body, subject) => {
          const seen = received.get(pattern) ?? new Set();
          received.set(pattern, seen.add(`${subject.slice(root.length + 1)}=${text(body)}`));
        }),
      );
      // A subscription takes effect at the servers a little later.
      await waitFor('the message', () => {
        sender.send(`${root}.a.b`, bytes('hello'));
        return received.size >= 3;
      });
      expect([...received.keys()].sort()).toEqual([`${root}.a.b`, `${root}.a.*`, `${root}.>`].sort());
      expect([...received.values()].every((seen) => [...seen].join() === 'a.b=hello')).toBe(true);
      for (const end of ends) end();
      received.clear();
      let isLast = false;
      receiver.subscribe(`${root}.last`, () => {
        isLast = true;
      });
      // In the order of the connections.
      await waitFor('a later message', () => {
        sender.send(`${root}.a.b`, bytes('late'));
        sender.send(`${root}.last`, bytes('last'));
        return isLast;
      });
      expect(received.size).toBe(0);
    });

    it('ends with its connection, whose close is safe to call twice', async () => {
      const { transport, stream, publish } = await openStream('limits');
      const closing = await connect();
      let seen = 0;
      await closing.read({ stream, fromSequence: 1 }, async () => {
        seen += 1;
      });
      await publish('a', '1');
      await waitFor('the first message', () => seen === 1);
      await closing.close();
      await closing.close();
      await publish('a', '2');
      let seenElsewhere = 0;
      await transport.read({ stream, fromSequence: 2 }, async () => {
        seenElsewhere += 1;
      });
      await waitFor('another reader', () => seenElsewhere === 1);
      expect(seen).toBe(1);
      await expect(closing.publish(`${stream}.a`, bytes('3'))).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
      await transport.close();
    });
  });
}
