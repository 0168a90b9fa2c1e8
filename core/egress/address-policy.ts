/**
 * The address policy of webhook targets: an address is allowed if ipaddr.js assigns it no special
 * purpose (the IANA registries of RFC 6890), and for IPv6 only within 2000::/3. IPv4-mapped IPv6
 * addresses are treated as IPv4.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Cidr } from '../config/cidr.ts';

/** A public address, but within Azure a platform service (metadata, DNS, health probes). */
const AZURE_PLATFORM = '168.63.129.16';
/** The range that IANA has allocated for global unicast (RFC 4291 section 2.4). */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a webhook may be sent to this address, given the networks that the operator allows in
 * addition.
 */
export function isAllowedTarget(address: string, allowed: readonly Cidr[]): boolean {
  // ipaddr.js also accepts 127.1, 0x7f.1 and 010.0.0.1, and treats ::8.8.8.8 as ::ffff:8.8.8.8.
  if (isIP(address) === 0 || /^::\d+\./.test(address)) return false;
  const target = ipaddr.process(address);
  if (allowed.some((network) => contains(network, target))) return true;
  // A zone names an interface of this machine; public addresses have none.
  if (address.includes('%')) return false;
  if (target.range() !== 'unicast') return false;
  return target instanceof ipaddr.IPv6
    ? target.match(GLOBAL_UNICAST_V6)
    : target.toString() !== AZURE_PLATFORM;
}

function contains({ address, prefix, family }: Cidr, target: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return family === target.kind() && target.match(ipaddr.parse(address), prefix);
}
