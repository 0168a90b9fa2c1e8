/**
 * The outcome of `work`, or a rejection with `fault` when it has none within `ms`. The work itself cannot be
 * stopped, but it can ask whether it is late before it does what must not be done late.
 */
export async function within<Value>(
  ms: number,
  work: (isLate: () => boolean) => Promise<Value>,
  fault = `not done within ${ms} ms`,
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
