/**
 * Resolves or rejects like `work`, or rejects with `fault` after `ms` milliseconds. The work is not
 * cancelled, but can check whether it is late before irreversible steps.
 */
export async function withTimeout<Value>(
  ms: number,
  work: (isLate: () => boolean) => Promise<Value>,
  fault = `timed out after ${ms} ms`,
): Promise<Value> {
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      late = true;
      reject(new Error(fault));
    }, ms);
  });
  try {
    return await Promise.race([work(() => late), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
