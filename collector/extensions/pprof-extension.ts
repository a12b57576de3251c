import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import { parseDuration } from '../../config/values/duration.js';
import type { PprofExtensionSettings } from '../../generated/settings.js';
import type { Component, ExtensionFactory, ExtensionInternal } from '../component/built-in.js';
import type { AccessRule } from '../http/endpoints/access-rule.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import type { RawHandler } from '../http/server/http-mount.js';

/** Idle timeout, as for other connections. */
const STALL_MS = 120_000;

/** Streams JSON. A client that receives nothing for `stallMs` is disconnected: it would block other requests and hold memory. */
export async function sendStream(
  source: Readable,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  stallMs: number = STALL_MS,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  // The socket is idle until the first chunk, however long that takes.
  source.once('data', () => response.socket?.setTimeout(stallMs));
  await pipeline(source, response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

const PREFIX = '/debug/pprof';
const DEFAULT_SECONDS = 30;
/** A heap snapshot contains events and tokens. */
const LOCAL: AccessRule = {
  kind: 'local',
  refusal: new RequestFault(
    'CALLER_NOT_LOCAL',
    'profiles are for programs on this machine: call localhost without a proxy',
  ),
};

/** Extension `pprof`. */
export const pprofExtension: ExtensionFactory<PprofExtensionSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createPprofExtension(id, settings, internal),
};

/** Creates extension `pprof`. One request runs at a time, others get `PROFILE_RUNNING` (409). Throws `ROUTE_TAKEN`; its start `LISTEN_FAILED`. */
export function createPprofExtension(
  id: string,
  settings: PprofExtensionSettings,
  { servers }: Pick<ExtensionInternal, 'servers'>,
): Component & { readonly url: string; readonly reportsHealth: true } {
  const maxSeconds = parseDuration(settings.max_duration) / 1000;
  const stopping = new AbortController();
  const exclusive = createExclusive();
  const mount = servers.mount(settings.endpoint, { component: id, allowedHosts: [], reportsHealth: true });

  const answerIndex: RawHandler = async (_request, response) => {
    const profile = {
      path: `${PREFIX}/profile?seconds=${Math.min(DEFAULT_SECONDS, maxSeconds)}`,
      gives: '.cpuprofile',
    };
    const heap = { path: `${PREFIX}/heap`, gives: '.heapsnapshot' };
    sendJson(response, 200, JSON.stringify({ profiles: [profile, heap], max_seconds: maxSeconds }));
  };

  const answerProfile: RawHandler = async (request, response) => {
    const seconds = secondsOf(request, maxSeconds);
    await exclusive(async () => {
      // Disable the idle timeout while profiling.
      request.socket.setTimeout(0);
      const closed = new AbortController();
      response.once('close', () => closed.abort());
      const profile = await takeCpuProfile(seconds * 1000, AbortSignal.any([closed.signal, stopping.signal]));
      if (!response.destroyed) sendJson(response, 200, profile, asFile('faultline.cpuprofile'));
    });
  };

  const answerHeap: RawHandler = (request, response) =>
    exclusive(async () => {
      request.socket.setTimeout(0);
      // The process is blocked while V8 walks the heap.
      await sendStream(getHeapSnapshot(), response, asFile('faultline.heapsnapshot'));
    });

  for (const path of [PREFIX, `${PREFIX}/`]) mount.route('GET', path, LOCAL, answerIndex);
  mount.route('GET', `${PREFIX}/profile`, LOCAL, answerProfile);
  mount.route('GET', `${PREFIX}/heap`, LOCAL, answerHeap);

  return {
    reportsHealth: true,
    get url() {
      return mount.url;
    },
    start: () => mount.open(),
    async shutdown() {
      // A running profile is sent as far as it is.
      stopping.abort();
      await mount.close();
    },
  };
}

function createExclusive(): (work: () => Promise<void>) => Promise<void> {
  let isRunning = false;
  return async (work) => {
    if (isRunning) {
      throw new RequestFault('PROFILE_RUNNING', 'a profile or snapshot is running; try again when it is done');
    }
    isRunning = true;
    try {
      await work();
    } finally {
      isRunning = false;
    }
  };
}

function secondsOf({ url = '' }: IncomingMessage, maxSeconds: number): number {
  const text = new URL(url, 'http://localhost').searchParams.get('seconds');
  if (text === null) return Math.min(DEFAULT_SECONDS, maxSeconds);
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= maxSeconds) return seconds;
  const sentence = `seconds must be greater than 0 and at most ${maxSeconds} (max_duration)`;
  throw new RequestFault('PARAMETER_INVALID', sentence, { members: { parameter: 'seconds' } });
}

function asFile(name: string): Record<string, string> {
  return { 'content-disposition': `attachment; filename="${name}"` };
}

/** Profiles this thread for `durationMs` or until the signal is aborted; returns a `.cpuprofile` as JSON. */
async function takeCpuProfile(durationMs: number, signal: AbortSignal): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await delay(durationMs, undefined, { signal }).catch(() => undefined);
    const { profile } = await session.post('Profiler.stop');
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}
