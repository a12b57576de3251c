import { runProgram } from './run-program.js';

/** The results of requests at a steady rate. */
export interface SteadyPosts {
  /** Milliseconds from sending to the last byte of each response, without those of the first two seconds. */
  readonly latenciesMs: readonly number[];
  /** Ids of the stored events. */
  readonly ids: readonly string[];
}

/** Posts batches of ten events at a steady rate from a child process; rejects unless all are accepted. */
export async function postSteadily(ingestUrl: string, perSecond: number, seconds: number): Promise<SteadyPosts> {
  const args = [`${ingestUrl}/v1/events`, `${perSecond}`, `${seconds}`];
  const { latenciesMs, ids } = await runProgram('post-steadily', args);
  if (!Array.isArray(latenciesMs) || !Array.isArray(ids)) throw new Error('post-steadily printed invalid output');
  return { latenciesMs: latenciesMs.map(Number), ids: ids.map(String) };
}
