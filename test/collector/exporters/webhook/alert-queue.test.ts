import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Alert, NO_ALERTS } from '../../../../collector/exporters/webhook/alert.js';
import { AlertQueue } from '../../../../collector/exporters/webhook/alert-queue.js';
import { CallRate } from '../../../../collector/exporters/webhook/send-calls.js';
import { jsonBody } from '../../../../collector/exporters/webhook/webhook-exporter.js';
import type { JsonValue } from '../../../../core/event/json.js';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import { NoteFile } from '../../../../core/storage/following/store-note.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { alertOf } from './alert-of.js';

afterAll(removeTemporaryFolders);

function noteIn(directory: string, faults: Error[] = []) {
  return new NoteFile({ files: nodeFiles, directory, name: 'webhook/a b', onFault: (fault) => faults.push(fault) });
}

function enqueue(queue: AlertQueue, alerts: Alert[], cursor = 'c'): void {
  queue.apply({ cursor, alerts, beyond: NO_ALERTS, spikesBegun: new Set(), spikesEnded: new Set() });
}

describe('the queue of a webhook', () => {
  it('is the same after a restart, with the id of the call that was started', async () => {
    const directory = await temporaryFolder();
    const queue = await AlertQueue.open(noteIn(directory));
    expect(queue.cursor).toBeUndefined();
    enqueue(queue, [alertOf('new', 1), alertOf('regressed', 2), alertOf('spiking', 3)]);
    queue.startAt('place', [alertOf('spiking', 3).issue.issue_id]);
    const call = queue.beginCall(1);
    await Promise.all([queue.save(), queue.save(), queue.save()]);
    const again = await AlertQueue.open(noteIn(directory));
    expect(again.cursor).toBe('place');
    expect(again.spikes).toEqual(queue.spikes);
    expect(again.pending).toBe(3);
    expect(again.beginCall(9)).toEqual(call);
    again.endCall();
    expect(again.beginCall(9)?.alerts).toEqual([alertOf('regressed', 2), alertOf('spiking', 3)]);
  });

  it('is bounded: further alerts are counted, and the count is sent with the last waiting one', async () => {
    const directory = await temporaryFolder();
    const queue = await AlertQueue.open(noteIn(directory));
    enqueue(
      queue,
      Array.from({ length: 1_203 }, (_, nth) => alertOf(nth < 1_100 ? 'new' : 'spiking', nth)),
    );
    expect(queue.pending).toBe(1_203);
    await queue.save();
    const again = await AlertQueue.open(noteIn(directory));
    expect(again.pending).toBe(1_203);
    const sizes: number[] = [];
    for (let call = again.beginCall(300); call !== undefined; call = again.beginCall(300)) {
      sizes.push(call.alerts.length);
      if (sizes.length === 4) {
        expect(jsonBody(call, undefined)).toMatchObject({
          type: 'issues.many',
          timestamp: call.at,
          data: { alerts: { length: 100, 0: { type: 'issue.new' } }, beyond: { new: 100, regressed: 0, spiking: 103 } },
        });
      }
      again.endCall();
    }
    expect(sizes).toEqual([300, 300, 300, 100]);
    expect(again.pending).toBe(0);
  });

  it('is dropped if its file is torn, of another name or of another form, and a torn one is reported', async () => {
    const directory = await temporaryFolder();
    const faults: Error[] = [];
    const note = noteIn(directory, faults);
    const foreign: JsonValue[] = [7, {}, { version: 1, cursor: 'x' }, { version: 2 }];
    for (const value of foreign) {
      await note.write(JSON.stringify(value));
      expect((await AlertQueue.open(note)).cursor).toBeUndefined();
    }
    expect(faults).toEqual([]);
    const whole = await AlertQueue.open(note);
    enqueue(whole, [alertOf('new', 1)]);
    await whole.save();
    const path = join(directory, 'cursors', 'webhook%2Fa%20b.note');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"cursor":"c"', '"cursor":"d"'));
    expect((await AlertQueue.open(note)).cursor).toBeUndefined();
    await writeFile(path, text.slice(0, 50));
    expect((await AlertQueue.open(note)).cursor).toBeUndefined();
    expect(faults).toMatchObject([{ code: 'NOTE_UNUSABLE' }, { code: 'NOTE_UNUSABLE' }]);
  });
});

describe('the rate of calls', () => {
  it('never exceeds its limit in any minute', () => {
    let nowMs = 5_000;
    const rate = new CallRate(2, () => nowMs);
    rate.called();
    nowMs += 10_000;
    expect(rate.waitMs).toBe(0);
    rate.called();
    expect(rate.waitMs).toBe(50_000);
    nowMs += 50_000;
    expect(rate.waitMs).toBe(0);
    rate.called();
    expect(rate.waitMs).toBe(10_000);
  });
});
