import { isAlphanumeric } from './characters.js';
import type { Found } from './finding.js';

/** A published form of a token: how it begins, in lower case for the first look, and the whole of it. */
interface TokenForm {
  readonly begin: string;
  readonly form: RegExp;
}

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
  { begin: 'key-', form: /key-[a-f0-9]{32}/y },
  { begin: 'age-secret-key-', form: /AGE-SECRET-KEY-1[A-Z0-9]{50,}/y },
  { begin: 'eaaa', form: /EAAA[\w-]{56,}/y },
  { begin: 'atatt3', form: /ATATT3[\w=-]{50,}/y },
];

const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/;
/** How far behind an AWS access key id its secret is looked for. */
const AWS_SECRET_DISTANCE = 200;

/** Finds a token of a form where its beginning stands. Answers where the next may begin. */
export function findToken({ begin, form }: TokenForm, text: string, at: number, found: Found): number {
  const next = at + begin.length;
  if (isAlphanumeric(text.charCodeAt(at - 1))) return next;
  form.lastIndex = at;
  const token = form.exec(text)?.[0];
  if (token === undefined) return next;
  const end = at + token.length;
  found(at, end, 'cloud_keys');
  if (begin.length === 4 && token.length === 20) {
    const near = AWS_SECRET.exec(text.slice(end, end + AWS_SECRET_DISTANCE));
    if (near !== null) found(end + near.index, end + near.index + 40, 'cloud_keys');
  }
  return end;
}
