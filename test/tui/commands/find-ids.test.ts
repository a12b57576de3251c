import type { EventId } from '../../../core/event/ids.js';
import { shortEventId } from '../../../core/event/short-event-id.js';
import { findEventId } from '../../../tui/commands/find-ids.js';
import { createArrayReader, sampleEvent, sampleIssue } from '../array-reader.js';

const IDS = [
  '01a204f7-591f-7000-8000-0481b6b2fbd2',
  '01a204f8-591f-7000-8000-0481b6b2fbd2',
  '01a204f7-5801-7000-8000-0480b6b2fbd2',
  '01a204f7-7000-7000-8000-0480b6b2fbd2',
] as EventId[];

describe('a short event id', () => {
  const events = IDS.map((event_id, index) => {
    const event = sampleEvent(1, index + 1);
    return { ...event, event_id, normalized: { ...event.normalized, event_id } };
  });
  const reader = createArrayReader({ issues: [sampleIssue(1)], events });
  const codeOf = (typed: string) => findEventId(reader, typed).catch(({ code, message }) => [code, message]);

  it('has the last digits of the time and those of the line', () => {
    expect(IDS.map(shortEventId)).toEqual(['591f-0481', '591f-0481', '5801-0480', '7000-0480']);
  });

  it('finds its event, lists several, newest first, and is not confused with other parts of an id', async () => {
    expect(await findEventId(reader, '5801-0480')).toBe(IDS[2]);
    expect(await findEventId(reader, '7000-0480')).toBe(IDS[3]);
    expect(await findEventId(reader, String(IDS[0]).toUpperCase())).toBe(IDS[0]);
    const [code, message] = await codeOf('591F-0481');
    expect(code).toBe('ARGUMENT_INVALID');
    const listed = String(message).split('\n');
    expect(listed[0]).toBe('Several events are called 591f-0481; give the full id:');
    expect(listed.slice(1).map((line) => line.trim().split(' ')[0])).toEqual([IDS[1], IDS[0]]);
    expect(await codeOf('0000-0000')).toEqual(['EVENT_NOT_FOUND', 'No event 0000-0000. See faultline events.']);
    expect(await codeOf('591f')).toEqual(['ARGUMENT_INVALID', '"591f" is not an event id. See faultline events.']);
  });
});
