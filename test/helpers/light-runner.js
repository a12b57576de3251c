import LightRunner from 'jest-light-runner/child-process';

/**
 * jest-light-runner whose workers all start. Its own workers share one channel for the question for their settings: the answer to the first
 * goes to every worker and is given once. A worker that does not listen yet, on a busy machine, misses it and waits until the run is ended.
 */
export default class extends LightRunner {
  _runTest(test) {
    const ran = super._runTest(test);
    const { config } = test.context;
    const runner = this._testRunners.get(config);
    const workerData = { globalConfig: this._globalConfig, projectConfig: config, runtime: this._runtime };
    if (this._runtime === 'child_process')
      runner.run = ({ path }) => runner.pool.run(path, { channel: createChannel(workerData) });
    return ran;
  }
}

/** A channel to one worker, which it asks once. */
function createChannel(workerData) {
  let send;
  return {
    onMessage(listener) {
      send = listener;
    },
    postMessage(message) {
      if (message === 'jest-light-runner-get-worker-data') send({ type: 'jest-light-runner-worker-data', workerData });
    },
  };
}
