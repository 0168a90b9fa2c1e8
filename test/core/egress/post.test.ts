/** Outcomes of responses, excerpts and requests, against servers on real sockets. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { isLongForm } from '../../support/mocha/long-form.ts';
import { rejection } from '../../support/mocha/rejection.ts';
import {
  type RawServer,
  openRawServer,
  rawServer,
  saying,
  wholeRequest,
} from '../../support/servers/raw-server.ts';
import { redirectPort } from '../../support/servers/redirect-port.ts';
import { HEADERS, call, localEgress } from '../../support/context/webhook-call.ts';

/** Of a response whose connection ends while the body is sent. */
const ROUNDS = isLongForm ? 60 : 16;

describe('the response to a webhook call', () => {
  const server = rawServer();
  const { serve } = server;
  /** Serves the response with another status. */
  const again = async (said: string) => {
    await server.idle();
    await server.close();
    return serve(saying(said.replace(' 200 ', ' 503 ')));
  };
  const answering = async (head: string, body = '') =>
    call(await serve(saying(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)));

  for (const status of ['200 OK', '202 Accepted', '204 No Content', '299 Whatever']) {
    it(`is a success with ${status}`, async () => {
      const answer = await answering(status);
      expect(answer).to.include({ outcome: 'delivered', statusCode: parseInt(status) });
    });
  }

  for (const status of [300, 304, 400, 404, 410, 418, 429, 500, 503, 600, 999, 99, 0]) {
    it(`is a failure with ${status}`, async () => {
      const answer = await answering(`${String(status).padStart(3, '0')} Hm`);
      expect(answer).to.include({ outcome: 'http_error', statusCode: status });
      expect(answer).not.to.have.property('fault');
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`is a failure if it is a redirect (${status}), which is not followed`, async () => {
      const target = await openRawServer(saying('HTTP/1.1 204 No Content\r\n\r\n'));
      const answer = await answering(
        `${status} Elsewhere\r\nlocation: http://127.0.0.1:${target.port}/`,
      );
      expect(answer).to.include({ outcome: 'http_error', statusCode: status });
      await server.idle();
      expect(target.sockets).to.have.length(0);
      expect(server.sockets).to.have.length(1);
      await target.close();
    });
  }

  it('is the final one, not an informational one before it', async () => {
    const url = await serve(
      saying(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n' +
          'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      ),
    );
    expect(await call(url)).to.include({ outcome: 'delivered', statusCode: 200, excerpt: 'ok' });
  });

  it('is missing if there are only informational ones', async () => {
    const url = await serve(saying('HTTP/1.1 100 Continue\r\n\r\n'));
    expect(await call(url, { timeoutMs: 200 })).to.include({
      outcome: 'timeout',
      statusCode: null,
    });
  });

  for (const upgrade of ['', 'connection: upgrade\r\nupgrade: websocket\r\n']) {
    it(`is a failure if it is 101 ${upgrade ? 'to another protocol' : 'to nothing'}`, async () => {
      const url = await serve(saying(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}\r\nhello`));
      const answer = await call(url);
      expect(answer).to.include({ outcome: 'http_error', statusCode: 101 });
    });
  }

  it('counts even if it arrives before the whole body is sent', async () => {
    const url = await serve((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Content Too Large\r\nconnection: close\r\n\r\n', () => {
          socket.destroy();
        });
      });
    });
    const body = randomBytes(8 * 1024 * 1024);
    for (let round = 1; round <= ROUNDS; round++) {
      const answer = await call(url, { body });
      expect(answer, `round ${round}`).to.include({ outcome: 'http_error', statusCode: 413 });
    }
  });

  it('ends a body that is no longer read', async () => {
    const url = await serve((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const answer = await call(url, { body: Buffer.alloc(32 * 1024 * 1024) });
    expect(answer).to.include({ outcome: 'http_error', statusCode: 413 });
    server.sockets.forEach((socket) => socket.resume());
  });

  it('counts if the connection breaks after its headers', async () => {
    const url = await serve(
      saying('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun', (socket) => {
        socket.resetAndDestroy();
      }),
    );
    for (let round = 1; round <= 100; round++) {
      const answer = await call(url);
      expect(answer, `round ${round}`).to.include({ outcome: 'delivered', statusCode: 200 });
    }
  });

  it('counts if invalid data follows it', async () => {
    const url = await serve(saying('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokNONSENSE\r\n'));
    const began = performance.now();
    for (let round = 1; round <= 30; round++) {
      expect(await call(url)).to.include({ outcome: 'delivered', statusCode: 200 });
    }
    expect(performance.now() - began).to.be.below(25_000);
  });

  for (const [what, said] of [
    ['headers of 20 KB', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\nok`],
    ['many headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(5000)}\r\nok`],
    ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(200_000)}`],
    ['lines that end in LF', 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok'],
    ['LF in a header', 'HTTP/1.1 200 OK\r\nx: y\nz: 1\r\ncontent-length: 2\r\n\r\nok'],
    ['a blank before the colon', 'HTTP/1.1 200 OK\r\nServer : x\r\ncontent-length: 2\r\n\r\nok'],
    ['a folded line', 'HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 2\r\n\r\nok'],
    ['two equal lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nok'],
    [
      'length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: \0\r\ncontent-length: 2\r\n\r\nok'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\ncontent-length: 2\r\n\r\nok'],
    ['an old protocol name', 'ICY 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['an informational one before it', 'HTTP/1.1 103 Hi\r\n\r\nHTTP/1.1 200 OK\r\nx : y\r\n\r\n'],
  ] as const) {
    it(`counts with ${what}`, async () => {
      const answer = await call(await serve(saying(said)));
      expect(answer).to.include({ outcome: 'delivered', statusCode: 200 });
      expect(answer).not.to.have.property('fault');
      const failed = await call(await again(said));
      expect(failed).to.include({ outcome: 'http_error', statusCode: 503 });
    });
  }

  for (const how of ['end', 'destroy', 'resetAndDestroy']) {
    it(`counts if the receiver stops reading after the first packet (${how})`, async () => {
      // A thread, which answers and closes while this one writes.
      const code = `
        const { parentPort } = require('node:worker_threads');
        const server = require('node:net').createServer((socket) => {
          socket.on('error', () => undefined);
          socket.once('data', () => {
            socket.pause();
            socket.write('HTTP/1.1 413 Content Too Large\\r\\ncontent-length: 0\\r\\n\\r\\n');
            if ('${how}' === 'resetAndDestroy') setImmediate(() => socket.destroy());
            else socket.${how}();
          });
        });
        server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
      const worker = new Worker(code, { eval: true });
      const [port] = (await once(worker, 'message')) as [number];
      try {
        for (let round = 1; round <= ROUNDS; round++) {
          const body = Buffer.alloc((1 + (round % 8)) * 1024 * 1024, 'x');
          const answer = await call(`http://127.0.0.1:${port}/`, { body });
          expect(answer, `round ${round}`).to.include({ outcome: 'http_error', statusCode: 413 });
        }
      } finally {
        await worker.terminate();
      }
    });
  }

  it('counts at once while its body arrives slowly, and the connection ends soon', async () => {
    const url = await serve(
      saying('HTTP/1.1 200 OK\r\n\r\n', (socket) => {
        const drip = setInterval(() => socket.write('.'), 20);
        socket.once('close', () => {
          clearInterval(drip);
        });
      }),
    );
    const began = performance.now();
    const answer = await call(url);
    const took = performance.now() - began;
    expect(answer).to.include({ outcome: 'delivered', statusCode: 200 });
    expect(answer.excerpt).to.match(/^\.+$/);
    expect(answer.durationMs, 'including the time until its start').to.be.within(900, took + 1);
  });

  it('counts even if its body never starts', async () => {
    const url = await serve(saying('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'));
    expect(await call(url)).to.include({ outcome: 'delivered', excerpt: '' });
  });

  describe('in the excerpt', () => {
    const keeping = async (body: Buffer, head = '') => {
      const lines = `HTTP/1.1 500 Oh\r\n${head}content-length: ${body.length}\r\n\r\n`;
      const { excerpt } = await call(
        await serve(saying(Buffer.concat([Buffer.from(lines), body]))),
      );
      await server.idle();
      return excerpt;
    };

    it('is the text of the body', async () => {
      expect(await keeping(Buffer.from('Grüße 🐞'))).to.equal('Grüße 🐞');
    });

    it('is empty for an empty body', async () => {
      expect(await keeping(Buffer.alloc(0))).to.equal('');
    });

    it('is truncated at 1,024 bytes', async () => {
      expect(await keeping(Buffer.alloc(1024, 'x'))).to.equal('x'.repeat(1024));
      await server.close();
      expect(await keeping(Buffer.alloc(1025, 'x'))).to.equal('x'.repeat(1024));
    });

    for (const character of ['é', '漢', '🐞']) {
      const length = 1024 - Buffer.byteLength(character);
      it(`omits a ${character} that truncation would split`, async () => {
        const fitting = 'x'.repeat(length) + character;
        expect(await keeping(Buffer.from(`${fitting}more`))).to.equal(fitting);
        await server.close();
        const broken = `x${fitting}more`;
        expect(await keeping(Buffer.from(broken))).to.equal('x'.repeat(length + 1));
      });
    }

    it('has NUL and invalid UTF-8 replaced', async () => {
      const bytes = Buffer.from([0x61, 0, 0x62, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x63]);
      const excerpt = await keeping(bytes);
      expect(excerpt).to.match(/^a\uFFFDb\uFFFD+\(\uFFFD+c$/);
      expect(excerpt?.isWellFormed()).to.equal(true);
    });

    it('is at most 1,024 characters of binary data', async () => {
      const excerpt = await keeping(randomBytes(5000));
      expect(excerpt?.length).to.be.within(1, 1024);
      expect(excerpt).not.to.include('\0');
    });

    it('is not decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
      const excerpt = await keeping(bomb, 'content-encoding: gzip\r\n');
      expect(excerpt?.slice(0, 3)).to.equal('\u001f\uFFFD\b');
      expect(excerpt?.length).to.be.below(1025);
    });

    it('is the start of a body of 100 MB, little of which is read', async () => {
      const total = 100 * 1024 * 1024;
      const chunk = Buffer.alloc(64 * 1024, 'y');
      let written = 0;
      const url = await serve(
        saying(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`, (socket) => {
          const more = () => {
            while (written < total && !socket.destroyed) {
              written += chunk.length;
              if (!socket.write(chunk)) return socket.once('drain', more);
            }
            return socket;
          };
          more();
        }),
      );
      const answer = await call(url);
      expect(answer).to.include({ outcome: 'delivered', excerpt: 'y'.repeat(1024) });
      await server.idle();
      // The kernel buffers of both sides hold data in addition to what was read.
      expect(written).to.be.below(total / 4);
    });
  });

  describe('with Retry-After', () => {
    for (const [status, value, asked] of [
      [503, '120', 120_000],
      [429, '0', 0],
      [500, '7', 7000],
      [429, '-5', null],
      [429, 'soon', null],
    ] as const) {
      it(`${status} "${value}" requests ${asked}`, async () => {
        const answer = await answering(`${status} Wait\r\nretry-after: ${value}`);
        expect(answer).to.include({ outcome: 'http_error', retryAfterMs: asked });
      });
    }

    it('as a date requests the time until then', async () => {
      const at = new Date(Date.now() + 3_600_000);
      const { retryAfterMs } = await answering(`429 Wait\r\nretry-after: ${at.toUTCString()}`);
      expect(retryAfterMs).to.be.within(3_500_000, 3_600_000);
    });
  });
});

describe('the request of a webhook call', () => {
  let server: RawServer;
  let requests: { head: string; body: Buffer }[];

  beforeEach(async () => {
    requests = [];
    server = await openRawServer((socket) => {
      wholeRequest(socket).then(
        (request) => {
          requests.push(request);
          socket.end('HTTP/1.1 204 No Content\r\n\r\n');
        },
        () => undefined,
      );
    });
  });
  afterEach(() => server.close());

  const lines = () => requests[0]!.head.split('\r\n');

  it('is a POST with the given headers, required HTTP headers and nothing else', async () => {
    const body = Buffer.from('{"text":"Grüße 🐞"}');
    await call(`http://127.0.0.1:${server.port}/hook?a=1&b=%20`, { body });
    const [requestLine, ...headers] = lines();
    expect(requestLine).to.equal('POST /hook?a=1&b=%20 HTTP/1.1');
    expect(headers.map((line) => line.toLowerCase()).sort()).to.deep.equal(
      [
        ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value.toLowerCase()}`),
        `host: 127.0.0.1:${server.port}`,
        `content-length: ${body.length}`,
        'connection: close',
      ].sort(),
    );
  });

  it('contains the bytes of the body unchanged', async () => {
    for (const body of [randomBytes(3 * 1024 * 1024), Buffer.from([0, 255, 13, 10, 13, 10, 0])]) {
      requests = [];
      await call(`http://127.0.0.1:${server.port}/`, { body });
      expect(requests[0]!.body.equals(body)).to.equal(true);
    }
  });

  for (const [url, host] of [
    ['http://hooks.test/', 'hooks.test'],
    ['http://hooks.test:80/', 'hooks.test'],
    ['http://127.0.0.1/', '127.0.0.1'],
  ] as const) {
    it(`has the expected Host header: ${url}`, async () => {
      const undo = redirectPort(80, server.port);
      try {
        const answer = await call(url, {}, localEgress({ 'hooks.test': ['127.0.0.1'] }));
        expect(answer).to.include({ outcome: 'delivered' });
      } finally {
        undo();
      }
      expect(lines()).to.include(`host: ${host}`);
    });
  }

  it('keeps special characters of a URL inside the request line', async () => {
    for (const path of [
      '/a\r\nx-evil: 1\r\n\r\nGET /',
      '/a b\tc',
      '/\u0000\u0001\u007f',
      '/ü?ü=\u2028#\r\nx-evil: 1',
      '/%0d%0ax-evil:%201',
      '/" HTTP/1.1\nx-evil: 1',
      '\\..\\x',
    ]) {
      requests = [];
      await call(`http://127.0.0.1:${server.port}${path}`);
      expect(lines()[0], path).to.match(/^POST \/[!-~]* HTTP\/1\.1$/);
      expect(lines(), path).to.have.length(9);
      expect(requests[0]!.head, path).not.to.match(/^x-evil/im);
    }
  });

  it('is not sent if mayStill resolves to false, and the connection ends', async () => {
    const answer = await call(`http://127.0.0.1:${server.port}/`, { mayStill: async () => false });
    expect(answer).to.include({ outcome: 'withdrawn', statusCode: null });
    await server.idle();
    expect(server.sockets.map(({ bytesRead }) => bytesRead)).to.deep.equal([0]);
  });

  it('is withdrawn if mayStill fails, and the connection ends', async () => {
    const url = `http://127.0.0.1:${server.port}/`;
    const fault = new Error('the database is away');
    const mayStill = () => Promise.reject(fault);
    const thrown = await rejection(call(url, { mayStill }));
    expect(thrown).to.equal(fault);
    await server.idle();
    expect(server.sockets.map(({ bytesRead }) => bytesRead)).to.deep.equal([0]);
  });

  it('sends 200 at once', async () => {
    const url = `http://127.0.0.1:${server.port}/`;
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await delay(index % 3);
        return call(url, { body: Buffer.from(String(index)) });
      }),
    );
    expect(new Set(answers.map(({ outcome }) => outcome))).to.deep.equal(new Set(['delivered']));
    expect(new Set(requests.map(({ body }) => body.toString()))).to.have.property('size', 200);
    await server.idle();
  });
});
