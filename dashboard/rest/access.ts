/** Request state shared with the session: the CSRF token and the reason of the last 401. */
import { signal } from '@preact/signals';

/** Sent with every change. Kept in memory only; the session cookie is in the browser. */
export const csrfToken = signal<string | null>(null);

/** Error message of a 401 response; null while requests are authorized. */
export const refusal = signal<string | null>(null);
