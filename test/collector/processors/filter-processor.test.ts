import { pino } from 'pino';
import { createEventProcessor } from '../../../collector/processors/event-processor/event-processor.js';
import { createFilterProcessor } from '../../../collector/processors/filter-processor.js';
import { checkSettings } from '../../../collector/service/check-settings.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import { serverPayload } from '../../helpers/payloads.js';
import { createMemoryConsumer } from '../memory-consumer.js';
import { settingsFor } from '../running-service.js';

function filter(...drop: string[]) {
  const consumer = createMemoryConsumer();
  const meters = new Meters();
  const settings = { drop, error_mode: 'ignore' as const };
  const place = { consumer, meters, logger: pino({ level: 'silent' }) };
  const processor = createEventProcessor('filter/x', place, createFilterProcessor(settings));
  return { consumer, meters, processor };
}

describe('filter', () => {
  it('drops events that match any of its queries and forwards the others in order', async () => {
    const { consumer, meters, processor } = filter('level:debug', 'env:staging tags.region:eu*');
    const payloads = [
      serverPayload({ level: 'debug' }),
      serverPayload({ user_id: 'kept' }),
      serverPayload({ env: 'staging' }),
      serverPayload({ env: 'staging', tags: {} }),
    ];
    const outcomes = await processor.consume({ receiver: 'events', events: payloads.map((payload) => ({ payload })) });
    const filtered = { kind: 'dropped', as: 'filtered', reason: 'FILTERED' };
    expect(outcomes.map((outcome) => (outcome.kind === 'stored' ? 'stored' : outcome))).toEqual([
      filtered,
      'stored',
      filtered,
      'stored',
    ]);
    expect(consumer.events.map(({ payload }) => payload)).toEqual([payloads[1], payloads[3]]);
    expect(meters.samples('faultline_processor_dropped_items')).toEqual([
      { labels: { processor: 'filter/x', reason: 'FILTERED' }, value: 2 },
    ]);
  });

  it('forwards rejected payloads even if it drops every event', async () => {
    const { consumer, processor } = filter('level:error');
    const rejected = [{ code: 'EVENT_INVALID', field: '', reason: 'must be object', bytes: null }];
    await processor.consume({ receiver: 'events', events: [{ payload: serverPayload() }], rejected });
    expect(consumer.batches).toEqual([{ receiver: 'events', events: [], rejected }]);
  });

  it.each([
    ['level:', 'Query, column 7'],
    ['count:>5', 'Query, column 1'],
    ['levle:debug', 'Did you mean "level"'],
    [' ', 'it is empty'],
  ])('is refused by the configuration check for %j', (query, message) => {
    const faults = checkSettings(
      settingsFor('/nowhere', `processors.filter/x.drop=["env:dev",${JSON.stringify(query)}]`),
    );
    expect(faults.map(({ path }) => path)).toEqual([['processors', 'filter/x', 'drop', 1]]);
    expect(faults[0]?.message).toContain(message);
  });
});
