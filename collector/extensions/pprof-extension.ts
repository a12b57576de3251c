import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import type { RequestHandler } from 'express';
import { parseDuration } from '../../config/values/duration.js';
import type { PprofExtensionSettings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component/component.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import { createLazyRouter } from '../http/server/lazy-router.js';

/** As long as every other connection may be silent. */
const STALL_MS = 120_000;

/**
 * Streams a heap snapshot of this thread, which Chromium's developer tools read. The process stands still while V8 walks the heap. Resolves also where the reader
 * goes away.
 */
async function sendHeapSnapshot(response: ServerResponse, headers: OutgoingHttpHeaders): Promise<void> {
  await sendStream(getHeapSnapshot(), response, headers);
}

/** Sends JSON as it comes. A reader that takes nothing for `stallMs` is left: it would hold the turn of all others, and the memory of what it was to read. */
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
  // Nothing goes over the socket before the first piece is there, however long that takes.
  source.once('data', () => response.socket?.setTimeout(stallMs));
  await pipeline(source, response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

const PREFIX = '/debug/pprof';
const DEFAULT_SECONDS = 30;

/**
 * Builds extension `pprof`, CPU profiles and heap snapshots of this process for this machine only, and takes its paths. Throws `ROUTE_TAKEN`; its start `LISTEN_FAILED`. One profile or snapshot is taken at a time; another one is
 * refused with `PROFILE_RUNNING` (409).
 */
export function createPprofExtension(
  id: string,
  settings: PprofExtensionSettings,
  { servers }: Pick<ComponentContext, 'servers'>,
): Component & { readonly url: string; readonly isWatching: true } {
  const maxSeconds = parseDuration(settings.max_duration) / 1000;
  const stopping = new AbortController();
  const alone = createTurn();
  const mount = servers.mount(settings.endpoint, { component: id, allowedHosts: [], isWatching: true });

  const answerIndex: RequestHandler = async (_request, response) => {
    const profile = {
      path: `${PREFIX}/profile?seconds=${Math.min(DEFAULT_SECONDS, maxSeconds)}`,
      gives: '.cpuprofile',
    };
    const heap = { path: `${PREFIX}/heap`, gives: '.heapsnapshot' };
    sendJson(response, 200, JSON.stringify({ profiles: [profile, heap], max_seconds: maxSeconds }));
  };

  const answerProfile: RequestHandler = async (request, response) => {
    const seconds = secondsOf(request, maxSeconds);
    await alone(async () => {
      // The socket is idle meanwhile, and idle ones are closed.
      request.socket.setTimeout(0);
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const profile = await takeCpuProfile(seconds * 1000, AbortSignal.any([gone.signal, stopping.signal]));
      if (!response.destroyed) sendJson(response, 200, profile, asFile('faultline.cpuprofile'));
    });
  };

  const answerHeap: RequestHandler = (request, response) =>
    alone(async () => {
      request.socket.setTimeout(0);
      await sendHeapSnapshot(response, asFile('faultline.heapsnapshot'));
    });

  const router = createLazyRouter(PREFIX, async () => {
    const { createRouter } = await import('../http/server/express-app.js');
    return createRouter().get('/', answerIndex).get('/profile', answerProfile).get('/heap', answerHeap);
  });
  for (const path of ['', '/', '/profile', '/heap']) mount.route('GET', PREFIX + path, router);

  return {
    isWatching: true,
    get url() {
      return mount.url;
    },
    start: () => mount.open(),
    async shutdown() {
      // A profile that runs is answered with what there is.
      stopping.abort();
      await mount.close();
    },
  };
}

/** Runs one piece of work at a time and refuses others meanwhile. */
function createTurn(): (work: () => Promise<void>) => Promise<void> {
  let isTaken = false;
  return async (work) => {
    if (isTaken) {
      throw new RequestFault('PROFILE_RUNNING', 'a profile or a snapshot is being taken; ask again when it is done');
    }
    isTaken = true;
    try {
      await work();
    } finally {
      isTaken = false;
    }
  };
}

function secondsOf({ url = '' }: IncomingMessage, maxSeconds: number): number {
  const text = new URL(url, 'http://localhost').searchParams.get('seconds');
  if (text === null) return Math.min(DEFAULT_SECONDS, maxSeconds);
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= maxSeconds) return seconds;
  const sentence = `seconds must be a number above 0 and at most ${maxSeconds} (max_duration)`;
  throw new RequestFault('PARAMETER_INVALID', sentence, { members: { parameter: 'seconds' } });
}

function asFile(name: string): Record<string, string> {
  return { 'content-disposition': `attachment; filename="${name}"` };
}

/**
 * Profiles this thread for a number of milliseconds, or until the signal is aborted, and answers a `.cpuprofile` as JSON, which Chromium's developer tools read.
 * Nothing else may profile meanwhile.
 */
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
