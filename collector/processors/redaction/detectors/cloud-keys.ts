import { isAlphanumeric, isBase64Url, isDigit } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';

/** A published form of a token: how it begins, in lower case for the first look, and the whole of it. */
interface TokenForm {
  readonly begin: string;
  readonly form: RegExp;
  /** What belongs to the token in front of the beginning; `form` matches it too. */
  readonly lead?: Lead;
}

/** Signs in front of a token's beginning: how many of them at least, and at most. */
interface Lead {
  readonly isOf: (code: number) => boolean;
  readonly least: number;
  readonly most: number;
}

/** What only tokens begin with, as it is written, by what follows. */
const BEGINNINGS: readonly (readonly [rest: string, beginnings: string])[] = [
  ['[a-f0-9]{32,}', 'FLWSECK- FLWSECK_TEST- lsv2_pt_ lsv2_sk_'],
  ['[a-f0-9]{40,}', 'bkua_ lin_oauth_ mlsn. sgp_ sk_ squ_ sqp_ sqa_ xkeysib- xsmtpsib- shippo_live_ shippo_test_'],
  ['[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}', 'pat-na1- pat-eu1- waka_ sdk-'],
  ['[A-Z2-7]{55,}', 'SUA SAA SOA'],
  ['[A-Z0-9]{26,}', 'API-'],
  ['[A-Za-z0-9]{20,}', 'LTAI NRII- dckr_oat_'],
  ['[A-Za-z0-9]{32,}', 'AKID ATBB ico- tvly- pnu_ nfp_ rnd_'],
  ['[\\w-]{28,}', 'aio_ figo_ CCIPAT_ vcp_ vci_ vca_ vcr_ vck_ AQVN tk-us- nvapi- pplx-'],
  [
    '[\\w.=-]{43,}',
    'CFPAT- CLOJARS_ duffel_live_ duffel_test_ phx_ pcsk_ rdme_ tfp_ fio-u- napi_ AKCp ATCTT3 EAAB EAAM AQ. y0_',
  ],
  ['[\\w+/=-]{32,}', 'glc_ ops_eyJ ABSK'],
  ['[\\w-]{40,}', 'v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public. mfa.'],
];

/** What three digits and the next, as base64, may have in common: a token of Discord begins with the number of its user. */
const DIGITS_IN_BASE64 = [...'wxyz012345'].flatMap((last) =>
  ['md', 'mt', 'mj', 'mz', 'nd', 'nt', 'nj', 'nz', 'od', 'ot'].map((next) => `${last}${next}`),
);

