import { runProgram } from './run-program.js';

/** What came of requests at a steady pace. */
export interface SteadyPosts {
  /** Milliseconds from sending to the last byte of each answer, without those of the first two seconds. */
  readonly latenciesMs: readonly number[];
  /** Of the events that were stored. */
  readonly ids: readonly string[];
}

/** Posts batches of ten events at a steady pace from a process of its own; rejects unless all are accepted. */
export async function postSteadily(ingestUrl: string, perSecond: number, seconds: number): Promise<SteadyPosts> {
  const args = [`${ingestUrl}/v1/events`, `${perSecond}`, `${seconds}`];
  const { latenciesMs, ids } = await runProgram('post-steadily', args);
  if (!Array.isArray(latenciesMs) || !Array.isArray(ids)) throw new Error('post-steadily printed something else');
  return { latenciesMs: latenciesMs.map(Number), ids: ids.map(String) };
}
