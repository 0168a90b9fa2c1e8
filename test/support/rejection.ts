import { AppError } from '../../core/errors.js';

/** The code of the {@link AppError} that each of the calls, made one after the other, rejects with. */
export async function rejectionCodes(calls: (() => Promise<unknown>)[]): Promise<string[]> {
  const codes: string[] = [];
  for (const call of calls) {
    try {
      await call();
      codes.push('none');
    } catch (error) {
      codes.push(error instanceof AppError ? error.code : String(error));
    }
  }
  return codes;
}
