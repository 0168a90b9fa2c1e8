import { errorText } from './errors.ts';

/**
 * Runs all steps, one after the other. One that fails keeps no later one from running.
 * @throws the error of the step that failed; {@link AggregateError} if several did.
 */
export async function runEach(steps: Iterable<() => Promise<unknown>>): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(errorText).join('; '));
  if (errors.length > 0) throw errors[0];
}
