import { acceptEnvelopeItems } from '../../../../../collector/receivers/sentry/envelope/accept-items.js';
import type { SentItem } from '../../../../../collector/receivers/sentry/envelope/item-types.js';
import type { SentryReceiverContext } from '../../../../../collector/receivers/sentry/receiver-context.js';
import type { SentryContext } from '../../../../../collector/receivers/sentry/sentry-context.js';
import type { SessionReport } from '../../../../../core/storage/releases/session-tally.js';
import { turnsWhile } from '../../../processors/turns-while.js';

const ITEMS = 9_000;

function sessionItem(number: number): SentItem {
  const session = { sid: `sid-${number}`, init: true, status: 'ok', attrs: { release: 'v1' } };
  const payload = Buffer.from(JSON.stringify(session));
  return { type: 'session', payload, bytes: payload.length };
}

it('lets the event loop turn while it reads thousands of sessions, and counts them together', async () => {
  const counted: (readonly SessionReport[])[] = [];
  const receiver = {
    account: { count: () => undefined },
    countSessions: async (reports: readonly SessionReport[]) => void counted.push(reports),
  } as unknown as SentryReceiverContext;
  const context: SentryContext = {
    project: { id: '1', env: 'production' },
    origin: 'local',
    envelope: {},
    receivedMs: Date.now(),
  };
  const items = Array.from({ length: ITEMS }, (_, number) => sessionItem(number));
  const { turns } = await turnsWhile(() =>
    acceptEnvelopeItems({ context, items, skipped: { items: 0, minidumps: 0 } }, receiver),
  );
  expect(counted.map(({ length }) => length)).toEqual([ITEMS]);
  expect(turns).toBeGreaterThan(2);
});
