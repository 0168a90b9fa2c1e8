/** Value types of environment variables. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isDomainName, mailboxAddress, normalizeDomain, parseAddress } from '../addresses.ts';
import { errorText } from '../errors.ts';
import { parseCidr } from './cidr.ts';
import { parseKeyring } from '../secrets/keyring.ts';
import { parseRedisAddress } from './redis-address.ts';

const MAX_DELAY_MS = 7 * 86_400_000;

/** An integer in plain decimal digits, within inclusive bounds. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)
    .meta({ accepts: max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}` });

export const port = () => whole(1, 65535);

/** 0 for a port that `up` chooses. */
export const portOrFree = () => whole(0, 65535);

/** A secret that is valid in a header and, encoded, in a URL. */
export const secret = (min: number) => {
  const rule = `${min} to 200 characters from ! to ~, without spaces`;
  return z
    .string()
    .regex(new RegExp(`^[!-~]{${min},200}$`), `must have ${rule}`)
    .meta({ accepts: rule.replace('! to ~', '`!` to `~`') });
};

export const domain = (what: string) =>
  z
    .string()
    .transform(normalizeDomain)
    .refine(isDomainName, `must be ${what}`)
    .meta({ accepts: what });

/** `name@domain` of a mailbox, in lower case. */
export const mailboxAddressValue = () =>
  z
    .string()
    .transform((text, check) => {
      const recipient = parseAddress(text.trim());
      if (recipient?.tag === null) return mailboxAddress(recipient.name, recipient.domain);
      check.addIssue({ code: 'custom', message: 'must be the address of a mailbox: name@domain' });
      return z.NEVER;
    })
    .meta({ accepts: '`name@domain`' });

export const flag = () =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .meta({ accepts: '`true`, `false`' });

export const httpUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .meta({ accepts: '`http` or `https` URL' });

/** A comma-separated list of milliseconds. */
export const delays = () =>
  z
    .string()
    .regex(/^\d+(?:,\d+)*$/, 'must be milliseconds, comma-separated')
    .transform((text) => text.split(',').map(Number))
    .refine((list) => list.length <= 20 && list.every((ms) => ms <= MAX_DELAY_MS), {
      error: `must be at most 20 delays of at most ${MAX_DELAY_MS}`,
    })
    .meta({ accepts: `up to 20 numbers, each at most ${MAX_DELAY_MS}` });

/** Validated but kept as text. */
export const redisUrl = () =>
  parsedBy((text) => {
    parseRedisAddress(text);
    return text;
  }).meta({ accepts: 'Redis URL' });

export const cidrs = () =>
  parsedBy((text) => text.split(',').map(parseCidr)).meta({ accepts: 'CIDR list' });
export const keyring = () => parsedBy(parseKeyring).meta({ accepts: '`ID:BASE64` list' });

/** The content of the named file. */
export const textFile = () =>
  z
    .string()
    .transform((path, check) => {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        check.addIssue({ code: 'custom', message: `cannot be read: ${errorText(error)}` });
        return z.NEVER;
      }
    })
    .meta({ accepts: 'file' });

/** The result of `parse`. The message of its error becomes the fault. */
function parsedBy<Value>(parse: (text: string) => Value) {
  return z.string().transform((text, check) => {
    try {
      return parse(text);
    } catch (error) {
      check.addIssue({ code: 'custom', message: errorText(error) });
      return z.NEVER;
    }
  });
}
