import ipaddr from 'ipaddr.js';

/**
 * What one client can be told by: an IPv4 address, also where it is written as an IPv6 one, or the first
 * 64 bits of an IPv6 address, the least a site is given (RFC 6177 section 2).
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
