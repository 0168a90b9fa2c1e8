import { expect } from 'chai';
import { parseCidr } from '../../../core/config/cidr.ts';
import { parseWebhookUrl } from '../../../core/webhooks/url-policy.ts';

describe('webhook URLs', () => {
  const strict = { allowHttp: false, allowedCidrs: [] };
  const local = { allowHttp: true, allowedCidrs: ['127.0.0.0/8', '::1/128'].map(parseCidr) };

  for (const [given, kept] of [
    ['https://hooks.example.com/x?y=1#z', 'https://hooks.example.com/x?y=1'],
    ['HTTPS://Hooks.Example.COM:8443', 'https://hooks.example.com:8443/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://[::ffff:8.8.8.8]/', 'https://[::ffff:808:808]/'],
    ['https://hooks.example.com./x', 'https://hooks.example.com/x'],
    ['https://8.8.8.8./', 'https://8.8.8.8/'],
    ['https://bücher.example/ü?ü', 'https://xn--bcher-kva.example/%C3%BC?%C3%BC'],
    ['\n https://hooks.exa\nmple.com/a\r\nx: y \t', 'https://hooks.example.com/ax:%20y'],
    ['https://hooks.example.com\\@127.0.0.1/', 'https://hooks.example.com/@127.0.0.1/'],
    ['https://hooks.example.com:443/', 'https://hooks.example.com/'],
    ['https://hooks.example.com:80/', 'https://hooks.example.com:80/'],
    ['https://hooks.example.com:1024/', 'https://hooks.example.com:1024/'],
    ['https://hooks.example.com:65535/', 'https://hooks.example.com:65535/'],
  ] as const) {
    it(`accept ${JSON.stringify(given)}`, () => {
      expect(parseWebhookUrl(strict, given)).to.equal(kept);
      expect(parseWebhookUrl(strict, kept)).to.equal(kept);
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
    'https://:secret@hooks.example.com/',
    'https://hooks.example.com@127.0.0.1/',
    'https://hooks.example.com:0/',
    'https://hooks.example.com:22/',
    'https://hooks.example.com:25/',
    'https://hooks.example.com:1023/',
    'https://hooks.example.com:5060/',
    'https://hooks.example.com:6379/',
    'https://hooks.example.com:10080/',
    'https://hooks.example.com:65536/',
    'https://unix:/x',
    'https://unix/var/run/docker.sock:/x',
    'unix:/var/run/docker.sock:/x',
    'https:///',
    'https://./',
    'https://../',
    'https://localhost../',
    'https://hooks..example.com/',
    'https://.example.com/',
    'https://ｌocalhost/',
    'https://a.localhost/',
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
    // Short as given, but too long once escaped.
    `https://hooks.example.com/${'漢'.repeat(300)}`,
  ]) {
    it(`reject ${bad.slice(0, 60)}`, () => {
      expect(() => parseWebhookUrl(strict, bad))
        .to.throw('"url"')
        .with.property('code', 'invalid_request');
    });
  }

  it('can be local targets in plain HTTP only if the operator allows them', () => {
    for (const good of ['http://localhost:8080/', 'http://127.0.0.1:9999/x', 'https://[::1]/']) {
      expect(parseWebhookUrl(local, good)).to.be.a('string');
    }
    expect(() => parseWebhookUrl(local, 'http://10.0.0.1/')).to.throw('host');
  });

  it('treat plain HTTP and local targets separately', () => {
    const loopback = local.allowedCidrs;
    for (const [allowHttp, allowedCidrs, url, refusal] of [
      [false, [], 'http://hooks.example.com/', 'must be an https URL'],
      [false, [], 'https://127.0.0.1/', 'host'],
      [true, [], 'http://hooks.example.com/', null],
      [true, [], 'http://127.0.0.1/', 'host'],
      [true, [], 'http://localhost/', 'host'],
      [false, loopback, 'https://127.0.0.1/', null],
      [false, loopback, 'https://localhost/', null],
      [false, loopback, 'http://127.0.0.1/', 'must be an https URL'],
      [true, loopback, 'http://127.0.0.1/', null],
    ] as const) {
      const parse = () => parseWebhookUrl({ allowHttp, allowedCidrs: [...allowedCidrs] }, url);
      if (refusal) expect(parse, url).to.throw(refusal);
      else expect(parse(), url).to.equal(url);
    }
  });
});
