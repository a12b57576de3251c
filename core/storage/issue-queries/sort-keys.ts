import { hash } from 'node:crypto';
import type { IssueState } from '../index/content/issue-state.js';
import { orderedForm } from './string-ranks.js';

/** Sorts by text. `group` is app and service. */
export const TEXT_SORTS = ['title', 'service', 'environment', 'release', 'group'] as const;
export type TextSort = (typeof TEXT_SORTS)[number];

interface SortText {
  /** In the compared form. */
  readonly of: (issue: IssueState) => string;
  /** Whether the text of an issue never changes. */
  readonly isFixed: boolean;
}

/** Compared UTF-16 units of an app and of a service. */
const GROUP_UNITS = 64;

/** Returns the text of an issue for each sort. */
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

/** Distinct for each app and service, also if they differ in case or beyond the compared units. */
function groupText({ app, service }: IssueState): string {
  const names = [app, service].map((name) => name.slice(0, GROUP_UNITS));
  const whole = JSON.stringify([app, service]);
  const isCut = app.length > GROUP_UNITS || service.length > GROUP_UNITS;
  return [...names.map((name) => name.toLowerCase()), isCut ? hash('sha256', whole) : whole].join('\0');
}
