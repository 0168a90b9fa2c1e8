import { type Mayfly, createClient } from '@mayfly/client';
import type { Profile } from './profile.js';
import { UsageError } from './usage-error.js';

/** @throws {UsageError} for a URL or a token of the wrong form. */
export function clientOf(login: Profile): Mayfly {
  try {
    return createClient(login);
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}
