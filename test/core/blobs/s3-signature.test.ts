/**
 * What the S3 of the tests refuses. Its check of signatures is held against the examples of the
 * specification and against the requests of the SDK, as they arrive, with one change each.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { contentOf } from '../../support/servers/s3-body.ts';
import {
  type S3Account,
  S3Refusal,
  type SignedRequest,
  checkSignature,
} from '../../support/servers/s3-signature.ts';

const ACCOUNT = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const MAY_24 = Date.UTC(2013, 4, 24);
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

async function codeOf(ask: () => unknown): Promise<string> {
  try {
    await ask();
    return 'accepted';
  } catch (error) {
    if (error instanceof S3Refusal) return `${error.status} ${error.code}`;
    throw error;
  }
}

describe('S3 of the tests', () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  describe('accepts the examples of the specification', () => {
    const example = (
      method: string,
      target: string,
      signature: string,
      more: Record<string, string> = {},
    ): SignedRequest => {
      const headers = {
        host: 'examplebucket.s3.amazonaws.com',
        'x-amz-content-sha256': EMPTY,
        'x-amz-date': '20130524T000000Z',
        ...more,
      };
      const names = Object.keys(headers).sort().join(';');
      const credential = `${ACCOUNT.accessKeyId}/20130524/us-east-1/s3/aws4_request`;
      const authorization = `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${names},Signature=${signature}`;
      return { method, target, headers: { ...headers, authorization } };
    };
    const examples = [
      example(
        'GET',
        '/test.txt',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
        { range: 'bytes=0-9' },
      ),
      example(
        'GET',
        '/?max-keys=2&prefix=J',
        '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      ),
      {
        method: 'GET',
        target:
          '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
          '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
          '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
          '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
        headers: { host: 'examplebucket.s3.amazonaws.com' },
      },
    ];
    for (const request of examples) {
      it(`${request.method} ${request.target.slice(0, 40)}`, async () => {
        const under = (account: S3Account) =>
          codeOf(() => checkSignature(request, account, MAY_24));
        expect(await under(ACCOUNT)).to.equal('accepted');
        expect(await under({ ...ACCOUNT, secretAccessKey: 'other' })).to.equal(
          '403 SignatureDoesNotMatch',
        );
      });
    }
  });

  describe('reads the requests of the SDK', () => {
    type Received = SignedRequest & { body: Buffer };

    /** What a request of the SDK is when it arrives. */
    const received = async (
      send: (client: S3Client) => Promise<unknown>,
      more: S3ClientConfig = {},
    ): Promise<Received> => {
      const arrived: Received[] = [];
      const server = createServer((req, res) => {
        const { method = '', url: target = '', headers } = req;
        void buffer(req).then((body) => {
          arrived.push({ method, target, headers, body });
          res.end();
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : null;
      const client = new S3Client({
        credentials: ACCOUNT,
        region: ACCOUNT.region,
        endpoint: `http://127.0.0.1:${port}`,
        forcePathStyle: true,
        systemClockOffset: MAY_24 - Date.now(),
        expectContinueHeader: false,
        ...more,
      });
      try {
        await send(client);
      } finally {
        client.destroy();
        server.close();
      }
      return arrived[0]!;
    };
    const odd = 'a b/ü+~!\'()*&=$@:,;"€.txt';
    const put = (Body: Buffer | Readable) => (client: S3Client) =>
      client.send(
        new PutObjectCommand({
          Bucket: 'b',
          Key: odd,
          Body,
          ContentType: 'text/plain;  charset=utf-8',
          Metadata: { note: ' two  spaces ' },
          ...(Body instanceof Readable ? { ContentLength: 5 } : {}),
        }),
      );
    const list = (client: S3Client) =>
      client.send(
        new ListObjectsV2Command({ Bucket: 'b', Prefix: odd, ContinuationToken: 'x+/=' }),
      );
    const link = async (client: S3Client) => {
      const url = await getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket: 'b',
          Key: odd,
          ResponseContentDisposition: `attachment; filename*=UTF-8''%E2%82%AC; filename="€"`,
        }),
        { expiresIn: 60, signingDate: new Date(MAY_24) },
      );
      await fetch(url);
    };

    for (const [name, send, more] of [
      ['an upload', put(Buffer.from('hello')), { requestChecksumCalculation: 'WHEN_REQUIRED' }],
      ['an upload with a checksum', put(Buffer.from('hello')), {}],
      ['an upload of a stream, with a checksum as trailer', put(Readable.from(['hello'])), {}],
      ['a list', list, {}],
      ['a link', link, {}],
    ] satisfies [string, (client: S3Client) => Promise<unknown>, S3ClientConfig][]) {
      it(name, async () => {
        const request = await received(send, more);
        const isLink = request.target.includes('X-Amz-Signature');
        const asking =
          (change: Partial<SignedRequest> = {}, account: S3Account = ACCOUNT, late = 0) =>
          () =>
            checkSignature({ ...request, ...change }, account, MAY_24 + late);
        const { headers, target } = request;
        expect(await codeOf(asking())).to.equal('accepted');
        const wrong = '403 SignatureDoesNotMatch';
        const skewed = isLink ? '403 AccessDenied' : '403 RequestTimeTooSkewed';
        const dated = isLink
          ? { target: target.replace('T0000', 'T0001') }
          : { headers: { ...headers, 'x-amz-date': '20130524T000100Z' } };
        const faults: [string, () => unknown, string][] = [
          ['secret', asking({}, { ...ACCOUNT, secretAccessKey: 'other' }), wrong],
          ['key', asking({}, { ...ACCOUNT, accessKeyId: 'other' }), '403 InvalidAccessKeyId'],
          [
            'region',
            asking({}, { ...ACCOUNT, region: 'eu-west-1' }),
            '400 AuthorizationHeaderMalformed',
          ],
          ['method', asking({ method: 'DELETE' }), wrong],
          ['path', asking({ target: target.replace('/b', '/c') }), wrong],
          ['query', asking({ target: `${target}${target.includes('?') ? '&' : '?'}a=b` }), wrong],
          ['host', asking({ headers: { ...headers, host: 'other' } }), wrong],
          ['date', asking(dated), wrong],
          [
            'added header',
            asking({ headers: { ...headers, 'x-amz-acl': 'public-read' } }),
            '403 AccessDenied',
          ],
          ['time', asking({}, ACCOUNT, 16 * 60_000), skewed],
          ['early', asking({}, ACCOUNT, -16 * 60_000), skewed],
        ];
        if (isLink) {
          const longer = asking({ target: target.replace('Expires=60', 'Expires=6000') });
          faults.push(['seconds', longer, wrong]);
        } else {
          const header = asking({ headers: { ...headers, 'x-amz-content-sha256': 'other' } });
          const unsigned = asking({ headers: { host: headers.host } });
          faults.push(['header', header, wrong], ['none', unsigned, '403 AccessDenied']);
        }
        for (const [fault, ask, code] of faults) expect(await codeOf(ask), fault).to.equal(code);
      });
    }

    for (const [name, body, more] of [
      ['signed', Buffer.from('hello'), {}],
      ['with a trailer', Readable.from(['hel', 'lo']), {}],
    ] satisfies [string, Buffer | Readable, S3ClientConfig][]) {
      it(`and their content, ${name}`, async () => {
        const request = await received(put(body), more);
        const payload = checkSignature(request, ACCOUNT, MAY_24);
        const content = (sent: Buffer) =>
          buffer(
            contentOf(Readable.from([sent]) as AsyncIterable<Buffer>, request.headers, payload),
          );
        expect(String(await content(request.body))).to.equal('hello');
        const changed = Buffer.from(request.body.toString('latin1').replace('h', 'j'), 'latin1');
        expect(await codeOf(() => content(changed))).to.match(/^400 (BadDigest|XAmz)/);
        const cut = request.body.subarray(0, -4);
        expect(await codeOf(() => content(cut))).to.match(/^400 (IncompleteBody|XAmz)/);
      });
    }
  });
});
