import { type Mayfly, createClient } from '@mayfly/client';
import { httpFetch } from './http-fetch.js';
import type { Profile } from './profile.js';
import { UsageError } from './usage-error.js';

/** @throws {UsageError} for a URL or a token of the wrong form. */
export function clientOf(login: Profile): Mayfly {
  try {
    return createClient({ ...login, fetch: httpFetch });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}
