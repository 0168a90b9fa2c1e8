/** Snapshots of mail for runners without a matcher of their own, such as node:test. */
export { type SnapshotOptions, mailSnapshot } from './snapshots/mail-snapshot.ts';
