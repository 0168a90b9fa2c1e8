import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Config } from '../core/config/config.ts';
import { AppError, errorText } from '../core/errors.ts';

/** On these ports Haraka requires authentication (RFC 6409 section 4.3). */
const SUBMISSION_PORTS = [465, 587];

/** A port on which SMTP listens. */
interface Port {
  variable: 'SMTP_PORT' | 'SMTP_SUBMISSION_PORT' | 'SMTPS_PORT';
  port: number;
  /** Whether AUTH is required before MAIL. */
  requiresAuth: boolean;
}

/**
 * Starts the SMTP servers of Haraka on SMTP_PORT and, if set, SMTP_SUBMISSION_PORT and SMTPS_PORT.
 * Haraka's own start function reports neither readiness nor the reason of a failure.
 * @throws {AppError} `unavailable` with a text for the operator if a port cannot be listened on.
 */
export async function startListeners(
  haraka: Haraka.Modules,
  config: Pick<Config, 'bindHost' | 'smtp'>,
): Promise<Haraka.Listener[]> {
  const { port, submissionPort, smtpsPort } = config.smtp;
  if (SUBMISSION_PORTS.includes(port)) {
    throw new AppError(
      'unavailable',
      `port ${port} (SMTP_PORT) requires SMTP authentication, use 25 or 2525 ` +
        '(587 is for SMTP_SUBMISSION_PORT, 465 for SMTPS_PORT)',
    );
  }
  // The only port on which Haraka serves implicit TLS; 0 disables it.
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
  if (!listener) throw new Error('Haraka created no server');
  listener.notes = { ...server.notes, requiresAuth };
  listener.allowHalfOpen = true; // patches/input.ts ends the connection after the last reply
  // Nagle's algorithm with delayed acknowledgments adds 40 ms to a pipelined mail; Haraka does not
  // disable it.
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
      return `permission to listen on ${where} denied`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${isIPv6(bindHost) ? `[${bindHost}]` : bindHost} (BIND_HOST) is not an address of this machine`;
    default:
      return `cannot listen on ${where} (${errorText(error)})`;
  }
}
