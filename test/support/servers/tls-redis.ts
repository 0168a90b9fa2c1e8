/** A redis-server that requires TLS and a password, as on platforms. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificates } from './certificates.ts';
import { startServer } from './redis-servers.ts';
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
  const place = (name: string) => join(dir.path, name);
  for (const [name, bytes] of Object.entries(good)) writeFileSync(place(name), bytes as Buffer);
  const settings = {
    ...{ 'tls-cert-file': place('cert'), 'tls-key-file': place('key'), 'tls-ca-cert-file': caFile },
    ...{ 'tls-auth-clients': 'no', requirepass: PASSWORD },
  };
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const { port, client, kill } = await startServer(
    dir,
    (port) => ['--port', '0', '--tls-port', `${port}`, ...options],
    { password: PASSWORD, tls: { rejectUnauthorized: false } },
  );
  return {
    url: `rediss://:${PASSWORD}@127.0.0.1:${port}`,
    stop: async () => {
      client.disconnect();
      await kill();
      await dir.remove();
    },
  };
}
