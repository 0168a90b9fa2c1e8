/** The cryptography that secrets stand on: a part of the context, so that its failure can be tested. */
import { randomInt } from 'node:crypto';
import { keyedHash } from './keyring.js';

export interface Cryptography {
  /** A number from 0 up to, and without, `max` that nobody can guess. */
  readonly randomInt: (max: number) => number;
  readonly keyedHash: typeof keyedHash;
}

export const nodeCryptography: Cryptography = {
  randomInt: (max) => randomInt(max),
  keyedHash,
};
