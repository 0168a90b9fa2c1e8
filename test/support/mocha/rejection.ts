import { asAppError } from '../../../core/errors.ts';

/** Makes the calls one after the other. Returns the code of the AppError that each rejects with. */
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

/** The reason of the rejection. @throws if the promise does not reject. */
export async function rejection(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was rejected');
}
