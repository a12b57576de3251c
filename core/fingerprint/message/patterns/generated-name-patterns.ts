import type { MessagePattern } from './message-pattern.js';

/** Letters and digits that Kubernetes generates; they spell no words. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';
/** Of a ReplicaSet, or the minute of a CronJob. */
const GENERATED = `(?:(?=\\d{0,9}[a-z])(?=(?:[a-z]{0,9}\\d){2})[a-z0-9]{8,10}|[${SAFE}]{8,10}|\\d{8})`;
const POD = `(?:[a-z0-9][a-z0-9-]{0,62}/)?[a-z][a-z0-9]{0,40}(?:-[a-z0-9]{1,40}){0,8}?-${GENERATED}-[a-z0-9]{5}(?:_[a-z0-9-]{1,63}\\([0-9a-f-]{36}\\))?`;
const POD_OF_SET = '[a-z][a-z0-9]{0,40}(?:-[a-z][a-z0-9]{0,40}){0,8}?-(?:(?=[a-z]{0,4}\\d)[a-z0-9]{5}|\\d{1,4})';
const GENERATED_END = new RegExp(`(?:-${GENERATED})?-(?:[a-z0-9]{5}|\\d{1,4})(?:_[^_]*)?$`);

function templateOfPod(text: string): string {
  return text.replaceAll('"', '').replace(GENERATED_END, '-<n>');
}

/** `arn:partition:service:region:account:resource`: what is generated in a name of Amazon. */
function templateOfArn(text: string): string {
  const [arn, partition, service, , , ...resource] = text.split(':');
  const parts = resource.join(':').split(/([/:])/);
  const named = parts.map((part) => (/\d/.test(part) ? '<n>' : part)).join('');
  return `${arn}:${partition}:${service}:${named}`.replace(/<n>(?:[/:]<n>)+/g, '<n>');
}

/** Names of which a platform generates a part. */
export const GENERATED_NAME_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'identifier',
    starts: ['word'],
    pattern: new RegExp(`(?=[a-z][a-z0-9]{0,62}[-/])${POD}(?![\\w-]|\\.\\w)`),
    becomes: templateOfPod,
    reason: 'A pod of Kubernetes: the name of what it belongs to stays.',
  },
  {
    name: 'identifier',
    starts: ['word', 'quote'],
    pattern: new RegExp(`(?<=\\b[Pp]ods? )(?:"(?:${POD}|${POD_OF_SET})"|${POD_OF_SET}(?![\\w-]|\\.\\w))`),
    becomes: templateOfPod,
    reason: 'A pod of a set that names its pods with five letters and digits, or numbers them.',
  },
  {
    name: 'host',
    starts: ['word'],
    pattern: /(?:ip|ec2)(?:-\d{1,3}){4}(?:\.[a-z][a-z0-9.-]{0,100}[a-z])?(?![\w-])/,
    becomes: '<host>',
    reason: 'A machine of EC2, named after its address.',
  },
  {
    name: 'identifier',
    starts: ['number'],
    pattern: /\d{4}\/\d\d\/\d\d\/\[(?:\$LATEST|\d{1,9})\][0-9a-f]{32}(?!\w)/,
    becomes: '<n>',
    reason: 'A log stream of AWS Lambda.',
  },
  {
    name: 'identifier',
    starts: ['word'],
    pattern: /arn:aws[a-z-]{0,10}:[a-z0-9-]{1,40}:[a-z0-9-]{0,30}:\d{0,12}:[\w.*$@+=,:/-]{1,400}[\w*$]/,
    becomes: templateOfArn,
    reason: 'A name of Amazon: service and kind of resource stay, account, region and identifiers do not.',
  },
];
