import { EventSender } from '../../../collector/run/event-sender.js';
import { closeBodyServers, openBodyServer } from '../../helpers/body-server.js';

afterEach(closeBodyServers);

/** Takes events as `/v1/events` does, and answers with what `answer` makes of the lines. */
async function listen(answer: (lines: readonly string[]) => { status: number; accepted: number }): Promise<string> {
  const { url } = await openBodyServer((body, _request, response) => {
    const { status, accepted } = answer(body.toString('utf8').split('\n'));
    response.writeHead(status).end(JSON.stringify({ accepted, rejected: [] }));
  });
  return `${url}/v1/events`;
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
