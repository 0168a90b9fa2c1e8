import { ApiError } from './api-error.js';

/**
 * The error for a session whose cookie the browser has dropped. With an https `publicUrl` the cookie is `Secure`, and
 * browsers keep no such cookie of a page in plain http (RFC 6265bis section 5.7).
 */
export function notKept(publicUrl: string, page: { protocol: string; origin: string }): ApiError {
  const isPlain = page.protocol === 'http:' && publicUrl.startsWith('https:');
  const text = isPlain
    ? `You cannot sign in here: this page came over plain http, and Mayfly is set up for https. ` +
      `Open ${publicUrl} and sign in there. If that address does not work, whoever runs Mayfly has to set ` +
      `PUBLIC_URL to ${page.origin} and restart it.`
    : 'The browser did not keep the session. Allow cookies for this site, then sign in again.';
  return new ApiError(text, 'session_not_kept', null);
}
