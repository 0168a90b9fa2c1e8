/**
 * The tests have a short form, which runs by default, and a long form, `npm run test:all`: every fault, more generated
 * requests with a seed of the run's own, and more repetitions.
 */
export const isLongForm = process.env.TEST_FORM === 'long';
