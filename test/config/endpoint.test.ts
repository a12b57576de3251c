import fc from 'fast-check';
import { parseEndpoint } from '../../config/endpoint.js';
import { ValueError } from '../../config/value-error.js';

describe('parseEndpoint', () => {
  it.each([
    ['localhost:4318', 'localhost', 4318],
    ['127.0.0.1:0', '127.0.0.1', 0],
    [':4318', '', 4318],
    ['[::1]:4318', '::1', 4318],
    ['[::]:65535', '::', 65_535],
    ['collector.example.com.:80', 'collector.example.com.', 80],
    ['my_service:80', 'my_service', 80],
  ])('reads %s', (text, host, port) => {
    expect(parseEndpoint(text)).toEqual({ host, port });
  });

  it.each([
    ['4318', 'localhost:4318'],
    ['localhost', 'localhost:4318'],
    ['::1', '[::1]:4318'],
    ['http://localhost:4318', 'localhost:4318'],
    ['https://localhost:4318/', 'localhost:4318'],
    ['http://localhost/v1', undefined],
    ['', undefined],
    ['localhost:', undefined],
    ['localhost:65536', undefined],
    ['localhost:-1', undefined],
    ['localhost:http', undefined],
    ['[localhost]:80', undefined],
    ['[::1', undefined],
    ['a b:80', undefined],
    ['-a:80', undefined],
    ['a..b:80', undefined],
    [`${'a'.repeat(254)}:80`, undefined],
    [`${'a'.repeat(1000)}:80`, undefined],
  ])('refuses %j and suggests %j', (text, suggestion) => {
    expect(() => parseEndpoint(text)).toThrow(expect.objectContaining({ code: 'CONFIG_VALUE_INVALID', suggestion }));
  });

  it('gives a port that can be listened on, or a ValueError, for any text', () => {
    const parts = fc.array(fc.constantFrom('a', '1', ':', '[', ']', '.', '-', '/', '::', '80'), { maxLength: 10 });
    fc.assert(
      fc.property(
        fc.oneof(
          parts.map((part) => part.join('')),
          fc.string(),
        ),
        (text) => {
          try {
            const { port } = parseEndpoint(text);
            expect(port >= 0 && port <= 65_535).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ValueError);
          }
        },
      ),
    );
  });
});
