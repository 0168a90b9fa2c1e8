import { type NetworkInterfaceInfo, hostname, networkInterfaces } from 'node:os';

export interface Machine {
  readonly hostname: string;
  readonly interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>;
}

export function thisMachine(): Machine {
  return { hostname: hostname(), interfaces: networkInterfaces() };
}

/** The wildcard addresses of IPv4, and of IPv6 and IPv4. */
const ALL = ['0.0.0.0', '::'];

/**
 * Returns the hosts by which other machines reach `bindHost`, in URL form: the addresses of the
 * network interfaces, then the host name. Empty if `bindHost` is not a wildcard address.
 *
 * Link-local IPv6 addresses are left out: browsers do not support zones in URLs (RFC 6874).
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
