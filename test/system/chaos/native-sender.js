// Requests of `POST /v1/events`.

const TYPES = { one: 'application/json', array: 'application/json', ndjson: 'application/x-ndjson' };

/** Posts events and notes their addresses; resolves to the status. `receiver` is the name in the ledger. */
export async function postEvents({ journal, life, url, events, form = 'array', headers, receiver = 'events' }) {
  const payloads = events.map(({ event }) => event.payload);
  const texts = {
    one: () => JSON.stringify(payloads[0]),
    array: () => JSON.stringify(payloads),
    ndjson: () => payloads.map((payload) => JSON.stringify(payload)).join('\n'),
  };
  const { epoch } = journal;
  const request = { method: 'POST', body: texts[form](), headers: { 'content-type': TYPES[form], ...headers } };
  const response = await fetch(`${url}/v1/events`, request);
  const body = await response.json();
  for (const { index, event_id: eventId, raw } of body.events ?? []) {
    journal.acknowledge(receiver, events[index].event, { eventId, path: raw.path, line: raw.line, epoch });
  }
  if (response.status === 200 && !life.isSampling && body.events.length !== events.length)
    journal.report('responses', events[0].uid, `200 for ${events.length} events lists ${body.events.length}`);
  return response.status;
}

/** Single events, arrays and NDJSON, half of them with an idempotency key. */
export function nativeRequests({ journal, urls, life, batch }) {
  const { random } = journal;
  return {
    native() {
      const form = random.pick(['one', 'array', 'ndjson']);
      const events = batch('events', form === 'one' ? 1 : random.pick([3, 20]));
      const headers = random.chance(0.5) ? { 'idempotency-key': events[0].uid } : undefined;
      const request = () => postEvents({ journal, life, url: urls.ingest, events, form, headers });
      return { events, request, isRepeatable: headers !== undefined };
    },
  };
}
