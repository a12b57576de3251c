import type { IssueState } from './index/issue-state.js';

/** What an action keeps of them at most; it may have 256 KiB as a whole. */
const MAX_RELEASES = 1_000;
const MAX_CHARACTERS = 64 * 1024;

/** The releases that the services of these issues have shown, in order of first arrival; those of the latest receipts where there are too many. */
export function knownReleases(issues: readonly IssueState[], members: readonly IssueState[]): string[] {
  const receipts = new Map<string, number>();
  for (const { app, service, releases, releasesReceivedAtMicros } of issues) {
    if (!members.some((member) => member.service === service && member.app === app)) continue;
    for (const [place, release] of releases.entries()) {
      receipts.set(release, Math.max(receipts.get(release) ?? 0, releasesReceivedAtMicros[place] ?? 0));
    }
  }
  const kept = new Set<string>();
  let characters = 0;
  for (const [release] of [...receipts].sort(([, left], [, right]) => right - left).slice(0, MAX_RELEASES)) {
    characters += release.length;
    if (characters <= MAX_CHARACTERS) kept.add(release);
  }
  return [...receipts.keys()].filter((release) => kept.has(release));
}
