/** HTTP configuration. */
import type { z } from 'zod';
import { flag, httpUrl, port, whole } from './values.js';

const MiB = 1024 * 1024;
const DAY_MS = 86_400_000;
/** Default of Node. */
const HEADERS_TIMEOUT_MS = 60_000;

export const httpVariables = {
  PORT: port().default(3000),
  WEB_PROCESSES: whole(1, 64).default(1),
  PUBLIC_URL: httpUrl().optional(),
  HTTP_HEADERS_TIMEOUT_MS: whole(0, DAY_MS).optional(),
  HTTP_REQUEST_TIMEOUT_MS: whole(0, DAY_MS).default(120_000),
  HTTP_MAX_CONNECTIONS: whole(0, 1_000_000).default(5000),
  HTTP_MAX_RECEIVING_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(128 * MiB),
  LOG_REQUESTS: flag().default(true),
  TRUST_PROXY: whole(0, 100).default(0),
  RATE_LIMIT_FREE: whole(0, 1_000_000_000).default(120),
  RATE_LIMIT_PRO: whole(0, 1_000_000_000).default(1200),
  RATE_LIMIT_AUTH_FAILURES: whole(0, 1_000_000_000).default(100),
};

type HttpEnvironment = z.infer<z.ZodObject<typeof httpVariables>>;

export function httpFaults(e: HttpEnvironment): string[] {
  const { HTTP_HEADERS_TIMEOUT_MS: header = 0, HTTP_REQUEST_TIMEOUT_MS: request } = e;
  return request > 0 && header > request
    ? ['HTTP_HEADERS_TIMEOUT_MS must not exceed HTTP_REQUEST_TIMEOUT_MS']
    : [];
}

/** For all limits, 0 means no limit. */
export function httpConfig(e: HttpEnvironment) {
  return {
    port: e.PORT,
    processes: e.WEB_PROCESSES,
    publicUrl: (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, ''),
    /** Time limit from the first byte to the end of the request header. */
    headersTimeoutMs:
      e.HTTP_HEADERS_TIMEOUT_MS ??
      Math.min(HEADERS_TIMEOUT_MS, e.HTTP_REQUEST_TIMEOUT_MS || Infinity),
    /** Time limit for the whole request. */
    requestTimeoutMs: e.HTTP_REQUEST_TIMEOUT_MS,
    maxConnections: e.HTTP_MAX_CONNECTIONS,
    maxReceivingBytes: e.HTTP_MAX_RECEIVING_BYTES,
    logRequests: e.LOG_REQUESTS,
  };
}

/** Requests or failures per minute; 0 for no limit. */
export function rateLimits(e: HttpEnvironment) {
  return {
    free: e.RATE_LIMIT_FREE,
    pro: e.RATE_LIMIT_PRO,
    authFailures: e.RATE_LIMIT_AUTH_FAILURES,
  };
}
