import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Consumer } from '../../../../collector/component/consumer.js';
import { createEventProcessor } from '../../../../collector/processors/event-processor/event-processor.js';
import { createRedactionProcessor } from '../../../../collector/processors/redaction/redaction-processor.js';
import { Tally } from '../../../../collector/processors/redaction/tally.js';
import { TextRedactor } from '../../../../collector/processors/redaction/text-redactor.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { onFixedPorts } from '../../reload/fixed-ports.js';
import { startService } from '../../running-service.js';
import { REDACTION_DEFAULTS } from './redacting.js';

const STACK = `Error: order CUST-4711 failed\n${'    at handle (/srv/shop/handler.js:10:5)\n'.repeat(10)}`;

afterAll(removeTemporaryFolders);

describe('a recurring text', () => {
  it.each([
    ['is masked each time', `${STACK}password=x1y2`, `${STACK}password=****`, 4],
    ['stays each time', STACK, STACK, 0],
  ])('%s', (_, text, expected, masked) => {
    const redactor = new TextRedactor(REDACTION_DEFAULTS);
    const tally = new Tally();
    for (let time = 0; time < 4; time += 1) expect(redactor.redact(text, tally)).toBe(expected);
    expect(tally.masked).toBe(masked);
  });

  it('is counted each time if a pattern matches the mask itself', () => {
    const redactor = new TextRedactor({ ...REDACTION_DEFAULTS, blocked_values: ['[*]{4}'] });
    const tally = new Tally();
    for (let time = 0; time < 4; time += 1) expect(redactor.redact(`${STACK}****`, tally)).toBe(`${STACK}****`);
    expect(tally.masked).toBe(4);
  });

  it('is masked under the name of a secret, although it was clean under another', async () => {
    const events: RawPayload[] = [];
    const consumer: Consumer = {
      consume: (batch) => {
        events.push(...batch.events.map(({ payload }) => payload));
        return Promise.resolve(batch.events.map(() => ({ kind: 'dropped', as: 'sampled', reason: 'TEST' }) as const));
      },
    };
    const place = { consumer, meters: new Meters(), logger: pino({ level: 'silent' }) };
    const redaction = createRedactionProcessor('redaction', REDACTION_DEFAULTS, place);
    const processor = createEventProcessor('redaction', place, redaction);
    const payload = serverPayload({ stack: STACK, extra: { note: STACK, password: STACK } });
    for (let time = 0; time < 4; time += 1) await processor.consume({ receiver: 'events', events: [{ payload }] });
    expect(events.map(({ stack, extra }) => [stack, extra])).toEqual(
      Array.from({ length: 4 }, () => [STACK, { note: STACK, password: '****' }]),
    );
  });

  it('is masked after a reload with other settings', async () => {
    const { directory, settings } = await onFixedPorts();
    const redaction = (own: string): string[] => [
      `processors.redaction=${own}`,
      'service.pipelines.events.processors=[redaction]',
    ];
    const { service, eventsUrl } = await startService(settings(...redaction('{}')));
    const post = async (): Promise<void> => {
      const body = JSON.stringify(serverPayload({ stack: STACK }));
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(eventsUrl, { method: 'POST', headers, body })).status).toBe(200);
    };
    try {
      for (let time = 0; time < 3; time += 1) await post();
      await service.reload(settings(...redaction('{blocked_values: ["CUST-\\\\d+"]}')));
      await post();
    } finally {
      await service.shutdown();
    }
    const raw = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
      ({ name }) => name === 'raw.ndjson',
    );
    const lines = raw.flatMap(({ parentPath, name }) =>
      readFileSync(join(parentPath, name), 'utf8').trimEnd().split('\n'),
    );
    const masked = STACK.replace('CUST-4711', '****');
    expect(lines.map((line) => JSON.parse(line).stack)).toEqual([STACK, STACK, STACK, masked]);
  });
});
