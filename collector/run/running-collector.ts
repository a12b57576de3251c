import { randomBytes } from 'node:crypto';
import { isJsonObject } from '../../core/event/json.js';
import { readFetchedJson } from '../../core/http-reader/read-answer.js';
import type { CollectorEndpoints } from './child-environment.js';

const PROBE_TIMEOUT_MS = 1_000;
/** Accepted by collectors without configured projects. */
const PROJECT = '1';

/** Returns whether a Faultline collector accepts events at a base URL. */
export async function isCollector(url: string, token: string | undefined): Promise<boolean> {
  const response = await post(`${url}/v1/events`, 'application/json', '[]', token);
  return response?.status === 200 && isJsonObject(response.value) && typeof response.value['accepted'] === 'number';
}

/** Finds out which protocols a collector accepts by sending an empty request of each; without a token, because the SDKs have none. */
export async function probeEndpoints(url: string): Promise<CollectorEndpoints> {
  const key = randomBytes(16).toString('hex');
  const [otlp, sentry] = await Promise.all([
    post(`${url}/v1/logs`, 'application/json', '{"resourceLogs":[]}'),
    post(`${url}/api/${PROJECT}/envelope/?sentry_key=${key}&sentry_version=7`, 'application/x-sentry-envelope', '{}\n'),
  ]);
  return {
    url,
    otlpUrl: otlp?.status === 200 ? url : undefined,
    sentryDsn: sentry?.status === 200 ? dsnOf(url, key) : undefined,
  };
}

function dsnOf(url: string, key: string): string {
  const dsn = new URL(url);
  dsn.username = key;
  dsn.pathname = `${dsn.pathname.replace(/\/$/, '')}/${PROJECT}`;
  return dsn.href;
}

/** Returns undefined without a response in time. */
async function post(
  url: string,
  type: string,
  body: string,
  token?: string,
): Promise<{ readonly status: number; readonly value: unknown } | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': type, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body,
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    return { status: response.status, value: await readFetchedJson(response, new URL(url).origin) };
  } catch {
    return undefined;
  }
}
