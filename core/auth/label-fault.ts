const KEY = /^[a-z0-9][a-z0-9._-]{0,39}$/;
const MAX_VALUE_LENGTH = 100;

/** The rule that a label breaks, as a sentence; null if it is valid. */
export function labelFault(key: string, value: string): string | null {
  if (!KEY.test(key)) {
    return `The label key ${JSON.stringify(key.slice(0, 64))} is invalid. A key has 1 to 40 characters from a-z, 0-9, ".", "_" and "-", and starts with a letter or digit.`;
  }
  if (
    Array.from(value).length > MAX_VALUE_LENGTH ||
    /\p{Cc}/u.test(value) ||
    !value.isWellFormed()
  ) {
    return `The value of the label "${key}" is invalid. A value has at most ${MAX_VALUE_LENGTH} characters and no control characters.`;
  }
  return null;
}
