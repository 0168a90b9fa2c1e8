/** Mails of a given size in shapes that are slow for a parser which is not linear. */

const times = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const multipart = (body: string, boundary = '0') =>
  Buffer.from(`Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${body}`, 'latin1');
const field = (value: string) => Buffer.from(`${value}\r\nTo: a@x.test\r\n\r\nbody`, 'latin1');
const body = (head: string, text: string) => Buffer.from(`${head}\r\n\r\n${text}`, 'latin1');
const nested = (n: number, fields = '') =>
  `--${n}\r\nContent-Type: multipart/mixed; boundary=${n + 1}\r\n${fields}\r\n`;
const nest = (text: string, fields?: string) =>
  multipart(Array.from({ length: 998 }, (_, n) => nested(n, fields)).join('') + text);
const encoded = (encoding: string) => `Content-Transfer-Encoding: ${encoding}\r\n`;
const HALF = 0.5;

export const HOSTILE_SHAPES: Record<string, (bytes: number) => Buffer> = {
  'lines of dashes': (n) => multipart(times('--\r\n', n)),
  delimiters: (n) => multipart(times('--0\r\n', n)),
  'one line of dashes': (n) => multipart(times('-', n), '----'),
  'one line of delimiters': (n) => multipart(times('--0', n)),
  'lines that begin like a long delimiter': (n) =>
    multipart(times(`--${times('-', 998)}\r\n`, n), `x${times('-', 998)}`),
  'a long delimiter except for its start': (n) => multipart(times('-', n), `x${times('-', 998)}`),
  'blanks after a delimiter': (n) => multipart(`--0${times(' ', n)}`),
  'multiparts that stay open': (n) => nest(times('x\r\n', n)),
  'multiparts in quoted-printable': (n) => nest(times('=41 ', n), encoded('quoted-printable')),
  'multiparts in base64': (n) => nest(times('QUJD', n), encoded('base64')),
  'multiparts without their boundary': (n) =>
    multipart(
      times('--0\r\nContent-Type: multipart/mixed; boundary=z\r\n\r\n', n * HALF) +
        times('--x\r\n', n * HALF),
    ),
  'short fields of a part': (n) => multipart(`--0\r\n${times('a:\n', n)}`),
  'nested groups': (n) => field(`Cc: ${times('g:', n * HALF)}`),
  'open comments': (n) => field(`Cc: ${times('(', n * HALF)}`),
  'open brackets': (n) => field(`Cc: ${times('<', n * HALF)}`),
  'encoded words': (n) => field(`Subject: ${times('=?utf-8?Q?=C3=A4?= ', n * HALF)}`),
  'open encoded words': (n) => field(`Subject: ${times('=?utf-8?Q?', n * HALF)}`),
  parameters: (n) => field(`Content-Type: text/plain${times(';a=b', n * HALF)}`),
  'parts with long parameters': (n) =>
    multipart(times(`--0\r\nContent-Type: text/plain; ${times('a', 900)}\r\n\r\nx\r\n`, n)),
  'carriage returns': (n) => field(`Subject: ${times('\r', n * HALF)}`),
  'blanks in quoted-printable': (n) =>
    body('Content-Transfer-Encoding: quoted-printable', times('= ', n)),
  'mails in quoted-printable': (n) =>
    Buffer.from(times(`${encoded('quoted-printable')}Content-Type: message/rfc822\r\n\r\n`, n)),
  'padding in base64': (n) => body('Content-Transfer-Encoding: base64', times('YQ=', n)),
  'UTF-7': (n) => body('Content-Type: text/plain; charset=utf-7', times('+AOQ-', n)),
  HZ: (n) => body('Content-Type: text/plain; charset=hz', times('~{!!', n)),
  'ISO-2022-JP': (n) => body('Content-Type: text/plain; charset=iso-2022-jp', times('\x1b$B', n)),
  'flowed lines': (n) => body('Content-Type: text/plain; format=flowed', times('> \r\n', n)),
  'meta elements': (n) => body('Content-Type: text/html', times('<meta ', n)),
};
