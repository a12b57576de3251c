/** The address of a collector that receives events, and the token for it. */
export interface IngestAddress {
  /** Without a slash at the end; undefined if neither `--url` nor `FAULTLINE_URL` names one. */
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** Characters of an RFC 9110 header value, without spaces. */
const TOKEN = /^[!-~]{1,4096}$/;

/** The address of `--url` or `FAULTLINE_URL` with the token of `FAULTLINE_INGEST_TOKEN`, or a sentence if one of them is invalid. */
export function ingestAddress(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): IngestAddress | string {
  const url = named ?? (env['FAULTLINE_URL'] || undefined);
  if (url !== undefined && (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))) {
    return 'the URL of the collector must look like http://localhost:4318 (--url or FAULTLINE_URL)';
  }
  const token = env['FAULTLINE_INGEST_TOKEN']?.trim() || undefined;
  if (token !== undefined && !TOKEN.test(token)) {
    return 'FAULTLINE_INGEST_TOKEN must be one line of visible characters without spaces';
  }
  return { url: url?.replace(/\/{1,8}$/, ''), token };
}
