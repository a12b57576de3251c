import type { FingerprintValue } from '../../../../../core/event/ids.js';
import { createIssueState } from '../../../../../core/storage/index/content/issue-state.js';
import { IssueTable } from '../../../../../core/storage/index/content/issue-table.js';
import { cardOf } from '../issue-cards.js';

const fingerprintOf = (number: number): FingerprintValue => cardOf(number).fingerprint;

describe('the table of issues', () => {
  it('finds each of very many issues by what tells it apart, and no other', () => {
    const table = new IssueTable();
    for (let number = 0; number < 5000; number += 1) table.add(createIssueState(cardOf(number), number));
    for (let number = 0; number < 5000; number += 1) {
      expect(table.find('shop', 'cart', fingerprintOf(number))?.ordinal).toBe(number);
    }
    expect(table.find('shop', 'cart', fingerprintOf(5000))).toBeUndefined();
    expect(table.find('shop', 'till', fingerprintOf(7))).toBeUndefined();
    expect(table.find('office', 'cart', fingerprintOf(7))).toBeUndefined();
    expect(table.get(cardOf(4999).issueId)?.ordinal).toBe(4999);
  });

  it('tells fingerprints apart that differ in one character', () => {
    const table = new IssueTable();
    const digits = [...'0123456789abcdef'];
    const fingerprints = Array.from({ length: 32 }, (_, index) =>
      digits.slice(1).map((digit) => `${'0'.repeat(index)}${digit}${'0'.repeat(31 - index)}` as FingerprintValue),
    ).flat();
    for (const [ordinal, fingerprint] of fingerprints.entries()) {
      table.add(createIssueState({ ...cardOf(ordinal), fingerprint }, ordinal));
    }
    const found = fingerprints.map((fingerprint) => table.find('shop', 'cart', fingerprint)?.ordinal);
    expect(found).toEqual([...fingerprints.keys()]);
  });

  it('keeps the same fingerprint apart by app and service, and names those issues as related', () => {
    const table = new IssueTable();
    const places = [
      ['shop', 'cart'],
      ['shop', 'till'],
      ['office', 'cart'],
    ] as const;
    const issues = places.map(([app, service], ordinal) =>
      createIssueState({ ...cardOf(ordinal), fingerprint: fingerprintOf(0), app, service }, ordinal),
    );
    for (const issue of issues) table.add(issue);
    const [first, second, third] = issues;
    if (first === undefined) throw new Error('issue missing');
    expect(table.find('shop', 'till', fingerprintOf(0))).toBe(second);
    expect(table.related(first, 32)).toEqual([second, third]);
    expect(table.related(first, 1)).toEqual([second]);
  });
});
