import { hash } from 'node:crypto';
import type { IssueState } from '../index/content/issue-state.js';
import { orderedForm } from './string-ranks.js';

/** What issues are ordered by that is a text. `group`: what tells app and service apart. */
export const TEXT_SORTS = ['title', 'service', 'environment', 'release', 'group'] as const;
export type TextSort = (typeof TEXT_SORTS)[number];

interface SortText {
  /** In the form in which it is ordered. */
  readonly of: (issue: IssueState) => string;
  /** Whether an issue never changes it. */
  readonly isFixed: boolean;
}

/** UTF-16 units of an app and of a service by which groups are ordered. */
const GROUP_UNITS = 64;

/** Where the text of each sort comes from. */
export const SORT_TEXTS: Readonly<Record<TextSort, SortText>> = {
  title: { of: ({ title }) => orderedForm(title), isFixed: true },
  service: { of: ({ service }) => orderedForm(service), isFixed: true },
  environment: { of: ({ environments }) => orderedForm(environments[0] ?? ''), isFixed: false },
  release: { of: ({ releases }) => orderedForm(releases.at(-1) ?? ''), isFixed: false },
  group: { of: groupText, isFixed: true },
};

export function isTextSort(sort: string): sort is TextSort {
  return TEXT_SORTS.some((one) => one === sort);
}

/** A different text for each app and service, also where they differ in case or behind what is ordered by. */
function groupText({ app, service }: IssueState): string {
  const names = [app, service].map((name) => name.slice(0, GROUP_UNITS));
  const whole = JSON.stringify([app, service]);
  const isCut = app.length > GROUP_UNITS || service.length > GROUP_UNITS;
  return [...names.map((name) => name.toLowerCase()), isCut ? hash('sha256', whole) : whole].join('\0');
}
