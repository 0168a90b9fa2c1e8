import ipaddr from 'ipaddr.js';

/**
 * The network that identifies a client in limits: an IPv4 address, including IPv4-mapped ones, or
 * the /64 prefix of an IPv6 address, the smallest assignment to a site (RFC 6177 section 2).
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
