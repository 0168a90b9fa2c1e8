import { AppError } from '../errors.ts';
import type { Directory } from './recipients.ts';

/**
 * Called before a change of rows that the recipient directory must reflect.
 * @throws {AppError} `unavailable` if the directory cannot be reached.
 */
export async function requireDirectory({ directory }: { directory: Directory }): Promise<void> {
  try {
    await directory.isComplete();
  } catch (error) {
    throw new AppError(
      'unavailable',
      'The recipient directory is temporarily unavailable. Retry in a few seconds.',
      {
        cause: error,
      },
    );
  }
}
