import type { Batch, Consumer, Outcome } from '../component/consumer.js';

/** Forwards to consumers that all must accept: after a refusal a retry stores the batch twice in others. `stored` wins, then the first outcome. */
export function createFanOut(consumers: readonly Consumer[]): Consumer {
  const [only] = consumers;
  if (consumers.length === 1 && only !== undefined) return only;
  return {
    async consume(batch: Batch): Promise<readonly Outcome[]> {
      const results = await Promise.allSettled(consumers.map((consumer) => consumer.consume(batch)));
      const [first = [], ...others] = results.map(outcomesOf);
      return first.map((outcome, index) => {
        const stored = [outcome, ...others.map((list) => list[index])].find((one) => one?.kind === 'stored');
        return stored ?? outcome;
      });
    },
  };
}

function outcomesOf(result: PromiseSettledResult<readonly Outcome[]>): readonly Outcome[] {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
