import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { running, startForEachTest } from './running-otlp.js';

const CLIENT = fileURLToPath(new URL('../../../fixtures/clients/otel-sdk.mjs', import.meta.url));
const GOLDEN = new URL('../../../fixtures/otlp/sdk-payloads.json', import.meta.url);

startForEachTest();

/** Replaces values that differ from run to run by their names. */
function withoutVaryingValues(text: string): string {
  return text
    .replace(/"[0-9a-f]{32}"/g, '"<trace>"')
    .replace(/"[0-9a-f]{16}"/g, '"<span>"')
    .replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z"/g, '"<time>"')
    .replace(/"\d{19}"/g, '"<nanoseconds>"')
    .replace(/("telemetry\.sdk\.version":)"[^"]*"/g, '$1"<version>"');
}

describe('the OpenTelemetry SDK for JavaScript', () => {
  it.each(['http/json', 'http/protobuf', 'grpc'])(
    'sends failures over %s: each counts once, with its request',
    async (protocol) => {
      const url = protocol === 'grpc' ? `http://${running.grpcAddress}` : running.httpUrl;
      await promisify(execFile)(process.execPath, [CLIENT, protocol, url]);
      const payloads: unknown = JSON.parse(withoutVaryingValues(JSON.stringify(running.payloads())));
      expect(payloads).toEqual(JSON.parse(await readFile(GOLDEN, 'utf8')));
      expect(running.account()).toMatchObject({
        received: 5,
        stored: 3,
        reasons: { OTLP_DUPLICATE: 1, OTLP_NOT_A_FAILURE: 1 },
      });
    },
  );
});
