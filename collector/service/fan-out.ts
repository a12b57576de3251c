import type { Batch, Consumer, Outcome } from '../component/consumer.js';

/**
 * Hands a batch to several consumers, all of which must take it. Where they differ on an event, `stored` is the outcome, then the first one's.
 * When one refuses, the batch is refused, although another may have it already: a sender who repeats it stores it there twice.
 */
export function createFanOut(consumers: readonly Consumer[]): Consumer {
  const [only] = consumers;
  if (consumers.length === 1 && only !== undefined) return only;
  return {
    async consume(batch: Batch): Promise<readonly Outcome[]> {
      const results = await Promise.allSettled(consumers.map((consumer) => consumer.consume(batch)));
      const [first = [], ...others] = results.map(outcomesOf);
      return first.map((outcome, place) => {
        const stored = [outcome, ...others.map((list) => list[place])].find((one) => one?.kind === 'stored');
        return stored ?? outcome;
      });
    },
  };
}

function outcomesOf(result: PromiseSettledResult<readonly Outcome[]>): readonly Outcome[] {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
