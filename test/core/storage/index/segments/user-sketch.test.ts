import fc from 'fast-check';
import {
  addUser,
  countUsers,
  isUserSketch,
  joinUsers,
  MAX_USERS,
  NO_USER,
  NO_USERS,
  type UserSketch,
  userHash,
} from '../../../../../core/storage/index/segments/user-sketch.js';

const userIds = fc.array(fc.oneof(fc.string(), fc.integer({ min: 0, max: 300 }).map(String)), { maxLength: 400 });

function sketchOf(ids: readonly (string | null)[]): UserSketch {
  return ids.map(userHash).reduce(addUser, NO_USERS);
}

function numbered(from: number, count: number, name = 'user-'): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${from + index}`);
}

describe('a sketch of users', () => {
  it('is independent of the order and the number of events of a user', () => {
    fc.assert(
      fc.property(
        userIds.chain((ids) => fc.tuple(fc.constant(ids), fc.shuffledSubarray([...ids, ...ids], { minLength: 0 }))),
        ([ids, others]) => {
          expect(sketchOf([...others, ...ids.toReversed()])).toEqual(sketchOf(ids));
        },
      ),
    );
  });

  it('joined with another is the valid sketch of all users', () => {
    fc.assert(
      fc.property(userIds, userIds, (left, right) => {
        const joined = joinUsers(sketchOf(left), sketchOf(right));
        expect(joined).toEqual(sketchOf([...left, ...right]));
        expect(joinUsers(sketchOf(right), sketchOf(left))).toEqual(joined);
        expect(isUserSketch(joined)).toBe(true);
      }),
    );
  });

  it('is exact below 128 users', () => {
    for (let users = 0; users < MAX_USERS; users += 1)
      expect(countUsers(sketchOf([...numbered(0, users), ...numbered(0, users)]))).toBe(users);
  });

  it('has a standard error of 8.9 % for more users, for ids of many forms', () => {
    const standardError = 1 / Math.sqrt(MAX_USERS - 2);
    for (const name of ['user-', '', '使用者', '5c0ffee5-1d1d-4a4a-8888-0000']) {
      const errors = Array.from({ length: 20 }, (_, seed) => {
        const users = 200 + seed * 40;
        return countUsers(sketchOf(numbered(seed * 100_000, users, name))) / users - 1;
      });
      const measured = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
      expect(measured).toBeLessThan(1.5 * standardError);
      expect(Math.max(...errors.map(Math.abs))).toBeLessThan(4 * standardError);
    }
  });

  it('ignores events without a user', () => {
    expect(sketchOf([null, null])).toBe(NO_USERS);
    expect(userHash(null)).toBe(NO_USER);
    expect(countUsers(sketchOf([null, 'ada', null, '']))).toBe(2);
  });

  it('never changes its hash function, because hashes are stored', () => {
    expect(['', 'ada', 'u-17', '使用者'].map(userHash)).toEqual([1, -1_105_928_572, 1_333_604_907, 1_087_716_414]);
  });

  it('is distinguished from other lists of numbers', () => {
    for (const numbers of [[1, 1], [2, 1], [1.5], [2 ** 31], [-(2 ** 31) - 1], numbered(1, 129, '').map(Number)])
      expect(isUserSketch(numbers)).toBe(false);
    expect(isUserSketch([-(2 ** 31), 0, 2 ** 31 - 1])).toBe(true);
  });
});
