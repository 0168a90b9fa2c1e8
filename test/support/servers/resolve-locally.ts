import dns, { type LookupAddress } from 'node:dns';

/**
 * Has every host name below a domain lead to this machine, until the returned function is called: what
 * the wildcard record of a server with virtual-host style buckets does.
 */
export function resolveLocally(domain: string): () => void {
  const { lookup } = dns;
  type Callback = (error: null, address: string | LookupAddress[], family?: number) => void;
  const local = (host: string, options: { all?: boolean }, callback: Callback) => {
    if (!host.endsWith(`.${domain}`)) {
      lookup(host, options, callback as never);
      return;
    }
    const address = { address: '127.0.0.1', family: 4 };
    if (options.all) callback(null, [address]);
    else callback(null, address.address, address.family);
  };
  dns.lookup = local as unknown as typeof lookup;
  return () => {
    dns.lookup = lookup;
  };
}
