import { redacted } from './redacting.js';

const RANDOM = 'q8ZpLw3XvT7kRb2NcYd5HfJm9SgAe4Uu';
const urlSafe = (text: string): string => Buffer.from(text).toString('base64url');
const encoded = (value: unknown): string => urlSafe(JSON.stringify(value));

/** Tokens by kind, not by vendor. */
const TOKENS: Readonly<Record<string, string>> = {
  'JSON with a key': encoded({ k: RANDOM, n: 'ci', id: 1 }),
  'JSON whose key is last': encoded({ id: 1, n: 'ci', k: RANDOM }),
  'JSON in lines': urlSafe(JSON.stringify({ k: RANDOM, n: 'ci' }, null, 2)),
  'JSON with tabs': urlSafe(JSON.stringify({ k: RANDOM }, null, '\t')),
  'JSON with CRLF': urlSafe(`{\r\n "k": "${RANDOM}"\r\n}`),
  'JSON in the other alphabet': Buffer.from(JSON.stringify({ n: 'a?>~?>~??', k: RANDOM })).toString('base64'),
  'a list of JSON objects': encoded([{ k: RANDOM }]),
  'JSON with a signature': encoded({ user: 1, signature: RANDOM.slice(0, 10) }),
  'JSON with a key in an object': encoded({ owner: { access_key: RANDOM } }),
  'JSON with a random text': encoded({ t: RANDOM, region: 'eu' }),
  'a signed token': `${encoded({ alg: 'HS256' })}.${encoded({ sub: '1' })}.${RANDOM}`,
  'an encrypted token': `${encoded({ alg: 'dir', enc: 'A256GCM' })}..${RANDOM}.${RANDOM}.${RANDOM}`.replace(
    '..',
    `.${RANDOM}.`,
  ),
  'a key of digits, a time and a signature': 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs',
  'a longer key and signature': `MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.GaBcDe.${RANDOM}q8ZpLw`,
  'three random parts': `${RANDOM}.X-hvzA.${RANDOM.slice(5)}`,
  'a key that is another number': 'OTI1MjQ4MTk4NjIyNDgzNDcx.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs',
};

const PLACES: Readonly<Record<string, (token: string) => string>> = {
  'in a sentence': (token) => `login with ${token} failed`,
  'at the end of a sentence': (token) => `The token is ${token}.`,
  'in quotes': (token) => `used '${token}' twice`,
  'in brackets': (token) => `bot (${token})`,
  'in a header': (token) => `X-Api: ${token}`,
  'in a path': (token) => `GET https://shop.test/hook/${token}/run`,
  'in a query': (token) => `GET /hook?x=${token}&y=1`,
  'as a file name': (token) => `/tmp/${token}.txt`,
  'in JSON': (token) => JSON.stringify({ body: token, lines: `first\n${token}\nlast` }),
  'in JSON in JSON': (token) => JSON.stringify({ body: JSON.stringify({ lines: `first\n${token}` }) }),
  'percent-encoded': (token) => `x%20${token}%20y`,
  'after another name': (token) => `bot_${token}`,
};

/** Texts that have parts between dots, or base64, and are no secrets. */
const HARMLESS: readonly string[] = [
  'version 1.2.3, 10.11.12-beta.20261121.4 and v2.0.0-rc.1+build.5114f85',
  'api-gateway-production.eu-central-1.internal-services.example-company.com',
  'ec2-52-14-101-33.us-east-2.compute.amazonaws.com answered d111111abcdef8.cloudfront.net',
  'at org.springframework.boot.autoconfigure.SpringBootApplication2.runApplicationWithArguments(App.java:12)',
  'at com.acme.Http2ClientIntegrationTest.handlesResponse404FromTheServer.secondCaseWithBody(Http2.java:9)',
  'HttpServerConnectionHandler2.onMessageReceived.handleUpgradeRequestFromClient1',
  'WebSocketTransportV13.readNextFrame.UnmaskedFrameException2FromServer',
  'at t.a.prototype.aB1 (main.3f2a9b8c7d6e5f4a.chunk.js:1:20)',
  'vendors~main.1a2b3c4d5e6f7a8b9c0d.bundle.min.js',
  'trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7 of 5114f85b0b4b8a0f1b9f2b3c4d5e6f7a8b9c0d1e',
  '3F2504E0-4F89-41D3-9A0C-0305E82C3301.6ba7b810-9dad-11d1-80b4-00c04fd430c8.tmp',
  '5114f85b0b4b8a0f1b9f2b3c4d5e6f7a8b9c0d1e.5114f85b0b4b.5114f85b0b4b8a0f1b9f2b3c4d5e6f7a8b9c0d1e',
  '_ZN4core3ptr85drop_in_place17h0123456789abcdefE.llvm.12345678901234567890',
  'checkout-7d9f8b6c5d-x2x4z.production-eu1.svc.cluster-number-two.local',
  'IMG_20261121_101500.edited.FinalVersionForThePrinter.jpeg',
  'tests/test_http2_client.py::TestHttp2Client::test_reads_frames[Frame2.with_padding.AndContinuation2]',
  'keyJson.parseObjectFromString.thatIsLongerThanTwentyCharacters',
  'monkeyJob.runAllTasks.untilNothingIsLeftToDo2',
  `next page ${encoded({ after: '01HF3ZJ9V8W2Q6R4T5Y7X9B1C3', limit: 50, at: '2026-11-21T10:00:00Z' })}`,
  `cursor=${encoded({ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', createdAt: 1_700_000_000 })}.`,
  `source map ${encoded({ version: 3, sources: ['src/cart.ts'], names: [], mappings: 'AAAA' })}`,
];

describe('tokens of any vendor', () => {
  it.each(Object.entries(TOKENS))('that are %s are masked wherever they are written', async (_, token) => {
    const leaked: string[] = [];
    for (const [place, write] of Object.entries(PLACES)) {
      const { message, extra } = await redacted({ message: write(token), extra: { value: token, text: write(token) } });
      if (`${message} ${JSON.stringify(extra)}`.includes(token)) leaked.push(`${place}: ${message}`);
    }
    expect(leaked).toEqual([]);
  });

  it('leave the JSON around them whole', async () => {
    for (const token of Object.values(TOKENS)) {
      const { message } = await redacted({ message: JSON.stringify({ lines: `first\n${token}\nlast` }) });
      expect(JSON.parse(message)).toEqual({ lines: expect.stringMatching(/^first\n\*{4}=*\nlast$/) });
    }
  });
});

describe('texts that are no tokens', () => {
  it.each(HARMLESS)('stay: %s', async (message) => {
    expect((await redacted({ message })).message).toBe(message);
  });
});
