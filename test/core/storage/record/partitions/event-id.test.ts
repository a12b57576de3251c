import fc from 'fast-check';
import { toEventId } from '../../../../../core/event/ids.js';
import {
  createEventIds,
  MAX_PARTITION_LINES,
  parseEventId,
} from '../../../../../core/storage/record/partitions/event-id.js';
import { partitionOf } from '../../../../../core/storage/record/partitions/partition-path.js';

const MICROS_PER_HOUR = 3_600_000_000;
/** 1970 to 2255. */
const anyMicros = fc.oneof(
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  fc.integer({ min: 1_795_255_200_000_000, max: 1_795_255_200_010_000 }),
);
const anyLine = fc.oneof(fc.nat(200_000), fc.nat(MAX_PARTITION_LINES - 1));

function partitionAt(micros: number, app = 'shop') {
  return partitionOf({ env: 'production', service: 'api', app }, Math.floor(micros / MICROS_PER_HOUR));
}

describe('createEventIds', () => {
  it('lays out time, fraction, line and hash as a UUIDv7', () => {
    const partition = { ...partitionAt(1_795_255_200_000_500), hash: 0x0123abcd };
    const id = createEventIds(partition, 1_795_255_200_000_500)(0x12345678 & 0x3fffffff);
    expect(id).toBe('01a1fd8c-6900-7800-9234-56780123abcd');
  });

  it('makes ids from which timestamp, hour, line and hash are parsed back', () => {
    fc.assert(
      fc.property(anyMicros, anyLine, fc.string(), (micros, line, app) => {
        const partition = partitionAt(micros, app);
        const id = createEventIds(partition, micros)(line);
        expect(toEventId(id)).toBe(id);
        expect(parseEventId(id)).toEqual({
          receivedAtMicros: micros,
          hour: partition.hour,
          line,
          partitionHash: partition.hash,
        });
      }),
    );
  });

  it('makes ids that sort by timestamp, then by line', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyMicros, anyLine), { minLength: 2, maxLength: 30 }), (arrivals) => {
        const sorted = arrivals.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
        const ids = sorted.map(([micros, line]) => createEventIds({ ...partitionAt(0), hash: 7 }, micros)(line));
        expect(ids).toEqual(ids.toSorted());
      }),
    );
  });

  it('makes a different id for every timestamp, line and partition', () => {
    const key = fc.tuple(anyMicros, anyLine, fc.constantFrom('a', 'b', 'c'));
    const arrivals = fc.uniqueArray(key, { selector: (arrival) => arrival.join(), maxLength: 50 });
    fc.assert(
      fc.property(arrivals, (all) => {
        const ids = all.map(([micros, line, app]) => createEventIds(partitionAt(micros, app), micros)(line));
        expect(new Set(ids).size).toBe(all.length);
      }),
    );
  });
});

describe('readEventId', () => {
  it.each([
    ['another version', '01a1fd8c-6900-4800-9234-56780123abcd'],
    ['another variant', '01a1fd8c-6900-7800-1234-56780123abcd'],
    ['a fraction that is not a whole microsecond', '01a1fd8c-6900-7801-9234-56780123abcd'],
    ['a time beyond the safe integers', 'ffffffff-ffff-7800-9234-56780123abcd'],
  ])('passes over a UUID with %s', (_, text) => {
    const id = toEventId(text);
    expect(id === undefined ? 'no UUID' : parseEventId(id)).toBeUndefined();
  });
});
