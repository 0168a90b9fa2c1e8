import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { callCommand, runCommand } from '../support/process/command.ts';
import { selfSign } from '../support/servers/certificates.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';

const RAW = ['read', '-m', 'hello', 'msg_1', '--raw'];

describe('the connection of the command mayfly', () => {
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());

  const mayfly = (...args: string[]) =>
    callCommand(args, { MAYFLY_URL: new URL(receiver.url).origin, MAYFLY_TOKEN: 'mf_x' });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`refuses a redirect with ${status}, of a download and of a mail`, async () => {
      const location = 'https://mail.test/api/mailboxes/hello/messages';
      receiver.answer((_req, res) => res.writeHead(status, { location }).end('Moved'));
      for (const args of [RAW, ['send', '-m', 'hello', '--to', 'a@b.test', '--subject', 's']]) {
        const { code, stdout, stderr } = await mayfly(...args);
        expect({ code, stdout }).to.deep.equal({ code: 4, stdout: '' });
        expect(stderr).to.include(`redirects to ${location} (status ${status}). `);
        expect(stderr).to.include('Set MAYFLY_URL to https://mail.test.');
      }
      expect(receiver.received).to.have.length(2);
    });
  }

  it('uses no proxy for this machine', async () => {
    receiver.answer((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"mark":"MS4"}');
    });
    const proxied = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
    const env = { MAYFLY_URL: new URL(receiver.url).origin, MAYFLY_TOKEN: 'mf_x', ...proxied };
    const { code, stdout } = await runCommand(['mark', '-m', 'hello'], env);
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: 'MS4\n' });
  });

  it('reports a body that breaks off', async () => {
    receiver.answer((_req, res) => {
      res.writeHead(200, { 'content-length': '100' }).write('Subject', () => res.destroy());
    });
    const { code, stdout, stderr } = await mayfly(...RAW);
    expect({ code, stdout }).to.deep.equal({ code: 4, stdout: '' });
    expect(stderr).to.include('cannot be reached: the response broke off (unavailable)');
  });

  it('reports what is not HTTP as the client needs it', async () => {
    receiver.answer((_req, res) => {
      if (receiver.received.length % 2 === 0) res.writeHead(999).end('Unknown');
      else res.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end();
    });
    const { code, stdout, stderr } = await mayfly('mark', '-m', 'hello');
    expect({ code, stdout }).to.deep.equal({ code: 4, stdout: '' });
    expect(stderr).to.include('"status"');
    expect(receiver.received).to.have.length(6);
  });

  it('ends a wait with 4, and not with 1, if the service does not answer', async () => {
    receiver.answer(() => undefined);
    const mailbox = ['-m', 'hello', '--timeout', '0', '--json'];
    const waits = ['wait', 'code', 'link', 'claim'].map((name) => mayfly(name, ...mailbox));
    for (const { code, stdout, stderr } of await Promise.all(waits)) {
      expect({ code, stdout }).to.deep.equal({ code: 4, stdout: '' });
      const { error } = JSON.parse(stderr) as { error: string };
      // A busy machine asks later than the wait begins.
      expect(error).to.match(
        /Mayfly has not answered the last request: no response within 1[0-5][.\d]* s/,
      );
    }
  });

  it('uses HTTPS, and rejects a certificate that is not trusted', async () => {
    const dir = await makeTempDir();
    const { TLS_CERT_FILE: certificate, TLS_KEY_FILE: key } = selfSign(dir.path, 'localhost');
    const tls = { cert: readFileSync(certificate), key: readFileSync(key) };
    const server = createServer(tls, (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"mark":"MS4"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const args = ['mark', '-m', 'hello'];
    const env = { MAYFLY_URL: `https://localhost:${port}`, MAYFLY_TOKEN: 'mf_x' };
    const trusted = await runCommand(args, { ...env, NODE_EXTRA_CA_CERTS: certificate });
    const unknown = await callCommand(args, env);
    server.close();
    await dir.remove();
    expect(trusted).to.deep.equal({ code: 0, stdout: 'MS4\n', stderr: '' });
    expect(unknown.code).to.equal(4);
    expect(unknown.stderr).to.include('self-signed certificate');
  });
});
