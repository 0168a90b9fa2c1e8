/** Why `up` cannot start, in words for the one who started it. */
export class StartError extends Error {
  override name = 'StartError';
}
