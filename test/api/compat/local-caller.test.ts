import { expect } from 'chai';
import { insertToken } from '../../../db/statements/tokens.ts';
import { type NewToken, mintToken } from '../../../core/auth/tokens.ts';
import { type Header, rawClient } from '../../support/clients/raw-http.ts';
import { openProxy, proxies } from '../../support/servers/proxies.ts';
import { service } from '../../support/service.ts';

const LIST = '/compat/mailpit/api/v1/messages';
const PRIVATE = { BIND_HOST: '127.0.0.1', MAIL_DOMAIN: 'one.test' };

describe('requests without credentials', () => {
  const test = service({ env: PRIVATE, mailboxes: ['inbox'] });

  /** The status of a request with these header fields, for the service or a proxy before it. */
  const statusAt = async (url: string, headers: Header[], method = 'GET') => {
    const client = rawClient(Number(new URL(url).port), null);
    try {
      const request = { method, path: LIST, headers, body: null, encoding: 'utf8' as const };
      return (await client.send(request)).status;
    } finally {
      client.close();
    }
  };
  const status = async (headers: Record<string, string>, method?: string) => {
    const { url } = await test.listen();
    return statusAt(url, Object.entries({ Host: new URL(url).host, ...headers }), method);
  };
  const open = (env: Record<string, string>) => test.reopen({ ...PRIVATE, ...env });

  it('read and delete in the mailbox that catches mail', async () => {
    const url = `${(await test.listen()).url}${LIST}`;
    await test.receive('inbox', { subject: 'caught' });
    expect(await (await fetch(url)).text()).to.contain('caught');
    expect((await fetch(url, { method: 'DELETE' })).status).to.equal(200);
    expect(await test.messages('inbox')).to.deep.equal([]);
  });

  it('are for a loopback host only', async () => {
    const own = ['localhost:3000', 'LOCALHOST', '127.0.0.1', '127.8.0.9:1', '[::1]:3000', '[::1]'];
    for (const Host of own) expect(await status({ Host }), Host).to.equal(200);
    const others = ['evil.example', 'localhost.evil.example:3000', '127.0.0.1.evil.example', ''];
    const odd = [
      'localhost.',
      '0.0.0.0:3000',
      '[::]',
      'evil@localhost',
      'localhost/x',
      'localhost?x',
    ];
    for (const Host of [...others, ...odd]) expect(await status({ Host }), Host).to.equal(401);
  });

  it('are not from a page of another origin', async () => {
    const Host = '127.0.0.1:3000';
    const foreign = [
      ...[
        'https://evil.example',
        'null',
        '',
        'http://127.0.0.1:3001',
        'capacitor://127.0.0.1:3000',
      ],
      ...['http://127.0.0.1:3000.evil.example', 'http://127.0.0.1:3000, http://evil.example'],
    ];
    for (const Origin of foreign) {
      const asked = { Host, Origin };
      expect(await status(asked), Origin).to.equal(401);
      expect(await status({ ...asked, 'Sec-Fetch-Site': 'same-origin' }), Origin).to.equal(401);
      expect(await status(asked, 'DELETE'), Origin).to.equal(403);
    }
    for (const site of ['cross-site', 'same-site', 'same-origin, cross-site', '']) {
      expect(await status({ Host, 'Sec-Fetch-Site': site }), site).to.equal(401);
    }
    const own = { Host, Origin: `http://${Host}` };
    expect(await status(own)).to.equal(200);
    expect(await status(own, 'DELETE')).to.equal(200);
    expect(await status({ Host, 'Sec-Fetch-Site': 'none' })).to.equal(200);
    expect(await status({ Host, 'Sec-Fetch-Site': 'none' }, 'DELETE')).to.equal(403);
  });

  it('take one Origin only', async () => {
    const { url } = await test.listen();
    const { host } = new URL(url);
    const own: Header = ['Origin', url];
    const other: Header = ['Origin', 'https://evil.example'];
    for (const origins of [
      [own, other],
      [other, own],
    ]) {
      expect(await statusAt(url, [['Host', host], ...origins])).to.equal(401);
    }
    expect(await statusAt(url, [['Host', host], own])).to.equal(200);
  });

  it('are not passed on by a proxy that says so', async () => {
    for (const name of [
      ...['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'Via'],
      ...['X-Real-IP', 'X-Forwarded-Port', 'X-Forwarded-Prefix', 'x-forwarded-anything'],
    ]) {
      for (const value of ['', '127.0.0.1'])
        expect(await status({ [name]: value }), name).to.equal(401);
    }
    await open({ TRUST_PROXY: '1' });
    const rebound = { Host: 'evil.example', 'X-Forwarded-Host': 'localhost' };
    expect(await status(rebound)).to.equal(401);
  });

  it('are for an instance without a public URL', async () => {
    const urls = ['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:3000'];
    for (const PUBLIC_URL of urls) {
      await open({ PUBLIC_URL });
      expect(await status({}), PUBLIC_URL).to.equal(200);
    }
    for (const PUBLIC_URL of ['https://mail.example', 'http://10.0.0.1:3000']) {
      await open({ PUBLIC_URL });
      expect(await status({}), PUBLIC_URL).to.equal(401);
    }
  });

  it('can be switched off', async () => {
    await open({ COMPAT_WITHOUT_CREDENTIALS: 'false' });
    expect(await status({})).to.equal(401);
    const basic = Buffer.from(`inbox:${test.workspace.token}`).toString('base64');
    expect(await status({ Authorization: `Basic ${basic}` })).to.equal(200);
  });

  it('find the token of the workspace behind 500 narrow ones, and end with it', async () => {
    const { store } = test.context;
    for (let n = 0; n < 500; n++) {
      const wanted: NewToken = { name: 'narrow', role: 'admin', mailboxes: ['inbox'] };
      const { row } = mintToken(test.context, test.caller.workspace.id, wanted);
      await store.query(insertToken, row);
    }
    expect(await status({}, 'DELETE')).to.equal(200);
    await test.token('reader');
    expect(await status({}, 'DELETE'), 'the reader is newer').to.equal(200);
    const { id } = test.caller.token;
    await test.api.delete(`/api/tokens/${id}`).expect(204);
    expect(await status({}), 'the reader').to.equal(200);
    expect(await status({}, 'DELETE')).to.equal(403);
  });

  describe('through nginx', () => {
    const through = async (more: string, headers: Header[]) => {
      const { url } = await test.listen();
      const proxy = await openProxy(proxies.nginx, new URL(url).host, more);
      try {
        return await statusAt(proxy.origin, headers);
      } finally {
        await proxy.close();
      }
    };
    const host: Header = ['Host', 'mail.example'];

    it('are refused if it passes on who asks', async () => {
      for (const more of [
        'proxy_set_header Host $host;',
        'proxy_set_header X-Forwarded-For $remote_addr;',
        'proxy_set_header X-Real-IP $remote_addr;',
        'proxy_set_header Via "1.1 nginx";',
        'proxy_set_header Forwarded "for=$remote_addr";',
      ]) {
        expect(await through(more, [host]), more).to.equal(401);
      }
    });

    it('are refused of clients that name its host if it passes the host on', async () => {
      const more = 'proxy_set_header Host $host;';
      expect(await through(more, [host])).to.equal(401);
      expect(await through(more, [['Host', 'localhost']]), 'as documented').to.equal(200);
    });

    it('are refused of pages of its host, and if the public URL is known', async () => {
      expect(await through('', [host, ['Origin', 'http://mail.example']])).to.equal(401);
      expect(await through('', [host, ['Sec-Fetch-Site', 'cross-site']])).to.equal(401);
      expect(await through('', [host]), 'as the documentation says').to.equal(200);
      await open({ PUBLIC_URL: 'https://mail.example' });
      expect(await through('', [host])).to.equal(401);
    });
  });
});
