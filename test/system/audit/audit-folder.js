import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { waitUntil } from '../chaos/collector.js';
import { hourMsOf, readRecord } from './read-record.js';

/** The uid that a sender wrote into the message of an event. */
const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/;
export const uidOf = (text) => UID.exec(text)?.[0];

/** What an event counts: nothing if it repeats another one's occurrence, and others that were sampled out. */
function weightOf({ payload }) {
  const { repeats, sampled = 0 } = payload.extra?.faultline ?? {};
  return (repeats === undefined ? 1 : 0) + sampled;
}

/** The payload without the members that Faultline adds. */
function asSent(payload) {
  const { faultline: _, ...extra } = payload.extra ?? {};
  return { ...payload, extra };
}

async function get(url) {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return response;
}

const getJson = async (url) => await (await get(url)).json();

async function pages(url, key, query = '') {
  const found = [];
  for (let cursor = null; ; ) {
    const parameters = new URLSearchParams({ limit: 500, query, ...(cursor !== null && { cursor }) });
    const page = await getJson(`${url}?${parameters}`);
    found.push(...page[key]);
    cursor = page.next_cursor;
    if (cursor === null) return found;
  }
}

/** UUIDv5 of `["app","service","fingerprint"]` in the namespace UUIDv5 of the URL `faultline.issue`. */
function issueIdOf({ app, service, fingerprint }) {
  const uuid5 = (namespace, name) => {
    const digest = createHash('sha1').update(Buffer.from(namespace, 'hex')).update(name).digest().subarray(0, 16);
    digest[6] = (digest[6] & 0x0f) | 0x50;
    digest[8] = (digest[8] & 0x3f) | 0x80;
    return digest.toString('hex');
  };
  const namespace = uuid5('6ba7b8119dad11d180b400c04fd430c8', 'faultline.issue');
  return uuid5(namespace, JSON.stringify([app, service, fingerprint])).replace(
    /^(.{8})(.{4})(.{4})(.{4})/,
    '$1-$2-$3-$4-',
  );
}

/** Compares the record with the sent events. */
function compareWithSent(record, sent, mayBeRemoved, report) {
  const found = new Map();
  for (const event of record.events) {
    const uid = uidOf(event.payload.message);
    const where = `${event.folder}/raw.ndjson:${event.line}`;
    if (!sent.has(uid)) report('nothing else', where, 'nobody sent this');
    found.set(uid, [...(found.get(uid) ?? []), event]);
  }
  for (const [uid, { by, isAcknowledged, acknowledgedMs, mostTimes, address, payload, after }] of sent) {
    const events = found.get(uid) ?? [];
    const places = events.map(({ folder, line }) => `${folder}/raw.ndjson:${line}`).join(' ');
    if (events.length > mostTimes) report('once', places, `${uid}, sent by ${by}, is stored ${events.length} times`);
    const folder = address?.path.slice(address.path.indexOf('/raw/') + 1, address.path.lastIndexOf('/'));
    // Without an address, an event is in the hour of its response or was stored shortly before.
    const hourMs = folder === undefined ? acknowledgedMs - 60_000 - (acknowledgedMs % 3.6e6) : hourMsOf(folder);
    if (isAcknowledged && events.length === 0 && !mayBeRemoved(hourMs)) {
      report(
        'acknowledged',
        address === undefined ? by : `${address.path}:${address.line}`,
        `${uid}, sent by ${by}, is not there`,
      );
    }
    if (address === undefined || (events.length === 0 && mayBeRemoved(hourMs))) continue;
    const event = record.byId.get(address.eventId);
    const where = `${address.path}:${address.line}`;
    if (event?.path !== address.path || event.line !== address.line)
      report('addresses', where, `${address.eventId} is not there, ${uid} is at: ${places}`);
    else if (uidOf(event.payload.message) !== uid) report('addresses', where, `holds another event than ${uid}`);
    else if (!Object.entries(payload).every(([key, value]) => isDeepStrictEqual(asSent(event.payload)[key], value))) {
      report('content', where, 'differs from what was sent');
    }
    if (after > address.eventId)
      report('addresses', where, `its id comes before one that was acknowledged before it was sent, ${after}`);
  }
}

/** Compares the log of actions with the sent ones, whose reason or text is their uid. */
function compareActions(root, actions, report) {
  const file = join(root, 'actions.ndjson');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  const times = new Map();
  const ended = new Set();
  for (const [line, text] of lines.entries()) {
    const { actor, data } = JSON.parse(text);
    if (actor === 'faultline') {
      // The end of a snooze, once for the action that began it.
      if (ended.has(data.cause)) report('actions', `actions.ndjson:${line}`, `ends ${data.cause} again`);
      ended.add(data.cause);
      continue;
    }
    const uid = uidOf(data.reason ?? data.text ?? '');
    if (!actions.has(uid)) report('actions', `actions.ndjson:${line}`, 'was not sent');
    times.set(uid, (times.get(uid) ?? 0) + 1);
  }
  for (const [uid, { isAcknowledged }] of actions) {
    const count = times.get(uid) ?? 0;
    if (count > 1 || (isAcknowledged && count === 0))
      report('actions', 'actions.ndjson', `${uid} is there ${count} times`);
  }
  return lines.length;
}

