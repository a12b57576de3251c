// A sidecar that sends its events over a NATS server to the collector of a round.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCollector, pause, reservePorts, start, waitUntil } from './collector.js';
import { payloadOf } from './journal.js';
import { postEvents } from './native-sender.js';

const NATS_SERVER = ['nats-server', join(homedir(), '.cache/faultline/bin/nats-server')].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);
/** Messages that a killed gateway had not acknowledged come again after 30 seconds. */
const DRAIN_MS = 120_000;

let server;
let fleets = 0;

/** Starts the one server of this process; resolves to its URL, or to undefined without the program. */
async function natsUrl() {
  if (NATS_SERVER === undefined) return undefined;
  server ??= startServer(NATS_SERVER);
  return await server;
}

async function startServer(program) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-chaos-nats-'));
  const [port, monitor] = await reservePorts(2);
  const lines = [
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitor}"`,
    `jetstream { store_dir: "${folder}", sync_interval: always }`,
  ];
  const config = join(folder, 'nats.conf');
  writeFileSync(config, lines.join('\n'));
  const child = start(program, ['-c', config]);
  // It ends with this process, and does not keep it alive.
  for (const handle of [child, child.stdout, child.stderr]) handle.unref();
  process.on('exit', () => spawnSync('rm', ['-rf', folder]));
  const isUp = await waitUntil(
    async () => (await fetch(`http://127.0.0.1:${monitor}/healthz?js-enabled-only=true`)).ok,
  );
  if (!isUp) throw new Error(`nats-server did not start: ${child.output}`);
  return `nats://127.0.0.1:${port}`;
}

/** Makes `gateway` the gateway of a new fleet and starts its sidecar; resolves to undefined without a NATS server. */
export async function createFleet({ gateway, journal }) {
  const url = await natsUrl();
  if (url === undefined) return undefined;
  fleets += 1;
  const names = { servers: [url], prefix: `chaos-${process.pid}-${fleets}` };
  gateway.settings.gatewayOf = names;
  const sidecar = await createCollector();
  sidecar.settings.sidecarOf = names;
  if ((await sidecar.start()) === undefined) throw new Error((await sidecar.child.ended).output);
  const { random } = journal;
  const acknowledged = [];
  return {
    /** Base URL of the sidecar's receivers. */
    ingest: sidecar.urls.ingest,
    /** Posts events to the sidecar until `life.isStopped`. */
    async run(life) {
      const ownJournal = { acknowledge: (_, event, address) => acknowledged.push({ event, address }), report() {} };
      while (!life.isStopped) {
        const events = Array.from({ length: 1 + random.below(4) }, () => journal.add('nats', payloadOf(random)));
        await postEvents({ journal: ownJournal, life, url: sidecar.urls.ingest, events }).catch(() => undefined);
        await pause(20 + random.below(60));
      }
    },
    /** Waits until the gateway has everything; from then on its events count as acknowledged. Reports what it finds under another id. */
    async drain({ isSampling, report }) {
      const exporter = async () => (await (await fetch(`${sidecar.urls.api}/stats`)).json()).exporters.nats;
      const isDrained = await waitUntil(async () => (await exporter()).waiting === 0, DRAIN_MS);
      if (!isDrained) report('nats', 'sidecar', `events wait: ${JSON.stringify(await exporter())}`);
      if (!isDrained || isSampling) return;
      for (const { event } of acknowledged) Object.assign(event, { isAcknowledged: true, acknowledgedMs: Date.now() });
      for (const { event, address } of acknowledged.filter(() => random.chance(0.1))) {
        const response = await fetch(`${gateway.urls.api}/events/${address.eventId}`);
        const found =
          response.status === 200 ? (await response.json()).raw.payload.message : `status ${response.status}`;
        if (found !== event.payload.message)
          report('nats', address.eventId, `${found} instead of ${event.payload.message}`);
      }
    },
    async close() {
      await sidecar.end('SIGKILL');
      sidecar.remove();
    },
  };
}
