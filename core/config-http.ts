/** The part of the configuration that concerns the HTTP side. */
import type { z } from 'zod';
import { httpUrl, port, whole } from './config-values.js';

const MiB = 1024 * 1024;

export const httpVariables = {
  PORT: port().default(3000),
  PUBLIC_URL: httpUrl().optional(),
  HTTP_MAX_RECEIVING_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(128 * MiB),
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
    /** 0 for any number. */
    maxReceivingBytes: e.HTTP_MAX_RECEIVING_BYTES,
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
