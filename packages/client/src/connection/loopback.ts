/** undici and Node.js export none of these; 2 is the name in undici 8, 1 the one before. */
const GLOBAL = [
  Symbol.for('undici.globalDispatcher.2'),
  Symbol.for('undici.globalDispatcher.1'),
] as const;

/** Names of this machine in a URL. @internal */
export const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

interface EnvironmentProxy {
  constructor: new (options: { noProxy: string }) => object;
}

/**
 * The option of the built-in `fetch` with which it asks a service on this machine directly. With
 * NODE_USE_ENV_PROXY, it asks the proxy for each host that NO_PROXY does not name; a dispatcher of
 * undici that names them all prevents it
 * (https://undici.nodejs.org/#/docs/api/EnvHttpProxyAgent).
 * @returns an empty object for another host, and without a proxy of the environment
 */
export function withoutProxy(url: string): { dispatcher?: object } {
  if (!LOOPBACK.test(new URL(url).hostname)) return {};
  const globals = globalThis as { [name in (typeof GLOBAL)[number]]?: EnvironmentProxy }; // checked by name
  const proxy = GLOBAL.map((name) => globals[name]).find(
    (dispatcher) => dispatcher?.constructor.name === 'EnvHttpProxyAgent',
  );
  return proxy ? { dispatcher: new proxy.constructor({ noProxy: '*' }) } : {};
}
