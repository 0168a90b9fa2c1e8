/** Values that often cause faults in services. */
import fc, { type Arbitrary } from 'fast-check';

const SURPRISES = [
  '',
  ' ',
  '\0',
  '\r\n',
  'a\r\nX-Evil: 1',
  '\uD800',
  'a\uDFFFb',
  '\uFEFF',
  '\u202Eevil',
  '\u200Fmark',
  '\uFFFF',
  '\u2028',
  'ﷺ',
  'İ',
  'ß',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  '../../etc/passwd',
  '..',
  '.',
  '%',
  '%00',
  '%2F',
  "' OR 1=1 --",
  '{{7*7}}',
  '${7}',
  '__proto__',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  'mailto:',
  'http://[::1',
  'https://',
  'https://127.0.0.1/',
  'a@b',
  '@',
  '+@one.test',
  '"quoted@"@one.test',
  'xn--',
  'box1+@one.test',
  'box1@one.test.',
  'postmaster@one.test',
];

/**
 * Any code points but lone surrogates. The unit `binary` of fast-check takes a second of CPU time
 * to set up.
 */
export const anyText = (maxLength = 10): Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((points) => String.fromCodePoint(...points).toWellFormed());

export const oddString: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...SURPRISES),
  anyText(),
  fc.string({ unit: 'grapheme' }),
  // Lone surrogates, which fast-check does not generate.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(10, 255, 256, 1001, 10_001, 60_000).map((length) => 'x'.repeat(length)),
);

const oddNumber: Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 0.1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

export const oddValue: Arbitrary<unknown> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  oddNumber,
  oddString,
  fc.array(oddString, { maxLength: 3 }),
  fc.constantFrom([], {}, [null], [[]], { length: 5 }, { toString: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A segment of a path, or a part of a query, that a request line can carry. */
export const oddSegment: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '%2F',
    '..%2f..%2fetc',
    '%2e%2e',
    '..',
    '.',
    '%',
    '%zz',
    '%ED%A0%80',
    '%00',
    '%C0%AF',
    '%FF',
    '%0d%0aX:1',
    'a%20b',
    '%252F',
    'a;b=c',
    ':name',
    '*',
    '(',
    '[',
    '{id}',
    '+',
    '@',
    '~',
    '-',
    '0',
    'msg_',
    'mbx_01k9z6v7m3q8w2x4y5b6c7d8e9',
    'msg_01k9z6v7m3q8w2x4y5b6c7d8e9',
    'tok_01k9z6v7m3q8w2x4y5b6c7d8e9',
    '__proto__',
    'constructor',
    'raw',
    'messages',
    '\\',
  ),
  oddString.map((text) => encodeURIComponent(text.slice(0, 300).toWellFormed())),
  fc.constantFrom(200, 4_000).map((length) => 'x'.repeat(length)),
);

/** Characters that the value of a header field can contain: RFC 9110 section 5.5. */
export const oddHeader: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\t',
    'a,b',
    '"',
    'é',
    '\xff',
    'x'.repeat(255),
    'x'.repeat(256),
    'mf_' + 'a'.repeat(43),
  ),
  fc
    .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })))
    .map((bytes) => String.fromCharCode(...bytes)),
);
