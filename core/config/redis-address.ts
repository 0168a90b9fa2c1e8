/**
 * The location of Redis in REDIS_URL: a server, a master found through sentinels, or a cluster.
 *
 *     redis://[USER:PASSWORD@]HOST:PORT[/DB]
 *     redis+sentinel://[USER:PASSWORD@]HOST:PORT,HOST:PORT/NAME[/DB][?sentinelPassword=...]
 *     redis+cluster://[USER:PASSWORD@]HOST:PORT,HOST:PORT
 *
 * `rediss` instead of `redis` enables TLS, also to the sentinels.
 */

export interface Endpoint {
  host: string;
  port: number;
}

interface Login {
  username?: string;
  password?: string;
}

export type RedisAddress =
  | { kind: 'socket'; path: string }
  /** A URL for ioredis. */
  | { kind: 'server'; url: string }
  | {
      kind: 'sentinel';
      sentinels: Endpoint[];
      /** Name of the master in the sentinel configuration. */
      name: string;
      db: number;
      login: Login;
      sentinelPassword: string | null;
      isTls: boolean;
    }
  | { kind: 'cluster'; nodes: Endpoint[]; login: Login; isTls: boolean };

const SEVERAL =
  /^redis(?<tls>s?)\+(?<kind>sentinel|cluster):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?@]+)(?:\/(?<name>[^/?]+)(?:\/(?<db>\d+))?)?\/?(?:\?(?<query>.*))?$/;

const DEFAULT_PORTS = { sentinel: 26_379, cluster: 6379 };

/** @throws {Error} for an invalid text. The message never contains the password. */
export function parseRedisAddress(text: string): RedisAddress {
  if (text.startsWith('/')) return { kind: 'socket', path: text };
  if (/^rediss?:\/\/.+/.test(text)) return { kind: 'server', url: text };
  const parts = SEVERAL.exec(text)?.groups;
  const kind = parts?.kind as 'sentinel' | 'cluster' | undefined;
  if (!parts || kind === undefined || (kind === 'cluster') !== (parts.name === undefined)) {
    throw new Error(
      'must be redis://HOST, redis+sentinel://HOST:PORT,.../NAME or redis+cluster://HOST:PORT,...',
    );
  }
  const places = (parts.hosts ?? '')
    .split(',')
    .map((place) => endpoint(place, DEFAULT_PORTS[kind]));
  const login = {
    ...(parts.user ? { username: decodeURIComponent(parts.user) } : {}),
    ...(parts.password ? { password: decodeURIComponent(parts.password) } : {}),
  };
  const isTls = parts.tls === 's';
  if (kind === 'cluster') return { kind, nodes: places, login, isTls };
  return {
    kind,
    sentinels: places,
    name: decodeURIComponent(parts.name ?? ''),
    db: Number(parts.db ?? 0),
    login,
    sentinelPassword: new URLSearchParams(parts.query).get('sentinelPassword'),
    isTls,
  };
}

/** `HOST:PORT`, an IPv6 address in brackets. */
function endpoint(text: string, defaultPort: number): Endpoint {
  const [, bracketed, plain, port] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw new Error(`invalid HOST:PORT "${text}"`);
  return { host, port: Number(port ?? defaultPort) };
}
