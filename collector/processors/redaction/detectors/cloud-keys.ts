import { execAt, isAlphanumeric, isBase64Url, isDigit } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';

/** The published pattern of a token. */
interface TokenForm {
  /** The prefix in lower case, which the scanner searches. */
  readonly prefix: string;
  readonly pattern: RegExp;
  /** Characters of the token before the prefix; `pattern` matches them too. */
  readonly lead?: Lead;
}

interface Lead {
  readonly includes: (code: number) => boolean;
  readonly min: number;
  readonly max: number;
}

/** Token prefixes, separated by blanks, by the published pattern of what follows them. */
const PREFIXES: readonly (readonly [rest: RegExp, prefixes: string])[] = [
  [/[A-Z2-7]{16}(?![A-Z0-9])/, 'AKIA ASIA ABIA ACCA'],
  [/[a-f0-9]{32}/, 'dapi'],
  [/[a-f0-9]{32,}/, 'FLWSECK- FLWSECK_TEST- lsv2_pt_ lsv2_sk_'],
  [/[a-f0-9]{40,}/, 'bkua_ lin_oauth_ mlsn. sgp_ sk_ squ_ sqp_ sqa_ xkeysib- xsmtpsib- shippo_live_ shippo_test_'],
  [/[a-f0-9]{40}(?![a-z0-9])/, 'pul- sbp_'],
  [/[a-f0-9]{48}/, 'rubygems_'],
  [/[a-f0-9]{64}/, 'dop_v1_ doo_v1_ dor_v1_'],
  [/[a-f0-9]{31}(?![A-Za-z0-9])/, [...'0123456789abcdef'].map((digit) => `SK${digit}`).join(' ')],
  [/[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/, 'pat-na1- pat-eu1- waka_ sdk-'],
  // Not after a dash or an underscore: an `idempotency-key-…` ends in a plain hash.
  [/(?<![-_.]key-)[a-f0-9]{32}(?![a-z0-9])/, 'key-'],
  [/[a-f0-9]{32}[\w/-]*/, 'IncomingWebhook/'],
  [/[a-fA-F0-9]{32}/, 'shpat_ shpca_ shppa_ shpss_'],
  [/[a-fA-F0-9]{24}-[a-fA-F0-9]{34}/, 'PMAK-'],
  [/[A-Z2-7]{55,}/, 'SUA SAA SOA'],
  [/[A-Z0-9]{26,}/, 'API-'],
  [/[A-Z0-9]{27}/, 'NRAK-'],
  [/[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}(?![A-Z0-9])/, 'A3-'],
  [/[A-Z0-9]{24}\.[A-Z0-9]{64}/, 'dt0c01.'],
  [/1[A-Z0-9]{50,}/, 'AGE-SECRET-KEY-'],
  [/[A-Za-z0-9]{10,}/, 'sk_live_ sk_test_ rk_live_ rk_test_'],
  [/[A-Za-z0-9]{20,}/, 'LTAI NRII- dckr_oat_'],
  [/[A-Za-z0-9]{30,}/, 'ghp_ gho_ ghu_ ghs_ ghr_ hf_'],
  [/[A-Za-z0-9]{32,}/, 'AKID ATBB ico- tvly- pnu_ nfp_ rnd_ lin_api_'],
  [/[A-Za-z0-9]{36,}/, 'npm_'],
  [/[A-Za-z0-9]{37}(?![A-Za-z0-9])/, 'r8_'],
  [/[A-Za-z0-9]{40,}/, 'ntn_'],
  [/[A-Za-z0-9]{43}(?![A-Za-z0-9])/, 'secret_'],
  [/[A-Za-z0-9]{48,}/, 'gsk_'],
  [/[A-Za-z0-9]{60,}/, 'EAAC'],
  [/[A-Za-z0-9]{70,}/, 'xai-'],
  [/[A-Za-z0-9]{14}\.[a-f0-9]{64}/, 'pat'],
  [/[A-Za-z0-9]{32}_[a-f0-9]{8}/, 'glsa_'],
  [/[A-Za-z0-9+/=]{20,}/, 'whsec_'],
  [/[A-Za-z0-9+/=]{80,}/, 'fm1r_ fm1a_ fm2_'],
  [/K[A-Za-z0-9]{54}/, 'EZA EZT'],
  [/\w{22,}/, 'github_pat_'],
  [/[\w-]{20,}/, 'ya29. GOCSPX- dckr_pat_ sb_secret_ glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt-'],
  [/[\w-]{22,}/, 'sq0atp- sq0csp-'],
  [/[\w-]{24,}/, 'hvs. hvb. hvr.'],
  [/[\w-]{28,}/, 'aio_ figo_ CCIPAT_ vcp_ vci_ vca_ vcr_ vck_ AQVN tk-us- nvapi- pplx-'],
  [/[\w-]{35}/, 'AIza'],
  [/[\w-]{36,}/, 'figd_'],
  [/[\w-]{40,}/, '1//0 v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public. mfa.'],
  [/[\w-]{43}/, 'fo1_'],
  [/[\w-]{50,}/, 'pypi-'],
  [/[\w-]{56,}/, 'EAAA'],
  [/[\w-]{120,}/, 'sl.'],
  [/[\w-]{16,32}\.[\w-]{16,}/, 'SG.'],
  [/[\w-]{10,}\.[\w-]{5,8}\.[\w-]{27}/, '.eJ'],
  [/[\w=-]{50,}/, 'ATATT3'],
  [/[\w.=-]{32,}/, 'pscale_tkn_ pscale_pw_ pscale_oauth_'],
  [
    /[\w.=-]{43,}/,
    'CFPAT- CLOJARS_ duffel_live_ duffel_test_ phx_ pcsk_ rdme_ tfp_ fio-u- napi_ AKCp ATCTT3 EAAB EAAM AQ. y0_',
  ],
  [/[\w+/=-]{32,}/, 'glc_ ops_eyJ ABSK'],
  [/[\w+/=-]{40,}/, 'sntrys_ sntryu_'],
  [/[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}/, 'xox'],
  [/\d-[A-Za-z0-9-]{10,}/, 'xapp-'],
  [/\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,}/, 'hooks.slack.com'],
  [/\d{17,20}\/[\w-]{60,}/, 'webhooks/'],
  [/(?:(?:proj|svcacct|admin|ant-[a-z0-9]{3,8}|or-v1)-[\w-]{20,}|[A-Za-z0-9]{32,})/, 'sk-'],
  [/(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}/, 'dp.'],
  [/[a-z]{3,10}-[A-Za-z0-9]{6,32}-[A-Za-z0-9]{20,}/, 'tskey-'],
  [/(?:AA[\w-]{58}|[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})/, 'HRKU-'],
];

