import fc from 'fast-check';
import { completeQuery } from '../../../core/query/complete-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import type { QuerySubject } from '../../../core/query/query-fields.js';

const known = {
  valuesOf: (field: string) =>
    ({ service: ['api', 'web shop', 'worker'], 'tags.region': ['eu-1', 'us-1'], count: ['7'] })[field] ?? [],
  keysOf: (prefix: string) => (prefix === 'tags.' ? ['region', 'a key'] : []),
};

/** Completes at `|`; returns the texts of the candidates, and the query with the first one inserted. */
function complete(queryWithCursor: string, subject: QuerySubject = 'issues') {
  const cursor = queryWithCursor.indexOf('|');
  const text = queryWithCursor.replace('|', '');
  const { from, to, candidates } = completeQuery(text, cursor, subject, known);
  const texts = candidates.map((candidate) => candidate.text);
  return { texts, first: text.slice(0, from) + (texts[0] ?? '') + text.slice(to) };
}

describe('completing a query', () => {
  it('suggests fields by prefix, then by substring', () => {
    expect(complete('se|').texts[0]).toBe('service:');
    expect(complete('se|').texts).toContain('last_seen:');
    expect(complete('level:error -(serv|').first).toBe('level:error -(service:');
    expect(complete('serv|:api').first).toBe('service:api');
    expect(complete('|').texts).toContain('is:');
    expect(complete('user|', 'issues').texts).toEqual([]);
    expect(complete('user|', 'events').texts).toEqual(['user_id:']);
  });

  it('suggests operators after a term', () => {
    expect(complete('a |').texts).toEqual(expect.arrayContaining(['AND', 'OR', 'NOT']));
    expect(complete('a O|').texts).toContain('OR');
  });

  it('suggests the values of fields that have few', () => {
    expect(complete('is:re|').texts).toEqual(['resolved', 'regressed', 'ignored']);
    expect(complete('status:|').texts).toEqual(['open', 'resolved', 'ignored']);
    expect(complete('is:[new,sp| count:>1').first).toBe('is:[new,spiking count:>1');
    expect(complete('is:[new,sp|] count:>1').first).toBe('is:[new,spiking] count:>1');
  });

  it('suggests known values, quoted if necessary', () => {
    expect(complete('service:w|').texts).toEqual(['"web shop"', 'worker']);
    expect(complete('service:"web|').first).toBe('service:"web shop"');
    expect(complete('service:w|xyz b').first).toBe('service:"web shop" b');
    expect(complete('tags.region:e|', 'events').first).toBe('tags.region:eu-1');
  });

  it('suggests keys of tags', () => {
    expect(complete('tags.|', 'events').texts).toEqual(['tags.region:', 'tags."a key":']);
  });

  it('suggests comparisons of numbers, times and versions', () => {
    expect(complete('count:|').texts).toEqual(expect.arrayContaining(['>', '<=']));
    expect(complete('first_seen:|').texts).toContain('<24h');
    expect(complete('level:|').texts).toContain('>=warn');
    expect(complete('count:>|').texts).toEqual(['"7"']);
  });

  it('suggests nothing for an unknown field', () => {
    expect(complete('nope:x|').texts).toEqual([]);
    expect(complete('route:|', 'issues').texts).toEqual([]);
  });

  it('replaces a range that contains the cursor, for any text', () => {
    const piece = fc.constantFrom(
      'level',
      ':',
      '"',
      '\\',
      ' ',
      '(',
      ')',
      '-',
      'tags.',
      '[',
      ']',
      ',',
      '>',
      'a',
      'OR',
      '*',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(40), (pieces, cursor) => {
        const text = pieces.join('');
        const { from, to } = completeQuery(text, cursor, 'events', known);
        const at = Math.min(cursor, text.length);
        expect(0 <= from && from <= at && at <= to && to <= text.length).toBe(true);
      }),
    );
  });

  it('suggests only valid queries', () => {
    for (const text of complete('|', 'events').texts.filter((name) => name.endsWith(':'))) {
      const value = complete(`${text}|`, 'events').texts.find((candidate) => /^[\w"<>]\w/.test(candidate)) ?? '*';
      expect(() => parseQuery(text + value, 'events')).not.toThrow();
    }
  });
});
