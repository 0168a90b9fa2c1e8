import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `sun_path` of a unix socket holds 108 bytes on Linux, the closing NUL included (unix(7)). */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Where the embedded Redis of a data directory listens. A directory whose path is too long for a
 * socket gets a name under the temporary folder, derived from the path, so that every process finds
 * the same one without being told.
 */
export function embeddedRedisSocket(dataDir: string): string {
  const path = join(dataDir, 'redis', 'redis.sock');
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 32);
  return join(tmpdir(), `mayfly-${name}.sock`);
}
