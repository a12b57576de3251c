import { type ChosenRemoval, chooseRemoval } from '../../../../core/storage/retention/choose-removal.js';

const MICROS_PER_HOUR = 3_600_000_000;
const HOUR_MS = 3_600_000;

function choose(
  list: number[],
  bounds: { maxAgeHours?: number; maxBytes?: number },
  overHour: number,
): ChosenRemoval | undefined {
  const { maxAgeHours = 0, maxBytes = 0 } = bounds;
  const hours = list.map((hour) => ({ hour, bytes: 100, ageMs: (overHour - hour - 1) * HOUR_MS }));
  return chooseRemoval(hours, { maxAgeMs: maxAgeHours * HOUR_MS, maxBytes }, overHour * MICROS_PER_HOUR);
}

describe('the removal that retention chooses', () => {
  it('is undefined without bounds, without hours, and within the bounds', () => {
    expect(choose([1, 2, 3], {}, 900)).toBeUndefined();
    expect(choose([], { maxAgeHours: 1, maxBytes: 1 }, 900)).toBeUndefined();
    expect(choose([898, 899, 900], { maxAgeHours: 2, maxBytes: 300 }, 900.5)).toBeUndefined();
  });

  it('contains by age the hours that ended longer ago than the bound, to the microsecond', () => {
    expect(choose([7, 8, 9, 12], { maxAgeHours: 3 }, 12)).toEqual({ hours: [7], reason: 'age' });
    expect(choose([7, 8, 9, 12], { maxAgeHours: 3 }, 12.001)).toEqual({ hours: [7, 8], reason: 'age' });
  });

  it('contains by age only hours before the first young one', () => {
    const hours = [9, 1, 9].map((age, hour) => ({ hour, bytes: 100, ageMs: age * HOUR_MS }));
    expect(chooseRemoval(hours, { maxAgeMs: 3 * HOUR_MS, maxBytes: 0 }, 20 * MICROS_PER_HOUR)).toEqual({
      hours: [0],
      reason: 'age',
    });
  });

  it('contains by size the oldest hours until the rest fits', () => {
    expect(choose([1, 2, 3, 4], { maxBytes: 250 }, 4.5)).toEqual({ hours: [1, 2], reason: 'size' });
    expect(choose([1, 2, 3, 4], { maxBytes: 400 }, 4.5)).toBeUndefined();
  });

  it('never contains the hour in which events may still arrive, or a later one', () => {
    expect(choose([4], { maxAgeHours: 1, maxBytes: 1 }, 4.5)).toBeUndefined();
    expect(choose([3, 4], { maxBytes: 1 }, 4.5)?.hours).toEqual([3]);
    // The clock went back to before the record.
    expect(choose([2, 3, 4], { maxBytes: 1 }, 3.5)?.hours).toEqual([2]);
  });

  it('contains at most one day', () => {
    const many = Array.from({ length: 100 }, (_, hour) => hour);
    expect(choose(many, { maxAgeHours: 1 }, 200)?.hours).toHaveLength(24);
    expect(choose(many, { maxBytes: 1 }, 200)?.hours).toHaveLength(24);
  });
});
