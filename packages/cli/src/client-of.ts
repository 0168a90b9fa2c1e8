import { type Mayfly, createClient } from '@mayfly/client';
import { httpFetch } from './http-fetch.ts';
import type { Profile } from './profile.ts';
import { UsageError } from './usage-error.ts';

/** @throws {UsageError} for a URL or a token of the wrong form. */
export function clientOf(login: Profile): Mayfly {
  try {
    return createClient({ ...login, fetch: httpFetch });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}
