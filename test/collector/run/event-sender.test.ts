import { EventSender } from '../../../collector/run/event-sender.js';
import { closeBodyServers, openBodyServer } from '../../helpers/body-server.js';

afterEach(closeBodyServers);

/** A `/v1/events` that responds with what `respond` returns for the lines. */
async function listen(respond: (lines: readonly string[]) => { status: number; accepted: number }): Promise<string> {
  const { url } = await openBodyServer((body, _request, response) => {
    const { status, accepted } = respond(body.toString('utf8').split('\n'));
    response.writeHead(status).end(JSON.stringify({ accepted, rejected: [] }));
  });
  return `${url}/v1/events`;
}

const never = new AbortController().signal;
const mask = async <Payload>(payload: Payload): Promise<Payload> => payload;

describe('the sender of events', () => {
  it('sends in order, and counts the events that do not fit into the queue', async () => {
    const accepted: string[] = [];
    const eventsUrl = await listen((lines) => {
      accepted.push(...lines);
      return { status: 200, accepted: lines.length };
    });
    const sender = new EventSender({ mask, eventsUrl });
    for (let n = 0; n < 12_000; n += 1) sender.send({ n });
    const { lost, reason } = await sender.finish(60_000, never);
    expect(accepted).toEqual(Array.from({ length: 12_000 - lost }, (_, n) => `{"n":${n}}`));
    expect({ lost, reason }).toEqual({ lost: 1_999, reason: 'the queue was full' });
  });

  it('counts the events that a collector rejects, without sending them again', async () => {
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

  it('stops at once when it is aborted', async () => {
    const eventsUrl = await listen(() => ({ status: 503, accepted: 0 }));
    const sender = new EventSender({ mask, eventsUrl });
    sender.send({});
    expect(await sender.finish(60_000, AbortSignal.abort())).toMatchObject({ lost: 1 });
  });
});
