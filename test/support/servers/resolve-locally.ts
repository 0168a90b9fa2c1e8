import dns, { type LookupAddress } from 'node:dns';

/**
 * Resolves every host name below a domain to this machine until the returned function is called,
 * like the wildcard record of a server with virtual-host style buckets.
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
