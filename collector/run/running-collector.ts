import { randomBytes } from 'node:crypto';
import { isJsonObject } from '../../core/event/json.js';
import type { ServedEndpoints } from './child-environment.js';

const PROBE_TIMEOUT_MS = 1_000;
/** A project that collectors take who were told of no projects. */
const PROJECT = '1';

/** Asks an address whether a collector of Faultline takes events there; no is also the answer of another program. */
export async function isCollector(url: string, token: string | undefined): Promise<boolean> {
  const answer = await post(`${url}/v1/events`, 'application/json', '[]', token);
  return answer?.status === 200 && isJsonObject(answer.value) && typeof answer.value['accepted'] === 'number';
}

/** Asks a collector what else it takes at this address, by sending it nothing in each form; without a token, which the program has none of. */
export async function askServed(url: string): Promise<ServedEndpoints> {
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

interface Answer {
  readonly status: number;
  readonly value: unknown;
}

/** Undefined when nobody answers, or not in time. */
async function post(url: string, type: string, body: string, token?: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': type, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body,
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, value: response.ok ? JSON.parse(text) : undefined };
  } catch {
    return undefined;
  }
}
