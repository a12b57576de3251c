import { readFile } from 'node:fs/promises';
import {
  type ClientEndpoints,
  clientEndpoints,
  OTLP_PROTOCOLS,
  type OtlpProtocol,
  otlpEnvironment,
} from '../../helpers/clients/client-endpoints.js';
import { startClient } from '../../helpers/clients/client-program.js';
import { stablePayload } from '../../helpers/clients/stable-payload.js';
import { EVERY_RECEIVER, killLeftoverProcesses, startCollector, stop } from '../../helpers/faultline-process.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** What is stored, in an order of its own, after a client has reported to a collector of all receivers. */
async function storedFrom(client: string, envOf: (endpoints: ClientEndpoints) => NodeJS.ProcessEnv) {
  const directory = await temporaryFolder();
  const collector = await startCollector(directory, EVERY_RECEIVER);
  await startClient(client, envOf(clientEndpoints(collector))).finished;
  expect((await stop(collector)).code).toBe(0);
  const payloads = (await storedPayloads(directory)).map(stablePayload);
  return payloads.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

async function golden(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`../../fixtures/clients/golden/${name}.json`, import.meta.url), 'utf8'));
}

function overOtlp(protocol: OtlpProtocol) {
  return (endpoints: ClientEndpoints) => otlpEnvironment(protocol, endpoints);
}

describe('real clients, down to the stored payload', () => {
  it.each(OTLP_PROTOCOLS)('the logs of OpenTelemetry over %s, field by field', async (protocol) => {
    expect(await storedFrom('otel-logs', overOtlp(protocol))).toEqual(await golden('otel-logs'));
  });

  it.each(OTLP_PROTOCOLS)(
    'an exception on two spans of OpenTelemetry over %s is one event, with the request of the outer span',
    async (protocol) => {
      expect(await storedFrom('otel-traces', overOtlp(protocol))).toEqual(await golden('otel-traces'));
    },
  );

  it.each(['winston', 'pino'])('%s through OpenTelemetry, field by field', async (client) => {
    expect(await storedFrom(client, overOtlp('http/protobuf'))).toEqual(await golden(client));
  });

  it.each(['sentry-node-10', 'sentry-node-11'])('%s, field by field', async (client) => {
    expect(await storedFrom(client, ({ dsn }) => ({ SENTRY_DSN: dsn }))).toEqual(await golden(client));
  });
});
