/**
 * User names and passwords of SMTP credentials. A password has 190 random bits, so its SHA-256
 * needs no salt and no stretching. The only other one is BOOTSTRAP_SMTP_PASSWORD.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62 ** 32 is greater than 2 ** 190. */
const PASSWORD_LENGTH = 32;
const SUFFIX_LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const SUFFIX_LENGTH = 8;

export interface NewPassword {
  password: string;
  passwordHash: string;
}

export function newPassword(): NewPassword {
  const password = randomText(BASE62, PASSWORD_LENGTH);
  return { password, passwordHash: hashPassword(password) };
}

/** The SHA-256 of a password, hexadecimal. */
export function hashPassword(password: string): string {
  return hashOf(password).toString('hex');
}

/** Returns a random user name that starts with the name of the mailbox. */
export function newUsername(mailboxName: string): string {
  return `${mailboxName}-${randomText(SUFFIX_LETTERS, SUFFIX_LENGTH)}`;
}

/** Whether the password matches. Takes the same time without a hash. */
export function isPassword(given: string, passwordHash: string | null): boolean {
  const known = Buffer.from(passwordHash ?? '', 'hex');
  const hash = hashOf(given);
  const isKnown = known.length === hash.length;
  return timingSafeEqual(hash, isKnown ? known : hashOf('')) && isKnown;
}

function hashOf(password: string): Buffer {
  return createHash('sha256').update(password).digest();
}

function randomText(letters: string, length: number): string {
  return Array.from({ length }, () => letters.charAt(randomInt(letters.length))).join('');
}
