import { parseComponentId } from '../../../config/values/component-id.js';

describe('parseComponentId', () => {
  it.each([
    ['events', { type: 'events' }],
    ['events/browser', { type: 'events', name: 'browser' }],
    ['file_log/a/b', { type: 'file_log', name: 'a/b' }],
    ['events/köln-1.2', { type: 'events', name: 'köln-1.2' }],
    [`${'a'.repeat(63)}/${'b'.repeat(1024)}`, { type: 'a'.repeat(63), name: 'b'.repeat(1024) }],
  ])('parses %s', (text, id) => {
    expect(parseComponentId(text)).toEqual(id);
  });

  it.each([
    ['', 'id must not be empty'],
    ['/', 'in "/" id: the part before / should not be empty'],
    ['/x', 'in "/x" id: the part before / should not be empty'],
    ['otlp/', 'in "otlp/" id: the part after / should not be empty'],
    ['o-t', 'invalid character(s) in type "o-t"'],
    ['1events', 'invalid character(s) in type "1events"'],
    [' events', 'invalid character(s) in type " events"'],
    ['a'.repeat(64), `invalid character(s) in type "${'a'.repeat(64)}"`],
    ['events/a b', 'invalid character(s) in name "a b"'],
    ['events/a+b', 'invalid character(s) in name "a+b"'],
    [`events/${'b'.repeat(1025)}`, 'the name in the id is longer than 1024 characters'],
  ])("rejects %j with the Collector's sentence", (text, message) => {
    expect(() => parseComponentId(text)).toThrow(expect.objectContaining({ code: 'CONFIG_VALUE_INVALID', message }));
  });
});
