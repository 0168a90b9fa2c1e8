import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { type RunningProgram, runBeside, startProgram } from '../support/process/programs.ts';
import { codeOf } from '../support/docs/pages.ts';

interface Shown {
  id: string;
  active: boolean;
  secret: string;
  trigger: string;
  attempts: { statusCode: number }[];
  deliveries: { id: string; trigger: string }[];
  recovered: number;
}

const PAGE = 'docs/webhooks.md';

describe('the webhook commands in docs/webhooks.md', () => {
  let product: Product;
  let port: number;
  let receiver: RunningProgram | undefined;
  const given: Record<string, string> = {};

  before(async () => {
    product = await sharedProduct();
    port = await freePort();
    given.TOKEN = product.token ?? '';
    await product.ask('DELETE', '/mailboxes/hello');
  });
  after(() => receiver?.stop());

  /** The page's code, with the places of this test. */
  const here = (code: string) =>
    code
      .replaceAll('localhost:3000', `127.0.0.1:${product.httpPort}`)
      .replaceAll('localhost:2525', `127.0.0.1:${product.smtpPort}`)
      .replaceAll('4000', String(port));
  const shell = (code: string) =>
    runBeside('sh', ['-euc', here(code)], { env: { ...process.env, ...given } });
  const ask = async (code: string) => JSON.parse(await shell(code)) as Shown;

  // What readers are to fill in comes from `given`; commands are told apart by empty lines and
  // comments.
  const withoutGiven = (code: string) => code.replace(/^TOKEN=mf_.*\n/m, '');
  const send = codeOf(PAGE, 'sh', 'smtp://');
  const [settings = '', ...commands] = withoutGiven(codeOf(PAGE, 'sh', 'rotate-secret'))
    .trim()
    .split(/\n\n#.*\n|\n(?=curl)/);
  const command = (part: string) => {
    const fitting = commands.filter((one) => one.includes(part));
    expect(fitting, part).to.have.length(1);
    return `${settings}\n${fitting.join()}`;
  };
  const output = () => receiver?.output() ?? '';
  const received = (text: string) =>
    eventually(`"${text}" at the receiver`, () => output().includes(text));

  it('show a webhook arrive', async () => {
    await product.ask('POST', '/mailboxes', { name: 'hello' });
    receiver = startProgram('sh', ['-c', here(codeOf(PAGE, 'sh', 'createServer'))]);
    await eventually('the receiver', () => fetch(`http://127.0.0.1:${port}`).catch(() => null));
    const registered = await ask(codeOf(PAGE, 'sh', '"url"'));
    expect(registered.secret).to.match(/^whsec_/);
    given.WEBHOOK = registered.id;
    await shell(send);
    await received('"subject":"First mail"');
    expect(output()).to.match(/^msg_\w+ {"event":"message.received"/m);
  });

  it('send a test event, and show its outcome', async () => {
    expect(await ask(command('/test'))).to.include({ trigger: 'test' });
    await received('"id":"test_');
    const log = await eventually('both deliveries in the log', async () => {
      const { deliveries } = await ask(command('/deliveries?'));
      return deliveries.length === 2 && deliveries;
    });
    expect(log.map(({ trigger }) => trigger)).to.deep.equal(['test', 'event']);
    given.DELIVERY = log[1]!.id;
    const { attempts } = await ask(command('/deliveries/$DELIVERY"'));
    expect(attempts.map(({ statusCode }) => statusCode)).to.deep.equal([204]);
  });

  it('deliver a message again', async () => {
    expect(await ask(command('/redeliver'))).to.include({ trigger: 'manual' });
    await eventually('the message twice', () => {
      const told = output().match(/"subject":"First mail"/g);
      return told?.length === 2;
    });
  });

  it('pause, enable and recover', async () => {
    expect(await ask(command('"active":false'))).to.include({ active: false });
    await shell(send);
    const held = command('/deliveries?').replace('delivered', 'held');
    await eventually('a held delivery', async () => {
      const { deliveries } = await ask(held);
      return deliveries.length === 1;
    });
    expect(await ask(command('"active":true'))).to.include({ active: true });
    expect(await ask(command('/recover'))).to.deep.equal({ recovered: 1 });
  });

  it('replace the secret', async () => {
    const { secret } = await ask(command('/rotate-secret'));
    expect(secret).to.match(/^whsec_/);
  });
});
