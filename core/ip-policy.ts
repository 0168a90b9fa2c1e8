/**
 * Which addresses a webhook may reach. IPv4 by a deny list of what is not public (RFC 6890 and the
 * metadata addresses of clouds outside of it), IPv6 by an allow list: only 2000::/3, less what tunnels
 * or documents. An IPv4 address inside an IPv6 one is judged as itself.
 */
import { BlockList, isIP } from 'node:net';

const DENIED_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32';
const ALLOWED_V6 = '2000::/3';
const DENIED_V6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

/** A network in CIDR notation. */
export interface Cidr {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const deniedV4 = blockList(DENIED_V4.split(' ').map(parseCidr));
const allowedV6 = blockList([parseCidr(ALLOWED_V6)]);
const deniedV6 = blockList(DENIED_V6.split(' ').map(parseCidr));

/** @throws {Error} for what is no network, and for one that holds every address. */
export function parseCidr(text: string): Cidr {
  const [, address = '', bits = ''] = /^([^/%]+)\/(\d+)$/.exec(text.trim()) ?? [];
  const version = isIP(address);
  const prefix = Number(bits);
  if (version === 0 || prefix < 1 || prefix > (version === 4 ? 32 : 128)) {
    throw new Error(`"${text.trim()}" is not a network such as 10.0.0.0/8`);
  }
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Whether a name or address to listen on is this machine's own. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Whether a webhook may be sent to this address, given the networks the operator allows besides. */
export function isAllowedTarget(address: string, allowed: readonly Cidr[]): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (allowed.length > 0 && listOf(allowed).check(address, family)) return true;
  // A zone names an interface of this machine, and no public address has one.
  if (address.includes('%')) return false;
  const embedded = embeddedIpv4(address);
  if (embedded) return isAllowedTarget(embedded, allowed);
  return version === 4
    ? !deniedV4.check(address, 'ipv4')
    : allowedV6.check(address, 'ipv6') && !deniedV6.check(address, 'ipv6');
}

/** The address inside an IPv4-mapped one, dotted or in the two groups that URLs are normalised to. */
function embeddedIpv4(address: string): string | null {
  const [, dotted, high, low] =
    /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address) ?? [];
  if (dotted) return dotted;
  if (!high || !low) return null;
  const bits = [parseInt(high, 16), parseInt(low, 16)];
  return bits.flatMap((group) => [group >> 8, group & 255]).join('.');
}

/** Made once for each list of networks: it is asked for every address that is dialled. */
const lists = new WeakMap<readonly Cidr[], BlockList>();

function listOf(networks: readonly Cidr[]): BlockList {
  const list = lists.get(networks) ?? blockList(networks);
  lists.set(networks, list);
  return list;
}

function blockList(networks: readonly Cidr[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return list;
}
