import type { Context } from '../context.js';
import { AppError } from '../errors.js';

/**
 * To be called before rows change whose addresses the recipient directory has to follow.
 * @throws {AppError} `unavailable` while the directory cannot be reached.
 */
export async function requireDirectory({ directory }: Pick<Context, 'directory'>): Promise<void> {
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
