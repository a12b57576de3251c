import { createHmac } from 'node:crypto';

const BASE64_PREFIX = 'whsec_';

/** Returns the key of a secret: the base64 after `whsec_` (Standard Webhooks), or the UTF-8 bytes of any other text. */
export function signingKey(secret: string): Buffer {
  return secret.startsWith(BASE64_PREFIX)
    ? Buffer.from(secret.slice(BASE64_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

/** Returns the Standard Webhooks headers of one attempt; without a key the call is not signed. */
export function callHeaders(
  { id, body, key }: { readonly id: string; readonly body: Uint8Array; readonly key: Buffer | undefined },
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (key === undefined) return headers;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}
