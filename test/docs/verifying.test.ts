import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { rotateSecret } from '../../core/webhooks/webhooks.ts';
import { deliverWebhook } from '../../jobs/deliver-webhook.ts';
import { attachmentMail } from '../support/mail/attachment-mail.ts';
import { isThere, run } from '../support/process/programs.ts';
import { codeOf, page } from '../support/docs/pages.ts';
import { type Service, service } from '../support/service.ts';
import { type Received, openReceiver } from '../support/servers/receiver.ts';
import { CHECK_VECTOR, type SignedRequest, variantsOf } from '../support/docs/signed-requests.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { QUICK_WEBHOOKS, openWebhookBench } from '../support/context/webhooks.ts';
import { whileWorking } from '../support/context/workers.ts';

/** Judges each request that standard input tells of. */
const judgeInNode = (verdict: string) => `
let text = '';
for await (const part of process.stdin) text += part;
const judge = (secret, headers, body) => { ${verdict} };
const verdicts = JSON.parse(text).map(({ secret, headers, body, now }) => {
  Date.now = () => now * 1000;
  return judge(secret, headers, Buffer.from(body, 'base64'));
});
console.log(JSON.stringify(verdicts));
`;
const JUDGE_IN_PYTHON = `
import json, sys
print(json.dumps([
    is_genuine(one["secret"], one["headers"], base64.b64decode(one["body"]), one["now"])
    for one in json.load(sys.stdin)
]))
`;

const PAGE = 'docs/webhooks.md';

describe('the samples in docs/webhooks.md that verify', () => {
  const test = service({ env: QUICK_WEBHOOKS, once: true });
  let folder: TempDir;
  let delivery: Received;
  let requests: SignedRequest[];
  /** For programs that start once for each request. */
  let few: SignedRequest[];

  before(async () => {
    folder = await makeTempDir();
    const { first, second, oldSecret, newSecret } = await realDeliveries(test);
    delivery = first;
    const vector = variantsOf('the check vector', CHECK_VECTOR);
    const rotated = 'a delivery under two secrets, by the';
    const byOld = variantsOf(`${rotated} old`, { ...second, secret: oldSecret });
    requests = [
      ...vector,
      ...variantsOf('the example', { ...shownRequest(), secret: CHECK_VECTOR.secret }),
      ...variantsOf('a delivery', { ...first, secret: oldSecret }),
      ...byOld,
      ...variantsOf(`${rotated} new`, { ...second, secret: newSecret }),
    ];
    few = [...vector, ...byOld];
  });
  after(() => folder.remove());

  const expectRight = (program: string, args: string[]) => {
    const input = requests.map((one) => ({ ...one, body: one.body.toString('base64') }));
    const output = run(program, args, { input: JSON.stringify(input) });
    const verdicts = JSON.parse(output) as boolean[];
    expect(verdicts.map((verdict, n) => [requests[n]?.what, verdict])).to.deep.equal(
      requests.map(({ what, verdict }) => [what, verdict === 'genuine']),
    );
  };
  const expectRightInNode = (code: string) => {
    expectRight(process.execPath, ['--input-type=module', '-e', code]);
  };

  it('are right in Node', () => {
    const judge = judgeInNode('return isGenuine(secret, headers, body)');
    expectRightInNode(codeOf(PAGE, 'js', 'timingSafeEqual') + judge);
  });

  it('are right in Node with standardwebhooks', () => {
    const judge = judgeInNode(
      'try { return payloadOf(secret, headers, body) !== undefined } catch { return false }',
    );
    expectRightInNode(codeOf(PAGE, 'js', "from 'standardwebhooks'") + judge);
  });

  it('are right in Python', function () {
    if (!isThere('python3')) this.skip();
    expectRight('python3', ['-c', codeOf(PAGE, 'python', 'is_genuine') + JUDGE_IN_PYTHON]);
  });

  it('are right in a shell, which does not look at the time', function () {
    if (!isThere('openssl')) this.skip();
    for (const { what, secret, headers, body, verdict } of few) {
      writeFileSync(join(folder.path, 'body.json'), body);
      const env = {
        PATH: process.env.PATH,
        SECRET: secret,
        ID: headers['webhook-id'],
        TIMESTAMP: headers['webhook-timestamp'],
        SIGNATURES: headers['webhook-signature'] ?? '',
      };
      const told = run('sh', ['-euc', codeOf(PAGE, 'sh', 'openssl dgst')], {
        cwd: folder.path,
        env,
      });
      expect(told, what).to.equal(verdict === 'forged' ? 'not genuine\n' : 'genuine\n');
    }
  });

  it('stand beside the check vector', () => {
    const { secret, headers, body } = CHECK_VECTOR;
    for (const value of [secret, ...Object.values(headers), body.toString()]) {
      expect(page(PAGE).text).to.include(`| \`${value}\` `);
    }
  });

  it('stand below a request of the shape of a real one', () => {
    const shown = shownRequest();
    expect(delivery.headers).to.include.keys(...Object.keys(shown.headers));
    for (const name of ['content-type', 'user-agent']) {
      expect(delivery.headers[name]).to.equal(shown.headers[name]);
    }
    expect(shapeOf(delivery)).to.deep.equal(shapeOf(shown));
  });
});

/** A delivery with an attachment that has a URL, and one while its secret is being replaced. */
async function realDeliveries(test: Service) {
  const receiver = await openReceiver();
  try {
    const { context, caller } = test;
    const { webhook, mail } = await openWebhookBench(test, receiver.url);
    let newSecret = '';
    await whileWorking(test, [deliverWebhook], async () => {
      await mail(
        attachmentMail(
          [{ bytes: Buffer.alloc(1_100_000) }],
          '=?utf-8?Q?Gr=C3=B6=C3=9Fe_=F0=9F=90=9E?=',
        ),
      );
      await receiver.request(1);
      newSecret = (await rotateSecret(context, caller, 'box', webhook.id)).secret;
      await mail();
      await receiver.request(2);
    });
    const [first, second] = receiver.received as [Received, Received];
    return { first, second, oldSecret: webhook.secret, newSecret };
  } finally {
    await receiver.close();
  }
}

/** The request that the page shows, its body in one line as it says. */
function shownRequest(): Pick<Received, 'headers' | 'body'> {
  const lines = codeOf(PAGE, 'http', 'webhook-signature').trim().split('\n').slice(1);
  const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
  const payload: unknown = JSON.parse(codeOf(PAGE, 'json', 'message.received'));
  return { headers: Object.fromEntries(headers), body: Buffer.from(JSON.stringify(payload)) };
}

/** The payload with nothing left of its values but their types. */
function shapeOf({ body }: Pick<Received, 'body'>): unknown {
  return JSON.parse(body.toString(), (_key, value: unknown) =>
    typeof value === 'object' ? value : typeof value,
  );
}
