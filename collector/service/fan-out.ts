import type { Batch, Consumer, Outcome } from '../component/consumer.js';

/**
 * Forwards a batch to several consumers, which all must accept it. Where outcomes differ, `stored` wins, then the first. If one refuses, the batch is
 * refused, although another may have stored it: a retry then stores it there twice.
 */
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
