/** Snapshots of mail for runners without a matcher of their own, such as node:test. */
export { mailSnapshot } from './snapshots/mail-snapshot.ts';
