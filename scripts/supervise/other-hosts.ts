import { type NetworkInterfaceInfo, hostname, networkInterfaces } from 'node:os';

export interface Machine {
  readonly hostname: string;
  readonly interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>;
}

export function thisMachine(): Machine {
  return { hostname: hostname(), interfaces: networkInterfaces() };
}

/** The address of all IPv4 interfaces, and that of all IPv6 and IPv4 interfaces. */
const ALL = ['0.0.0.0', '::'];

/**
 * Hosts by which other machines reach what listens on `bindHost`, as URLs write them: the addresses of the network
 * interfaces, then the host name. Empty where `bindHost` is one address.
 *
 * Link-local IPv6 addresses are left out: a URL cannot carry their zone (RFC 6874 is not implemented by browsers).
 */
export function otherHosts(bindHost: string, { hostname, interfaces }: Machine): string[] {
  if (!ALL.includes(bindHost)) return [];
  const external = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && (family === 'IPv4' || bindHost === '::'))
    .filter(({ address }) => !/^fe[89ab]/i.test(address));
  if (external.length === 0) return [];
  const hosts = external.map(({ address, family }) =>
    family === 'IPv6' ? `[${address}]` : address,
  );
  return [...hosts, hostname];
}
