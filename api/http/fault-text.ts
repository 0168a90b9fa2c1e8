/**
 * Faults that the contract's validator finds, as sentences that name the field and say what it must
 * be.
 */

/** As express-openapi-validator reports it: `/query/limit` and `must be <= 100`. */
export interface ValidationFault {
  path: string;
  message: string;
}

/**
 * Patterns of the validator's messages; `$1` and `$2` are their groups. The subject is put before
 * the text.
 */
const predicates: [RegExp, string][] = [
  [/^must be (<=|less than or equal to) (\S+)$/, 'must be at most $2'],
  [/^must be (>=|greater than or equal to) (\S+)$/, 'must be at least $2'],
  [/^must NOT have fewer than (\d+) (\w+)$/, 'must have $1 or more $2'],
  [/^must NOT have more than (\d+) (\w+)$/, 'must have at most $1 $2'],
  [/^must be equal to one of the allowed values: (.*)$/, 'must be one of: $1'],
  [/^must match format "(.*)"$/, 'must be a valid $1'],
  [/^must match pattern (.*)$/, 'must match the pattern $1'],
  [/^must be (array|integer|object)$/, 'must be an $1'],
  [/^must be (array|integer|object),null$/, 'must be an $1 or null'],
  [/^must be (string|boolean|number)$/, 'must be a $1'],
  [/^must be (string|boolean|number),null$/, 'must be a $1 or null'],
  [/^Empty value found for query parameter .*$/, 'must not be empty'],
];

/** One sentence for the caller. */
export function faultText({ path, message }: ValidationFault): string {
  const [, place = '', ...names] = path.split('/');
  const name = names.join('/');
  const kind = { query: 'query parameter', headers: 'header' }[place] ?? 'field';
  if (message === 'must NOT have additional properties') return `Unknown field "${name}".`;
  if (message.startsWith('Unknown query parameter')) return `Unknown query parameter "${name}".`;
  if (message.startsWith('must have required property')) return `Missing ${kind} "${name}".`;
  const subject = name === '' ? 'The request body' : `"${name}"`;
  const [pattern, text] = predicates.find(([each]) => each.test(message)) ?? [/^/, ''];
  return `${subject} ${message.replace(pattern, text)}.`;
}
