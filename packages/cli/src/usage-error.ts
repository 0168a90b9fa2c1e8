/** A command line that cannot be carried out: exit code 2. */
export class UsageError extends Error {}
