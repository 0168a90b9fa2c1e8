/** HTTP configuration. */
import type { z } from 'zod';
import { flag, httpUrl, portOrFree, whole } from './values.ts';

const MiB = 1024 * 1024;
const DAY_MS = 86_400_000;
const HEADERS_TIMEOUT_MS = 15_000;

export const httpVariables = {
  PORT: portOrFree().default(3000).meta({
    description: 'HTTP port of the web process. With 0, `scripts/up` chooses a free port.',
  }),
  WEB_PROCESSES: whole(1, 64)
    .default(1)
    .meta({ description: 'Number of web processes that share `PORT`.' }),
  PUBLIC_URL: httpUrl().optional().meta({
    description:
      'URL at which clients reach the API, without a path. With `https`, responses carry HSTS and the dashboard requires HTTPS.',
    fallback: '`http://localhost:PORT`',
  }),
  HTTP_HEADERS_TIMEOUT_MS: whole(0, DAY_MS).optional().meta({
    description:
      'Time in milliseconds for the header of a request to arrive, on a new connection since its start. 0 disables the limit.',
    fallback: '`15000`, at most `HTTP_REQUEST_TIMEOUT_MS`',
  }),
  HTTP_REQUEST_TIMEOUT_MS: whole(0, DAY_MS).default(120_000).meta({
    description: 'Time in milliseconds for a whole request to arrive. 0 disables the limit.',
  }),
  HTTP_MAX_CONNECTIONS: whole(0, 1_000_000).default(5000).meta({
    description:
      'Largest number of connections of one web process. At the limit, it closes idle connections. 0 disables the limit.',
  }),
  HTTP_MAX_RECEIVING_BYTES: whole(0, Number.MAX_SAFE_INTEGER)
    .default(128 * MiB)
    .meta({
      description:
        'Largest number of bytes of unanswered request bodies that one web process holds. 0 disables the limit.',
    }),
  HTTP_MAX_SENDING_BYTES: whole(0, Number.MAX_SAFE_INTEGER)
    .default(256 * MiB)
    .meta({
      description:
        'Largest number of bytes of large responses that one web process holds until clients have read them. 0 disables the limit.',
    }),
  LOG_REQUESTS: flag().default(true).meta({
    description: 'Logs one line at `info` for each request: route, status, time, workspace.',
  }),
  TRUST_PROXY: whole(0, 100).default(0).meta({
    description:
      'Number of reverse proxies in front of the web process whose `X-Forwarded-For` is trusted.',
  }),
  COMPAT_WITHOUT_CREDENTIALS: flag().default(true).meta({
    description:
      'Whether a program on the machine of a [private instance](#private-instances) can use the [interfaces of other tools](migrating.md#without-credentials) without credentials.',
  }),
  RATE_LIMIT_FREE: whole(0, 1_000_000_000).default(120).meta({
    description: 'Requests a minute of a workspace on the Free plan. 0 disables the limit.',
  }),
  RATE_LIMIT_PRO: whole(0, 1_000_000_000).default(1200).meta({
    description: 'Requests a minute of a workspace on the Pro plan. 0 disables the limit.',
  }),
  STORED_BYTES_PER_MINUTE: whole(0, Number.MAX_SAFE_INTEGER).optional().meta({
    description:
      'Bytes a minute that the sent, forwarded and uploaded mail of a workspace stores. A mail counts about twice its size. 0 disables the limit.',
    fallback: '`67108864`; `0` on a private instance',
  }),
  WAITS_PER_WORKSPACE: whole(0, 1_000_000).default(1000).meta({
    description:
      'Requests of one workspace that wait for messages at the same time in one web process. 0 disables the limit.',
  }),
  RATE_LIMIT_AUTH_FAILURES: whole(0, 1_000_000_000).default(100).meta({
    description:
      'Invalid tokens and SMTP logins a minute from one client address, and as many wrong operator passwords. 0 disables the limit.',
  }),
};

type HttpEnvironment = z.infer<z.ZodObject<typeof httpVariables>>;

export function httpFaults(e: HttpEnvironment): string[] {
  const { HTTP_HEADERS_TIMEOUT_MS: header = 0, HTTP_REQUEST_TIMEOUT_MS: request } = e;
  const faults: string[] = [];
  if (request > 0 && header > request) {
    faults.push('HTTP_HEADERS_TIMEOUT_MS must not exceed HTTP_REQUEST_TIMEOUT_MS');
  }
  if (e.PUBLIC_URL !== undefined && !isOrigin(e.PUBLIC_URL)) {
    faults.push(
      'PUBLIC_URL must be SCHEME://HOST[:PORT] without a path: Mayfly needs a host name or port of its own',
    );
  }
  return faults;
}

function isOrigin(url: string): boolean {
  const { origin, href } = new URL(url);
  return href.replace(/\/+$/, '') === origin;
}

/** For all limits, 0 means no limit. */
export function httpConfig(e: HttpEnvironment) {
  return {
    port: e.PORT,
    processes: e.WEB_PROCESSES,
    publicUrl: (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, ''),
    compatWithoutCredentials: e.COMPAT_WITHOUT_CREDENTIALS,
    /** Time limit for the request header, from the start of the connection or its first byte. */
    headersTimeoutMs:
      e.HTTP_HEADERS_TIMEOUT_MS ??
      Math.min(HEADERS_TIMEOUT_MS, e.HTTP_REQUEST_TIMEOUT_MS || Infinity),
    /** Time limit for the whole request. */
    requestTimeoutMs: e.HTTP_REQUEST_TIMEOUT_MS,
    maxConnections: e.HTTP_MAX_CONNECTIONS,
    maxReceivingBytes: e.HTTP_MAX_RECEIVING_BYTES,
    maxSendingBytes: e.HTTP_MAX_SENDING_BYTES,
    waitsPerWorkspace: e.WAITS_PER_WORKSPACE,
    logRequests: e.LOG_REQUESTS,
  };
}

/** Requests, failures or bytes per minute; 0 for no limit. */
export function rateLimits(e: HttpEnvironment, isPrivate: boolean) {
  return {
    free: e.RATE_LIMIT_FREE,
    pro: e.RATE_LIMIT_PRO,
    authFailures: e.RATE_LIMIT_AUTH_FAILURES,
    storedBytes: e.STORED_BYTES_PER_MINUTE ?? (isPrivate ? 0 : 64 * MiB),
  };
}
