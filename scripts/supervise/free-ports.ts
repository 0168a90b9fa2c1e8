import { once } from 'node:events';
import { type Server, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './supervisor.ts';

/** An `up` that was just killed takes a moment to free its ports. */
const EXIT_TIMEOUT_MS = 3000;

/**
 * Chooses a free port for each variable that is 0, all different.
 * @returns the ports of these variables
 */
export async function chooseFreePorts(
  host: string,
  ports: Record<string, number>,
): Promise<Record<string, number>> {
  const names = Object.keys(ports).filter((name) => ports[name] === 0);
  const servers = names.map(() => createServer());
  try {
    const chosen = await Promise.all(servers.map((server) => listenAnywhere(server, host)));
    return Object.fromEntries(names.map((name, index) => [name, chosen[index] ?? 0]));
  } finally {
    for (const server of servers) server.close();
  }
}

async function listenAnywhere(server: Server, host: string): Promise<number> {
  server.listen({ host, port: 0, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** @throws {StartError} naming the variable whose port is not available, and the reason. */
export async function checkPorts(host: string, ports: Record<string, number>): Promise<void> {
  const named = Object.entries(ports);
  const [first, second] = named;
  if (first && second && first[1] === second[1]) {
    throw new StartError(
      `${first[0]} and ${second[0]} are both ${first[1]}. Set them to different ports.`,
    );
  }
  const faults = await Promise.all(named.map(([name, port]) => portFault(name, host, port)));
  const found = faults.filter((fault) => fault !== null);
  if (found.length > 0) throw new StartError(found.join('\n'));
}

async function portFault(name: string, host: string, port: number): Promise<string | null> {
  const giveUpAt = performance.now() + EXIT_TIMEOUT_MS;
  for (;;) {
    const code = await listenFault(host, port);
    if (code === null) return null;
    if (code === 'EADDRINUSE' && performance.now() < giveUpAt) {
      await delay(100);
      continue;
    }
    return sentence(code, name, host, port);
  }
}

function listenFault(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    server.listen({ host, port, exclusive: true }, () =>
      server.close(() => {
        resolve(null);
      }),
    );
  });
}

function sentence(code: string, name: string, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} is already in use by another program. Set ${name} to a free port.`;
  }
  if (code === 'EACCES') {
    return `Permission to listen on port ${port} is denied. Set ${name} to a port above 1023.`;
  }
  return `Cannot listen on ${host} port ${port} (${code}). Check BIND_HOST and ${name}.`;
}
