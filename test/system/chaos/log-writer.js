import { appendFileSync, copyFileSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from './collector.js';

/** Writes log files: one that is rotated by renaming, and one that is truncated and may lose lines. */
export function createLogWriter({ journal, logs }) {
  const { random } = journal;
  let rotations = 0;
  const write = (name, entry) => {
    const { message } = journal.add('file_log', {}, entry).event.payload;
    const line = { level: 'error', time: new Date().toISOString(), msg: message, err: { type: 'RowanError', message } };
    const trace = `RowanError: ${message}\n    at open (/srv/shop/upstream.js:10:5)\n    at next (/srv/shop/router.js:20:3)\n`;
    appendFileSync(join(logs, name), random.chance(0.5) ? `${JSON.stringify(line)}\n` : trace);
  };
  return {
    async run(life) {
      while (!life.isStopped) {
        for (let count = random.below(4); count > 0; count -= 1)
          write('renamed.log', { isAcknowledged: !life.isSampling, mostTimes: life.hasFaults ? 2 : 1 });
        if (random.chance(0.5)) write('emptied.log', { mostTimes: life.hasFaults ? 2 : 1 });
        await pause(random.below(40));
      }
    },
    rename() {
      rotations += 1;
      renameSync(join(logs, 'renamed.log'), join(logs, `renamed.log.${rotations}`));
    },
    empty() {
      copyFileSync(join(logs, 'emptied.log'), join(logs, 'emptied.log.1'));
      truncateSync(join(logs, 'emptied.log'), 0);
    },
  };
}
