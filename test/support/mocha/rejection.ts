import { asAppError } from '../../../core/errors.js';

/** The code of the AppError that each of the calls, made one after the other, rejects with. */
export async function rejectionCodes(calls: (() => Promise<unknown>)[]): Promise<string[]> {
  const codes: string[] = [];
  for (const call of calls) {
    try {
      await call();
      codes.push('none');
    } catch (error) {
      codes.push(asAppError(error)?.code ?? String(error));
    }
  }
  return codes;
}

/** What the promise rejects with. @throws when it does not. */
export async function rejection(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was rejected');
}