/** Beginnings of at least three characters and one unbounded quantifier at most, at the end: a failure ends soon, a match is not looked at again. */
export const TOKEN_FORMS: readonly TokenForm[] = [
  ...['akia', 'asia', 'abia', 'acca'].map((begin) => ({ begin, form: /[A-Z]{4}[A-Z2-7]{16}(?![A-Z0-9])/y })),
  { begin: 'aiza', form: /AIza[\w-]{35}/y },
  { begin: 'ya29.', form: /ya29\.[\w-]{20,}/y },
  { begin: 'gocspx-', form: /GOCSPX-[\w-]{20,}/y },
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((begin) => ({ begin, form: /gh[a-z]_[A-Za-z0-9]{30,}/y })),
  { begin: 'github_pat_', form: /github_pat_\w{22,}/y },
  ...['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glagent-', 'glimt-'].map((begin) => ({
    begin,
    form: /gl[a-z]{2,5}-[\w-]{20,}/y,
  })),
  { begin: 'xox', form: /xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}/y },
  { begin: 'xapp-', form: /xapp-\d-[A-Za-z0-9-]{10,}/y },
  { begin: 'hooks.slack.com', form: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,}/y },
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((begin) => ({
    begin,
    form: /[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/y,
  })),
  { begin: 'whsec_', form: /whsec_[A-Za-z0-9+/=]{20,}/y },
  { begin: 'npm_', form: /npm_[A-Za-z0-9]{36,}/y },
  { begin: 'pypi-', form: /pypi-[\w-]{50,}/y },
  { begin: 'sg.', form: /SG\.[\w-]{16,32}\.[\w-]{16,}/y },
  { begin: 'sk-', form: /sk-(?:(?:proj|svcacct|admin|ant-[a-z0-9]{3,8}|or-v1)-[\w-]{20,}|[A-Za-z0-9]{32,})/y },
  { begin: 'hf_', form: /hf_[A-Za-z0-9]{30,}/y },
  ...['dop_v1_', 'doo_v1_', 'dor_v1_'].map((begin) => ({ begin, form: /do[opr]_v1_[a-f0-9]{64}/y })),
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map((begin) => ({ begin, form: /shp[a-z]{2}_[a-fA-F0-9]{32}/y })),
  ...['hvs.', 'hvb.', 'hvr.'].map((begin) => ({ begin, form: /hv[a-z]\.[\w-]{24,}/y })),
  { begin: 'dapi', form: /dapi[a-f0-9]{32}/y },
  { begin: 'lin_api_', form: /lin_api_[A-Za-z0-9]{32,}/y },
  { begin: 'glsa_', form: /glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}/y },
  { begin: 'nrak-', form: /NRAK-[A-Z0-9]{27}/y },
  { begin: 'dckr_pat_', form: /dckr_pat_[\w-]{20,}/y },
  // Not behind a dash or an underscore: an `idempotency-key-…` ends in a plain hash.
  { begin: 'key-', form: /(?<![-_.])key-[a-f0-9]{32}(?![a-z0-9])/y },
  { begin: 'age-secret-key-', form: /AGE-SECRET-KEY-1[A-Z0-9]{50,}/y },
  { begin: 'eaaa', form: /EAAA[\w-]{56,}/y },
  { begin: 'atatt3', form: /ATATT3[\w=-]{50,}/y },
  { begin: 'eaac', form: /EAAC[A-Za-z0-9]{60,}/y },
  { begin: 'ntn_', form: /ntn_[A-Za-z0-9]{40,}/y },
  { begin: 'secret_', form: /secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/y },
  { begin: 'figd_', form: /figd_[\w-]{36,}/y },
  { begin: 'dp.', form: /dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}/y },
  { begin: 'pul-', form: /pul-[a-f0-9]{40}(?![a-z0-9])/y },
  ...['sntrys_', 'sntryu_'].map((begin) => ({ begin, form: /sntry[su]_[\w+/=-]{40,}/y })),
  { begin: 'pmak-', form: /PMAK-[a-fA-F0-9]{24}-[a-fA-F0-9]{34}/y },
  { begin: 'sbp_', form: /sbp_[a-f0-9]{40}(?![a-z0-9])/y },
  { begin: 'sb_secret_', form: /sb_secret_[\w-]{20,}/y },
  ...['sq0atp-', 'sq0csp-'].map((begin) => ({ begin, form: /sq0(?:atp|csp)-[\w-]{22,}/y })),
  { begin: 'rubygems_', form: /rubygems_[a-f0-9]{48}/y },
  ...['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'].map((begin) => ({
    begin,
    form: /pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}/y,
  })),
  ...['fm1r_', 'fm1a_', 'fm2_'].map((begin) => ({ begin, form: /fm(?:1[ar]|2)_[A-Za-z0-9+/=]{80,}/y })),
  { begin: 'fo1_', form: /fo1_[\w-]{43}/y },
  { begin: 'sl.', form: /sl\.[\w-]{120,}/y },
  { begin: 'pat', form: /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/y },
  { begin: 'tskey-', form: /tskey-[a-z]{3,10}-[A-Za-z0-9]{6,32}-[A-Za-z0-9]{20,}/y },
  { begin: 'xai-', form: /xai-[A-Za-z0-9]{70,}/y },
  { begin: 'gsk_', form: /gsk_[A-Za-z0-9]{48,}/y },
  { begin: 'r8_', form: /r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])/y },
  { begin: 'hrku-', form: /HRKU-(?:AA[\w-]{58}|[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})/y },
  { begin: '1//0', form: /1\/\/0[\w-]{40,}/y },
  ...[...'0123456789abcdef'].map((digit) => ({ begin: `sk${digit}`, form: /SK[a-f0-9]{32}(?![A-Za-z0-9])/y })),
  { begin: 'webhooks/', form: /webhooks\/\d{17,20}\/[\w-]{60,}/y },
  { begin: 'incomingwebhook/', form: /IncomingWebhook\/[a-f0-9]{32}[\w/-]*/y },
  ...[...'0123456789'].map((digit) => ({
    begin: `${digit}q~`,
    form: /[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/y,
    lead: { isOf: (code: number) => isBase64Url(code) || code === 0x2e || code === 0x7e, least: 3, most: 3 },
  })),
  {
    begin: '.atlasv1.',
    form: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/y,
    lead: { isOf: isAlphanumeric, least: 14, most: 14 },
  },
  ...BEGINNINGS.flatMap(([rest, beginnings]) =>
    beginnings.split(' ').map((begin) => ({
      begin: begin.toLowerCase(),
      form: new RegExp(`${begin.replaceAll('.', '\\.')}${rest}`, 'y'),
    })),
  ),
  { begin: 'a3-', form: /A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}(?![A-Z0-9])/y },
  { begin: 'dt0c01.', form: /dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}/y },
  { begin: '.ej', form: /\.eJ[\w-]{10,}\.[\w-]{5,8}\.[\w-]{27}/y },
  ...['eza', 'ezt'].map((begin) => ({ begin, form: /EZ[AT]K[A-Za-z0-9]{54}/y })),
  { begin: '-us', form: /[a-f0-9]{32}-us\d{1,2}(?!\w)/y, lead: { isOf: isAlphanumeric, least: 32, most: 32 } },
  ...DIGITS_IN_BASE64.map((begin) => ({
    begin,
    form: /[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}/y,
    lead: { isOf: isBase64Url, least: 3, most: 3 },
  })),
  { begin: ':aa', form: /\d{8,10}:AA[\w-]{33}(?![\w-])/y, lead: { isOf: isDigit, least: 8, most: 10 } },
];

