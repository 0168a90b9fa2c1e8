import { type Mayfly, createClient } from '@mayfly/client';
import { httpFetch } from '../../shared/http-fetch.ts';
import { UsageError } from './arguments.ts';
import type { Profile } from './profile.ts';

/** @throws {UsageError} for a URL or a token of the wrong form. */
export function clientOf(login: Profile): Mayfly {
  try {
    return createClient({ ...login, fetch: httpFetch });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}
