import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Config } from '../core/config/config.js';
import { AppError, errorText } from '../core/errors.js';

/** On these ports Haraka requires authentication (RFC 6409 section 4.3). */
const SUBMISSION_PORTS = [465, 587];

/**
 * Starts the SMTP server of Haraka. Haraka's own start function reports neither readiness nor the
 * reason of a failure.
 * @throws {AppError} `unavailable` with a text for the operator if it cannot listen.
 */
export async function startListener(
  { server }: Haraka.Modules,
  config: Pick<Config, 'bindHost' | 'smtp'>,
): Promise<Haraka.Listener> {
  const { port } = config.smtp;
  if (SUBMISSION_PORTS.includes(port)) {
    throw new AppError(
      'unavailable',
      `port ${port} (SMTP_PORT) requires SMTP authentication, use 25 or 2525`,
    );
  }
  const listener = await server.get_smtp_server({ port }, config.smtp.idleTimeoutMs);
  if (!listener) throw new Error('Haraka created no server');
  listener.notes = server.notes;
  // Nagle's algorithm with delayed acknowledgements adds 40 ms to a pipelined mail; Haraka does not
  // disable it.
  listener.on('connection', (socket) => socket.setNoDelay(true));
  try {
    listener.listen(port, config.bindHost);
    await once(listener, 'listening');
  } catch (error) {
    throw new AppError('unavailable', reason(error, config), { cause: error });
  }
  return listener;
}

function reason(error: unknown, { bindHost, smtp }: Pick<Config, 'bindHost' | 'smtp'>): string {
  const where = `port ${smtp.port} (SMTP_PORT)`;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${where} is already in use`;
    case 'EACCES':
      return `permission to listen on ${where} denied`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${isIPv6(bindHost) ? `[${bindHost}]` : bindHost} (BIND_HOST) is not an address of this machine`;
    default:
      return `cannot listen on ${where} (${errorText(error)})`;
  }
}
