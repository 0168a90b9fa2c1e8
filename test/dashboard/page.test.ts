import { join } from 'node:path';
import { readdir, stat } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { service } from '../support/service.ts';

const BUILT = join(ROOT, 'dist/dashboard/');

describe('dashboard: its files', () => {
  const { api } = service({ once: true });

  it('are served on any view path with a strict Content-Security-Policy', async () => {
    for (const path of ['/', '/sign-in', '/tokens', '/mailboxes/box/messages/msg_1']) {
      const { text, headers } = await api.get(path, null).expect(200);
      expect(text).to.contain('<script type="module"');
      expect(headers['cache-control']).to.equal('no-cache');
      const policy = headers['content-security-policy'] as string;
      expect(policy).to.match(/^default-src 'none';script-src 'self';style-src 'self';/);
      expect(policy).to.contain("frame-ancestors 'none'");
      expect(policy).not.to.match(/unsafe|https?:|\*/);
    }
  });

  it('have a content hash in their names and are cached for one year', async () => {
    const { text } = await api.get('/', null);
    const script = /src="(\/assets\/[^"]+-[\w-]{8}\.js)"/.exec(text)?.[1] ?? '';
    const { headers } = await api.get(script, null).expect(200);
    expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
    await api.get('/assets/nothing.js', null).expect(404);
  });

  it('contain less than 150 kB of uncompressed script', async () => {
    const names = await readdir(`${BUILT}assets`);
    const scripts = names.filter((name) => name.endsWith('.js'));
    expect(scripts).not.to.have.lengthOf(0);
    let bytes = 0;
    for (const name of scripts) bytes += (await stat(`${BUILT}assets/${name}`)).size;
    expect(bytes).to.be.below(150_000);
  });
});