/** Prefixes have at least three characters; a pattern has at most one unbounded quantifier, at its end, to keep matching linear. */
export const TOKEN_FORMS: readonly TokenForm[] = [
  ...PREFIXES.flatMap(([rest, prefixes]) =>
    prefixes.split(' ').map((prefix) => ({
      prefix: prefix.toLowerCase(),
      pattern: new RegExp(`${prefix.replaceAll('.', '\\.')}${rest.source}`, 'y'),
    })),
  ),
  ...[...'0123456789'].map((digit) => ({
    prefix: `${digit}q~`,
    pattern: /[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/y,
    lead: { includes: (code: number) => isBase64Url(code) || code === 0x2e || code === 0x7e, min: 3, max: 3 },
  })),
  {
    prefix: '.atlasv1.',
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/y,
    lead: { includes: isAlphanumeric, min: 14, max: 14 },
  },
  { prefix: '-us', pattern: /[a-f0-9]{32}-us\d{1,2}(?!\w)/y, lead: { includes: isAlphanumeric, min: 32, max: 32 } },
  { prefix: ':aa', pattern: /\d{8,10}:AA[\w-]{33}(?![\w-])/y, lead: { includes: isDigit, min: 8, max: 10 } },
];

const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/;
/** How far after an AWS access key id its secret is searched, UTF-16 units. */
const AWS_SECRET_DISTANCE = 200;

/** Finds a token whose prefix is at `at`; returns the offset to continue from. */
export function findToken(
  { prefix, pattern, lead }: TokenForm,
  text: string,
  at: number,
  report: ReportFinding,
): number {
  const next = at + prefix.length;
  const start = lead === undefined ? at : startOfLead(text, at, lead);
  if (start === undefined || (lead === undefined && isAlphanumeric(text.charCodeAt(at - 1)))) return next;
  const limit = searchLimit(text, at);
  const searched = limit === text.length ? text : text.slice(0, limit);
  const token = execAt(pattern, searched, start)?.[0];
  if (token === undefined) return next;
  const end = start + token.length === limit ? text.length : start + token.length;
  report(start, end, 'cloud_keys');
  if (prefix.length === 4 && token.length === 20) {
    const near = AWS_SECRET.exec(text.slice(end, end + AWS_SECRET_DISTANCE));
    if (near !== null) report(end + near.index, end + near.index + 40, 'cloud_keys');
  }
  return end;
}

function startOfLead(text: string, at: number, { includes, min, max }: Lead): number | undefined {
  let start = at;
  while (at - start <= max && includes(text.charCodeAt(start - 1))) start -= 1;
  return at - start < min || at - start > max ? undefined : start;
}
