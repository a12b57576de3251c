import fc from 'fast-check';
import { Ledger, type UnstoredOutcome } from '../../../collector/telemetry/ledger.js';

const loss = fc.record({
  as: fc.constantFrom<UnstoredOutcome>('rejected', 'filtered', 'sampled', 'refused'),
  reason: fc.constantFrom('A', 'B', '__proto__', 'constructor'),
  events: fc.nat({ max: 500 }),
});
const step = fc.oneof(loss, fc.constant('stored' as const));

describe('the ledger', () => {
  it('adds up after every step, by outcome and by reason', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const ledger = new Ledger();
        const account = ledger.account('events');
        for (const one of steps) {
          if (one === 'stored') account.stored({});
          else account.count(one.as, one.reason, one.events);
          const { received, stored, rejected, filtered, sampled, refused, reasons } =
            ledger.snapshot()['events'] ?? none();
          expect(received).toBe(stored + rejected + filtered + sampled + refused);
          expect(received - stored).toBe(Object.values(reasons).reduce((sum, count) => sum + count, 0));
        }
      }),
    );
  });

  it('counts receivers separately and returns copies', () => {
    const ledger = new Ledger();
    ledger.account('events').stored({ max_depth: 2 });
    ledger.account('events').stored({ max_depth: 1 });
    ledger.account('events/browser').count('rejected', 'EVENT_INVALID');
    const before = ledger.snapshot();
    ledger.account('events').stored({});
    expect(before['events']).toMatchObject({ received: 2, stored: 2, cuts: { max_depth: 3 } });
    expect(before['events/browser']).toMatchObject({ received: 1, rejected: 1, reasons: { EVENT_INVALID: 1 } });
  });

  it('has a bounded number of reasons', () => {
    const account = new Ledger();
    for (let index = 0; index < 2_000; index++) account.account('events').count('filtered', `reason ${index}`);
    const { received = 0, reasons = {} } = account.snapshot()['events'] ?? {};
    expect(received).toBe(2_000);
    expect(Object.keys(reasons)).toHaveLength(1_001);
    expect(reasons['OTHER']).toBe(1_000);
  });
});

function none(): never {
  throw new Error('no account');
}
