import { wait } from '../../../../collector/component/until-done.js';
import { RunningSender } from '../../../../collector/exporters/sending/running-sender.js';
import { Fault } from '../../../../core/event/fault.js';

describe('a running sender', () => {
  let troubles: string[] = [];
  const onTrouble = (reason: string): void => void troubles.push(reason);

  beforeEach(() => {
    troubles = [];
  });

  it('restarts after a failure, reports it without event contents, and ends when its work resolves', async () => {
    const running = new RunningSender(1);
    const failures = [new Fault('INDEX_UNUSABLE', 'the index is torn'), new TypeError('a secret'), 'a secret'];
    const begun = await new Promise<number>((resolve) => {
      let begins = 0;
      running.run(async () => {
        const failure = failures[begins];
        begins += 1;
        if (failure !== undefined) throw failure;
        resolve(begins);
      }, onTrouble);
    });
    await running.end();
    expect(begun).toBe(4);
    expect(troubles).toEqual(['the index is torn', 'it failed: TypeError', 'it failed: string']);
  });

  it('is signalled to stop at once, and running work is aborted after a delay', async () => {
    const running = new RunningSender();
    const heard: string[] = [];
    running.run(async () => {
      await wait(3_600_000, running.stop);
      heard.push(`stopped, aborted: ${running.abort.aborted}`);
      await wait(3_600_000, running.abort);
      heard.push('aborted');
      throw new Error('cut off');
    }, onTrouble);
    await running.end();
    expect(heard).toEqual(['stopped, aborted: false', 'aborted']);
    expect(troubles).toEqual([]);
    await running.end();
  });

  it('stops while it waits after a failure', async () => {
    const running = new RunningSender(3_600_000);
    running.run(async () => {
      throw new Error('always');
    }, onTrouble);
    await running.end();
    expect(running.abort.aborted).toBe(false);
  });
});
