/** Starts the image of the service with Docker, on ports that are the same inside. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { HOST, type ReadyService, UNTIL_INPUT_ENDS, start } from './run.ts';

/** In the image. Removed with the container. */
const FOLDER = '/tmp/mayfly';
const UP = ['node', 'dist/scripts/supervise/main.js'];

export async function startImage(
  image: string,
  env: Record<string, string>,
): Promise<ReadyService> {
  const [free = 0, freeSmtp = 0] = await freePorts(2);
  // The same ports inside, so that the links and settings which the service tells are right.
  const { PORT, SMTP_PORT } = { PORT: `${free}`, SMTP_PORT: `${freeSmtp}`, ...env };
  const url = `http://${HOST}:${PORT}`;
  const variables = { PUBLIC_URL: url, LOG_LEVEL: 'warn', ...env, PORT, SMTP_PORT };
  const command = containerCommand(image, Object.keys(variables), [PORT, SMTP_PORT]);
  const { stop } = await start(command, { ...process.env, ...variables });
  return { url, smtpPort: Number(SMTP_PORT), stop };
}

/**
 * The command that starts the image. Docker passes the end of its input on, which stops the
 * service and removes the container.
 * @param variables names of variables, whose values Docker takes from its environment
 * @param ports published on loopback under the same number
 */
function containerCommand(image: string, variables: string[], ports: string[]): string[] {
  return [
    ...['docker', 'run', '--rm', '--init', '--interactive'],
    // Webhooks reach receivers on this machine.
    ...['--add-host', 'host.docker.internal:host-gateway'],
    ...ports.flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
    ...variables.flatMap((name) => ['--env', name]),
    ...[image, 'sh', '-c', UNTIL_INPUT_ENDS, 'mayfly', FOLDER, ...UP],
  ];
}

/** Ports that no program listens on, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, HOST));
  try {
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    for (const server of servers) server.close();
  }
}
