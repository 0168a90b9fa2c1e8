import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Config } from '../core/config/config.js';
import { AppError, errorText } from '../core/errors.js';

/** On these Haraka wants authentication before it takes mail (RFC 6409 section 4.3). */
const SUBMISSION_PORTS = [465, 587];

/** A port that takes mail. */
interface Port {
  variable: 'SMTP_PORT' | 'SMTP_SUBMISSION_PORT' | 'SMTPS_PORT';
  port: number;
  /** Whether a client has to log in before it sends mail. */
  requiresAuth: boolean;
}

/**
 * Haraka's SMTP servers, listening: on SMTP_PORT, and on the ports for submission where they are set. Haraka's own start
 * is not used, since it neither says when it listens nor lets its caller see why it does not.
 * @throws {AppError} `unavailable`, with a text for the operator, when it cannot listen.
 */
export async function startListeners(
  haraka: Haraka.Modules,
  config: Pick<Config, 'bindHost' | 'smtp'>,
): Promise<Haraka.Listener[]> {
  const { port, submissionPort, smtpsPort } = config.smtp;
  if (SUBMISSION_PORTS.includes(port)) {
    throw new AppError(
      'unavailable',
      `port ${port} (SMTP_PORT) is for submission with authentication, use 25 or 2525 ` +
        '(SMTP_SUBMISSION_PORT and SMTPS_PORT are for 587 and 465)',
    );
  }
  // Haraka serves implicit TLS on this port alone; 0 is none.
  haraka.server.cfg.main.smtps_port = smtpsPort ?? 0;
  const ports: Port[] = [{ variable: 'SMTP_PORT', port, requiresAuth: false }];
  if (submissionPort !== null) {
    ports.push({ variable: 'SMTP_SUBMISSION_PORT', port: submissionPort, requiresAuth: true });
  }
  if (smtpsPort !== null) {
    ports.push({ variable: 'SMTPS_PORT', port: smtpsPort, requiresAuth: true });
  }
  const listeners: Haraka.Listener[] = [];
  try {
    for (const each of ports) listeners.push(await startListener(haraka, config, each));
  } catch (error) {
    for (const listener of listeners) listener.close();
    throw error;
  }
  return listeners;
}

async function startListener(
  { server }: Haraka.Modules,
  config: Pick<Config, 'bindHost' | 'smtp'>,
  { variable, port, requiresAuth }: Port,
): Promise<Haraka.Listener> {
  const listener = await server.get_smtp_server({ port }, config.smtp.idleTimeoutMs);
  if (!listener) throw new Error('Haraka made no server');
  listener.notes = { ...server.notes, requiresAuth };
  // Nagle's algorithm and delayed acknowledgements add 40 ms to a pipelined mail; Haraka leaves it on.
  listener.on('connection', (socket) => socket.setNoDelay(true));
  try {
    listener.listen(port, config.bindHost);
    await once(listener, 'listening');
  } catch (error) {
    const where = `port ${port} (${variable})`;
    throw new AppError('unavailable', reason(error, where, config.bindHost), { cause: error });
  }
  return listener;
}

function reason(error: unknown, where: string, bindHost: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${where} is already in use`;
    case 'EACCES':
      return `${where} may not be used by this user`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${isIPv6(bindHost) ? `[${bindHost}]` : bindHost} (BIND_HOST) is not an address of this machine`;
    default:
      return `${where} cannot be listened on (${errorText(error)})`;
  }
}
