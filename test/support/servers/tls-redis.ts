/** A redis-server that requires TLS and a password, as on platforms. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Certificates } from './certificates.ts';
import { freePort } from './free-port.ts';
import { makeTempDir } from '../context/temp-dir.ts';

const PASSWORD = 'of-the-platform';

export interface TlsRedis {
  /** `rediss://` */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Shows the good certificate, which is for 127.0.0.1. */
export async function startTlsRedis({ good, caFile }: Certificates): Promise<TlsRedis> {
  const dir = await makeTempDir();
  const port = await freePort();
  for (const [name, bytes] of Object.entries(good)) {
    writeFileSync(join(dir.path, name), bytes as Buffer);
  }
  const settings = {
    ...{ port: '0', bind: '127.0.0.1', 'tls-port': String(port), requirepass: PASSWORD },
    ...{ 'tls-cert-file': 'cert', 'tls-key-file': 'key', 'tls-ca-cert-file': caFile },
    ...{ 'tls-auth-clients': 'no', dir: dir.path, save: '' },
    ...{ appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' },
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', args, { stdio: 'ignore', cwd: dir.path });
  const url = `rediss://:${PASSWORD}@127.0.0.1:${port}`;
  await answers(url, child);
  return {
    url,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await dir.remove();
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const redis = new Redis(url, {
    ...{ tls: { rejectUnauthorized: false }, maxRetriesPerRequest: null },
    retryStrategy: () => 10,
  });
  redis.on('error', () => {
    // the server does not listen yet
  });
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`redis-server ended with ${String(code)}`);
  });
  try {
    await Promise.race([redis.ping(), died]);
  } finally {
    redis.disconnect();
    died.catch(() => undefined); // the test handles a later exit
  }
}