const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/;
/** How far behind an AWS access key id its secret is looked for. */
const AWS_SECRET_DISTANCE = 200;

/** Finds a token of a form where its beginning stands. Answers where the next may begin. */
export function findToken({ begin, form, lead }: TokenForm, text: string, at: number, found: ReportFinding): number {
  const next = at + begin.length;
  const start = lead === undefined ? at : startOfLead(text, at, lead);
  if (start === undefined || (lead === undefined && isAlphanumeric(text.charCodeAt(at - 1)))) return next;
  const most = searchLimit(text, at);
  const looked = most === text.length ? text : text.slice(0, most);
  form.lastIndex = start;
  const token = form.exec(looked)?.[0];
  if (token === undefined) return next;
  const end = start + token.length === most ? text.length : start + token.length;
  found(start, end, 'cloud_keys');
  if (begin.length === 4 && token.length === 20) {
    const near = AWS_SECRET.exec(text.slice(end, end + AWS_SECRET_DISTANCE));
    if (near !== null) found(end + near.index, end + near.index + 40, 'cloud_keys');
  }
  return end;
}

/** Where a token with a lead begins; undefined where the lead is too short or part of something longer. */
function startOfLead(text: string, at: number, { isOf, least, most }: Lead): number | undefined {
  let start = at;
  while (at - start <= most && isOf(text.charCodeAt(start - 1))) start -= 1;
  return at - start < least || at - start > most ? undefined : start;
}
