import { ApiError } from './api-error.ts';

/**
 * The error for a session whose cookie the browser dropped. If `publicUrl` is https, the cookie is
 * `Secure`, and browsers reject a `Secure` cookie on a plain HTTP page (RFC 6265bis section 5.7).
 */
export function notKept(publicUrl: string, page: { protocol: string; origin: string }): ApiError {
  const isPlain = page.protocol === 'http:' && publicUrl.startsWith('https:');
  const text = isPlain
    ? `Cannot sign in over plain HTTP: PUBLIC_URL of this Mayfly is an https URL. ` +
      `Open ${publicUrl} and sign in there. If that URL does not work, ask the operator to set ` +
      `PUBLIC_URL to ${page.origin} and restart Mayfly.`
    : 'The browser did not store the session cookie. Allow cookies for this site, then sign in again.';
  return new ApiError(text, 'session_not_kept', null);
}
