// What the clients of a collector sent, and what it acknowledged.

const NAMES = { app: ['shop', 'a/b', '..'], service: ['api', 'wörker', '%41'], env: ['production', 'staging'] };
const RELEASES = ['shop@1.0.0', 'shop@1.1.0', 'shop@1.2.0', 'nightly'];
const FUNCTIONS = ['charge', 'reserve', 'ship', 'refund'];
const THEMES = ['dark', 'light', 'sepia', 'paper', 'dusk', 'forest', 'ocean', 'sand'];

/** Creates an empty journal. Each event has a uid in its message; `random` is only for the traffic, which draws a varying number of values. */
export function createJournal(random) {
  return {
    random,
    /** By uid. */
    sent: new Map(),
    /** By uid: `{isAcknowledged}`. */
    actions: new Map(),
    /** By name: `{isAcknowledged, deploys, commits}`, with deploys by uid as actions. */
    releases: new Map(),
    /** By release: numbers of sessions `{sent, acknowledged, crashSent, crashAcknowledged}`. */
    sessions: new Map(),
    /** States of decided suggestions by id, as the collector listed them after the decision. */
    decisions: new Map(),
    problems: [],
    /** Requests without a response, which a later run may repeat. */
    unanswered: [],
    /** The newest acknowledged event id; events sent later must have greater ids. */
    newest: '',
    /** The events that were acknowledged for the first time in the current run, by receiver. */
    life: { stored: {} },
    report(check, where, what) {
      this.problems.push({ check, where, what });
    },
    /** Notes an event that is about to be sent; `{uid}` in its message becomes its uid. */
    add(by, payload = {}, entry = {}) {
      const uid = random.uid();
      const message = (payload.message ?? 'upstream {uid} did not answer').replace('{uid}', uid);
      const event = {
        by,
        isAcknowledged: false,
        mostTimes: 1,
        payload: { ...payload, message },
        after: this.newest,
        ...entry,
      };
      this.sent.set(uid, event);
      return { uid, event };
    },
    acknowledge(receiver, event, address) {
      const isMoved = event.address !== undefined && address !== undefined && event.address.eventId !== address.eventId;
      if (isMoved && event.mostTimes === 1)
        this.report('repeated', `${address.path}:${address.line}`, `was ${event.address.eventId} the first time`);
      if (!event.isAcknowledged) this.life.stored[receiver] = (this.life.stored[receiver] ?? 0) + 1;
      event.isAcknowledged = true;
      event.acknowledgedMs ??= Date.now();
      event.address ??= address;
      if (address !== undefined && address.eventId > this.newest) this.newest = address.eventId;
    },
  };
}

/** A payload of one of some 100 issues; an eighth differ in one word only, which makes suggestions. */
export function payloadOf(random) {
  const name = random.pick(['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir']);
  const names = Object.fromEntries(Object.entries(NAMES).map(([key, values]) => [key, random.pick(values)]));
  const filler = { extra: { filler: 'x'.repeat(random.below(2000)) } };
  if (random.chance(0.125)) {
    const message = `no page {uid} in theme ${random.pick(THEMES)}`;
    return { app: 'shop', service: 'web', env: names.env, error_name: 'ThemeError', route: '/', message, ...filler };
  }
  return {
    ...names,
    error_name: `${name}Error`,
    route: '/cart',
    status_code: 502,
    ...(random.chance(0.5) && { release: random.pick(RELEASES), user_id: `user-${random.below(200)}` }),
    ...(random.chance(0.3) && { level: random.pick(['warning', 'critical']) }),
    ...(random.chance(0.3) && { stack: stackOf(random, name) }),
    ...filler,
  };
}

/** A stack trace of Node that ends in one of a few functions. */
export function stackOf(random, name) {
  const frame = random.pick(FUNCTIONS);
  return `${name}Error: no answer\n    at ${frame} (/srv/shop/${frame}.js:10:5)\n    at serve (/srv/shop/server.js:20:3)`;
}
