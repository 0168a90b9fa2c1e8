import { expect } from 'chai';
import { parseCidr } from '../../core/ip-policy.js';
import { parseWebhookUrl } from '../../core/webhook-url.js';

describe('webhook URLs', () => {
  const strict = { allowHttp: false, allowedCidrs: [] };
  const local = { allowHttp: true, allowedCidrs: ['127.0.0.0/8', '::1/128'].map(parseCidr) };

  for (const [given, kept] of [
    ['https://hooks.example.com/x?y=1#z', 'https://hooks.example.com/x?y=1'],
    ['HTTPS://Hooks.Example.COM:8443', 'https://hooks.example.com:8443/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://[::ffff:8.8.8.8]/', 'https://[::ffff:808:808]/'],
  ] as const) {
    it(`keeps ${given}`, () => {
      expect(parseWebhookUrl(strict, given)).to.equal(kept);
    });
  }

  for (const bad of [
    '',
    'hooks.example.com',
    '/x',
    'ftp://a.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://hooks.example.com/',
    'https://user@hooks.example.com/',
    'https://hooks.example.com:22/',
    'https://hooks.example.com:6379/',
    'https://localhost/',
    'https://localhost./',
    'https://db.internal/',
    'https://printer.local/',
    'https://intranet/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://017700000001/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://168.63.129.16/',
    'https://100.64.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    `https://hooks.example.com/${'x'.repeat(2048)}`,
  ]) {
    it(`refuses ${bad.slice(0, 60)}`, () => {
      expect(() => parseWebhookUrl(strict, bad))
        .to.throw('"url"')
        .with.property('code', 'invalid_request');
    });
  }

  it('takes local targets in plain HTTP where the operator allows them, and no others', () => {
    for (const good of ['http://localhost:8080/', 'http://127.0.0.1:9999/x', 'https://[::1]/']) {
      expect(parseWebhookUrl(local, good)).to.be.a('string');
    }
    expect(() => parseWebhookUrl(local, 'http://10.0.0.1/')).to.throw('host');
  });
});

describe('networks', () => {
  for (const bad of ['', '10.0.0.0', '10.0.0.0/33', '::/0', '0.0.0.0/0', '10.0.0.0/x', 'a/8']) {
    it(`refuses ${JSON.stringify(bad)}`, () => {
      expect(() => parseCidr(bad)).to.throw('is not a network');
    });
  }
});
