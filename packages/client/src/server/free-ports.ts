import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Ports of this host that no program listens on, all different. */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, host));
  try {
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    for (const server of servers) server.close();
  }
}
