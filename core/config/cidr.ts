import { isIP } from 'node:net';

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

/** Whether a host name or listen address is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
