/** The part of the configuration that concerns the HTTP side. */
import type { z } from 'zod';
import { httpUrl, port, whole } from './config-values.js';

export const httpVariables = {
  PORT: port().default(3000),
  PUBLIC_URL: httpUrl().optional(),
  TRUST_PROXY: whole(0, 100).default(0),
  RATE_LIMIT_FREE: whole(0, 1_000_000_000).default(120),
  RATE_LIMIT_PRO: whole(0, 1_000_000_000).default(1200),
  RATE_LIMIT_AUTH_FAILURES: whole(0, 1_000_000_000).default(100),
};

type HttpEnvironment = z.infer<z.ZodObject<typeof httpVariables>>;

export function httpConfig(e: HttpEnvironment) {
  return {
    port: e.PORT,
    publicUrl: (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, ''),
  };
}

/** Requests, or failures, a minute; 0 for no limit. */
export function rateLimits(e: HttpEnvironment) {
  return {
    free: e.RATE_LIMIT_FREE,
    pro: e.RATE_LIMIT_PRO,
    authFailures: e.RATE_LIMIT_AUTH_FAILURES,
  };
}