/** Compares the query API with the record. */
async function compareWithApi(record, api, sampleOf, report) {
  // Without the ids a list has one event for each occurrence.
  const events = await pages(`${api}/events`, 'events', 'event_id:*');
  const issues = await pages(`${api}/issues`, 'issues');
  const listed = new Map(events.map((event) => [event.event_id, event]));
  const weights = new Map();
  for (const event of record.events) {
    const issueId = listed.get(event.id)?.issue_id;
    if (issueId === undefined) report('API', `${event.folder}/raw.ndjson:${event.line}`, `${event.id} is not listed`);
    weights.set(issueId, (weights.get(issueId) ?? 0) + weightOf(event));
  }
  for (const id of listed.keys()) if (!record.byId.has(id)) report('API', id, 'is listed and not in the record');
  if (listed.size !== events.length) report('API', 'events', `${events.length - listed.size} events are listed twice`);
  for (const issue of issues) {
    const { issue_id: id, count } = issue;
    if (count !== (weights.get(id) ?? 0))
      report('counts', id, `counts ${count}, the record has ${weights.get(id) ?? 0}`);
    if (id !== issueIdOf(issue))
      report('ids', id, `is not the id of ${issue.app}, ${issue.service}, ${issue.fingerprint}`);
    weights.delete(id);
  }
  for (const [id, count] of weights)
    if (id !== undefined) report('counts', id, `is not listed, the record has ${count}`);
  const sample = sampleOf(record.events);
  const compareSample = async () => {
    for (let event = sample.pop(); event !== undefined; event = sample.pop()) {
      const { id, folder, path, line, payload } = event;
      const { raw } = await (await fetch(`${api}/events/${id}`)).json();
      if (!isDeepStrictEqual(raw, { path, line, payload })) {
        report('API', `${folder}/raw.ndjson:${line}`, `${id} is returned with another line`);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, compareSample));
  return { events, issues };
}

/** Checks that the sums of the ledger in statistics and metrics are correct, which must hold at every moment. */
export async function compareLedger(api, metricsUrl, report) {
  const stats = await getJson(`${api}/stats`);
  const text = await (await get(metricsUrl)).text();
  const metric = {};
  for (const [, receiver, outcome, value] of text.matchAll(
    /^faultline_receiver_events_total\{receiver="([^"]+)",outcome="([^"]+)"\} (\d+)/gm,
  )) {
    metric[receiver] = { ...metric[receiver], [outcome]: Number(value) };
  }
  const sum = ({ stored, rejected, filtered, sampled, refused }) => stored + rejected + filtered + sampled + refused;
  for (const [source, ledgers] of Object.entries({ stats: stats.receivers, metrics: metric })) {
    for (const [receiver, ledger] of Object.entries(ledgers)) {
      if (ledger.received !== sum(ledger))
        report('ledger', source, `${receiver}: received ${ledger.received} is not the sum ${JSON.stringify(ledger)}`);
    }
  }
  return { stats, metric, storeEvents: Number(/^faultline_store_events\{[^}]*\} (\d+)/m.exec(text)?.[1]) };
}

/**
 * Checks a data folder without a writer for consistency and, if given, compares it with its collector (`apiUrl`, `metricsUrl`) and with the
 * `sent` events and `actions` (maps by uid). `mayBeRemoved` returns whether retention may have removed an hour, given in milliseconds;
 * `sampleOf` returns the events to read by id. Returns the problems, and a sentence for each check.
 */
export async function auditFolder({
  directory,
  apiUrl,
  metricsUrl,
  sent,
  actions,
  mayBeRemoved = () => false,
  sampleOf = (events) => [...events],
}) {
  const record = readRecord(directory);
  const problems = [...record.problems];
  const report = (check, where, what) => problems.push({ check, where, what });
  const counts = {
    commits: `${record.folders.length} partitions, ${record.commits} commit records, ${record.events.length} lines`,
  };
  if (sent !== undefined) {
    compareWithSent(record, sent, mayBeRemoved, report);
    counts.acknowledged = `${[...sent.values()].filter(({ isAcknowledged }) => isAcknowledged).length} of ${sent.size} sent`;
  }
  if (actions !== undefined) counts.actions = `${compareActions(directory, actions, report)} actions`;
  if (apiUrl !== undefined) {
    const { events, issues } = await compareWithApi(record, apiUrl, sampleOf, report);
    counts.API = `${events.length} events, ${issues.length} issues`;
    let ledger = await compareLedger(apiUrl, metricsUrl, report);
    // The metrics read the store at most once a second and may be behind the statistics.
    await waitUntil(async () => {
      if (ledger.storeEvents === ledger.stats.events) return true;
      ledger = await compareLedger(apiUrl, metricsUrl, report);
      return false;
    }, 5_000);
    const { stats, metric, storeEvents } = ledger;
    counts.ledger = Object.entries(stats.receivers)
      .map(([receiver, { received }]) => `${receiver} ${received}`)
      .join(', ');
    if (stats.events !== record.events.length)
      report('counts', 'stats', `counts ${stats.events} events, the record has ${record.events.length}`);
    if (storeEvents !== stats.events) report('counts', 'metrics', `count ${storeEvents} events, stats ${stats.events}`);
    for (const [receiver, outcomes] of Object.entries(stats.receivers)) {
      for (const [outcome, value] of Object.entries(metric[receiver] ?? {})) {
        if (outcomes[outcome] !== value)
          report('ledger', receiver, `stats say ${outcome} ${outcomes[outcome]}, metrics ${value}`);
      }
    }
  }
  return { problems, counts, record, weight: record.events.reduce((sum, event) => sum + weightOf(event), 0) };
}

/** For `mayBeRemoved`: hours that retention may have removed by now. */
export const removableBy =
  ({ maxAgeMs, maxBytes }) =>
  (hourMs) =>
    (maxAgeMs > 0 && hourMs + 3.6e6 + maxAgeMs < Date.now()) || (maxBytes > 0 && hourMs + 3.6e6 <= Date.now());
