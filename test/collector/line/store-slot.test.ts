import { pino } from 'pino';
import { createStoreExporter, type OpenStore } from '../../../collector/exporters/store-exporter.js';
import { StoreSlot } from '../../../collector/line/store-slot.js';
import { Fault } from '../../../core/event/fault.js';
import { openEventStore } from '../../../core/storage/event-store.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { storedRequestIds } from '../reload/stored-request-ids.js';

afterAll(removeTemporaryFolders);

const full: OpenStore = () => Promise.reject(new Fault('STORE_UNWRITABLE', 'the disk is full'));
const never = new AbortController().signal;

/** A place for a folder, and what builds stores on it, which keep for so many hours. */
async function openSlot() {
  const directory = await temporaryFolder();
  const storeOf = (hours: number, openStore: OpenStore) => () =>
    createStoreExporter({
      settings: {
        directory,
        durability: 'os',
        checkpoint_interval: '5s',
        retention: { max_age: `${hours}h`, max_size: '0' },
        rejected: { max_age: '0', max_size: '0' },
      },
      logger: pino({ level: 'silent' }),
      openStore,
    });
  let isFull = false;
  let closeAlso = async (): Promise<void> => {};
  const slot = new StoreSlot(() => {
    const store = storeOf(1, (options) => (isFull ? full : openEventStore)(options))();
    return {
      ...store,
      async shutdown() {
        await store.shutdown();
        await closeAlso();
      },
    };
  });
  await slot.start();
  const send = async (name: string): Promise<string[]> => {
    const events = Array.from({ length: 3 }, (_, place) => ({
      payload: serverPayload({ request_id: `${name}-${place}` }),
    }));
    return (await slot.consume({ receiver: 'events', events })).map(({ kind }) => kind);
  };
  return {
    directory,
    slot,
    storeOf,
    send,
    fill: (value: boolean) => {
      isFull = value;
    },
    /** The next time that the first store closes it says that it failed. */
    breakClosing: () => {
      closeAlso = async () => {
        closeAlso = async () => {};
        throw new Error('the index is not written');
      };
    },
  };
}

const STORED = ['stored', 'stored', 'stored'];

describe('the place of a store', () => {
  it('whose new settings do not open goes back to those before: who waits is answered, and nothing is lost', async () => {
    const { directory, slot, storeOf, send } = await openSlot();
    const before = send('before');
    const refit = slot.refit(storeOf(2, full), never);
    const waiting = [send('first'), send('second')];
    await expect(refit).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' });
    expect(await Promise.all([before, ...waiting, send('after')])).toEqual([STORED, STORED, STORED, STORED]);
    expect([slot.isOpen, slot.keeps]).toEqual([true, expect.stringContaining('1h')]);
    expect(await slot.reader().stats()).toMatchObject({ events: 12 });
    await slot.shutdown();
    const ids = ['after', 'before', 'first', 'second'].flatMap((name) => [0, 1, 2].map((place) => `${name}-${place}`));
    expect(await storedRequestIds(directory)).toEqual(ids);
  });

  it('that opens in no way refuses who waits for now, and opens when it is asked again', async () => {
    const { slot, storeOf, send, fill } = await openSlot();
    fill(true);
    const refit = slot.refit(storeOf(2, full), never);
    const waiting = send('waiting');
    waiting.catch(() => undefined);
    await expect(refit).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    await expect(waiting).rejects.toMatchObject({ retryable: true });
    expect(slot.isOpen).toBe(false);
    await slot.refit(storeOf(3, openEventStore), never);
    expect([slot.isOpen, slot.keeps]).toEqual([true, expect.stringContaining('3h')]);
    expect(await send('after')).toEqual(STORED);
    await slot.shutdown();
  });

  it('whose store does not close goes on with a new one of the settings before', async () => {
    const { slot, storeOf, send, breakClosing } = await openSlot();
    await send('before');
    breakClosing();
    const refit = slot.refit(storeOf(2, openEventStore), never);
    const waiting = send('waiting');
    await expect(refit).rejects.toThrow('the index is not written');
    expect(await waiting).toEqual(STORED);
    await slot.refit(storeOf(2, openEventStore), never);
    expect(await slot.reader().stats()).toMatchObject({ events: 6 });
    await slot.shutdown();
  });

  it('is changed back by what a change answers', async () => {
    const { slot, storeOf, send } = await openSlot();
    const back = await slot.refit(storeOf(2, openEventStore), never);
    expect(slot.keeps).toContain('2h');
    const waiting = send('waiting');
    await Promise.all([back(), waiting]);
    expect(slot.keeps).toContain('1h');
    expect(await slot.reader().stats()).toMatchObject({ events: 3 });
    await slot.shutdown();
  });
});
