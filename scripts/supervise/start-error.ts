/** Why `up` cannot start, as a text for the operator. */
export class StartError extends Error {
  override name = 'StartError';
}
