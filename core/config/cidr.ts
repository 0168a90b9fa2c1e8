import { BlockList, isIP } from 'node:net';

/** A network in CIDR notation. */
export interface Cidr {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/** @throws {Error} for invalid text, and for a network that contains every address. */
export function parseCidr(text: string): Cidr {
  const [, address = '', bits = ''] = /^([^/%]+)\/(\d+)$/.exec(text.trim()) ?? [];
  const version = isIP(address);
  const prefix = Number(bits);
  if (version === 0 || prefix < 1 || prefix > (version === 4 ? 32 : 128)) {
    throw new Error(`"${text.trim()}" is not a network such as 10.0.0.0/8`);
  }
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

export const LOOPBACK: readonly Cidr[] = ['127.0.0.0/8', '::1/128'].map(parseCidr);

/** Returns a test whether an address is in one of the networks. */
export function networkMatcher(networks: readonly Cidr[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Whether a host name or listen address is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
