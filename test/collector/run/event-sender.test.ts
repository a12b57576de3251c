import { createServer, type Server } from 'node:http';
import { EventSender } from '../../../collector/run/event-sender.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Takes events as `/v1/events` does, and answers with what `answer` makes of the lines. */
async function listen(answer: (lines: readonly string[]) => { status: number; accepted: number }): Promise<string> {
  const listening = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { status, accepted } = answer(body.split('\n'));
      response.writeHead(status).end(JSON.stringify({ accepted, rejected: [] }));
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1/events`;
}

const never = new AbortController().signal;
const mask = async <Payload>(payload: Payload): Promise<Payload> => payload;

describe('the sender of events', () => {
  it('sends in order, and counts what did not fit in the queue', async () => {
    const taken: string[] = [];
    const eventsUrl = await listen((lines) => {
      taken.push(...lines);
      return { status: 200, accepted: lines.length };
    });
    const sender = new EventSender({ mask, eventsUrl });
    for (let n = 0; n < 12_000; n += 1) sender.send({ n });
    const { lost, reason } = await sender.finish(60_000, never);
    expect(taken).toEqual(Array.from({ length: 12_000 - lost }, (_, n) => `{"n":${n}}`));
    expect({ lost, reason }).toEqual({ lost: 1_999, reason: 'too many waited' });
  });

  it('counts what a collector rejects, without sending it again', async () => {
    let requests = 0;
    const eventsUrl = await listen((lines) => {
      requests += 1;
      return { status: 200, accepted: lines.length - 1 };
    });
    const sender = new EventSender({ mask, eventsUrl });
    sender.send({});
    expect(await sender.finish(60_000, never)).toEqual({ lost: 1, reason: `${eventsUrl} rejected them` });
    expect(requests).toBe(1);
  });

  it('gives up at once when asked to', async () => {
    const eventsUrl = await listen(() => ({ status: 503, accepted: 0 }));
    const sender = new EventSender({ mask, eventsUrl });
    sender.send({});
    expect(await sender.finish(60_000, AbortSignal.abort())).toMatchObject({ lost: 1 });
  });
});
