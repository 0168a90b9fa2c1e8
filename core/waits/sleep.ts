/**
 * A sleep that can be ended early, by a wake-up or by a failure. Neither is lost between two
 * sleeps.
 */
export interface Sleep {
  /** Ends the current sleep, or the next one. */
  wake: () => void;
  /** Rejects the current sleep and all later ones. */
  fail: (error: Error) => void;
  /**
   * Resolves to true after a wake-up, to false at the time (of `performance.now`).
   * @throws the error of {@link fail}
   */
  until: (at: number, options?: { evenIfWoken: boolean }) => Promise<boolean>;
  /** @throws the error of {@link fail} */
  check: () => void;
  close: () => void;
}

/** @param gone fails the sleep when it is aborted */
export function openSleep(gone: AbortSignal): Sleep {
  let isWoken = false;
  let failure: Error | null = null;
  let end: (() => void) | null = null;

  const fail = (error: Error) => {
    failure ??= error;
    end?.();
  };
  const onGone = () => {
    fail(new Error('the client has gone'));
  };
  gone.addEventListener('abort', onGone);
  const check = () => {
    if (gone.aborted) onGone();
    if (failure) throw failure;
  };

  return {
    wake() {
      isWoken = true;
      end?.();
    },
    fail,
    check,
    async until(at, { evenIfWoken }: { evenIfWoken?: boolean } = {}) {
      check();
      const delay = at - performance.now();
      if (delay > 0 && (evenIfWoken === true || !isWoken)) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, delay);
          end = () => {
            if (evenIfWoken === true && !failure) return;
            clearTimeout(timer);
            resolve();
          };
        });
        end = null;
      }
      check();
      if (evenIfWoken === true) return false;
      const woken = isWoken;
      isWoken = false;
      return woken;
    },
    close() {
      gone.removeEventListener('abort', onGone);
    },
  };
}
