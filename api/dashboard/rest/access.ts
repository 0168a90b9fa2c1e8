/** What requests need of the session, and what they learn about it. */
import { signal } from '@preact/signals';

/** Goes with every change. Kept in memory only; the cookie is the browser's. */
export const csrfToken = signal<string | null>(null);

/** Why requests are refused with 401; null while they are not. */
export const refusal = signal<string | null>(null);
