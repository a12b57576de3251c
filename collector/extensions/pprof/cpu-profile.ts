import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Profiles this thread for a number of milliseconds, or until the signal is aborted, and answers a `.cpuprofile` as JSON, which Chromium's developer tools read.
 * Nothing else may profile meanwhile.
 */
export async function takeCpuProfile(durationMs: number, signal: AbortSignal): Promise<string> {
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
