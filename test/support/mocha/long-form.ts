/**
 * The tests have a short form, which is the default, and a long form, `./scripts/test --all`: every
 * fault, more generated requests with a random seed, and more repetitions.
 */
export const isLongForm = process.env.TEST_FORM === 'long';
