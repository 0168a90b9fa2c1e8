import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../../core/webhooks/signature.ts';

const secret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe('webhook signatures', () => {
  it('match the Standard Webhooks check vector', () => {
    const headers = signatureHeaders(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: 1_614_265_330_999,
      body: Buffer.from('{"test": 2432232314}'),
    });
    expect(headers).to.deep.equal({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('verify with both secrets while there are two, newest first, and with no other', () => {
    const [newest, previous] = [secret(), secret()];
    const body = '{"text":"漢字 🐞"}';
    const signed = { id: 'msg_1', at: Date.now(), body: Buffer.from(body) };
    const headers = signatureHeaders([newest, previous], signed);
    for (const known of [newest, previous]) new Webhook(known).verify(body, headers);
    expect(() => new Webhook(secret()).verify(body, headers)).to.throw('No matching signature');
    const alone = signatureHeaders([newest], signed);
    expect(headers['webhook-signature'].split(' ')[0]).to.equal(alone['webhook-signature']);
  });

  it('cover id, time and every byte of the body', () => {
    const known = secret();
    const verifier = new Webhook(known);
    const headers = signatureHeaders([known], {
      id: 'msg_1',
      at: Date.now(),
      body: Buffer.from('{}'),
    });
    const refused = (body: string, change: object) => {
      expect(() => verifier.verify(body, { ...headers, ...change })).to.throw('No matching');
    };
    refused('{} ', {});
    refused('{}', { 'webhook-id': 'msg_2' });
    refused('{}', { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) });
  });
});
