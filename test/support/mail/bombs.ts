/**
 * Mail that is expensive to parse, within the size limit of SMTP. `bytes` scales the variable
 * parts, because each attack must also be harmless just below every limit that routes mail
 * elsewhere.
 */

export interface Bomb {
  readonly name: string;
  readonly make: (bytes: number) => Buffer;
}

const HEAD = 'From: Bomber <bomber@evil.example>\r\nSubject: bomb\r\nMIME-Version: 1.0\r\n';
const times = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const mail = (head: string, body: string) =>
  Buffer.from(`${HEAD}${head ? `${head}\r\n` : ''}\r\n${body}`, 'latin1');
const multipart = (parts: string) =>
  mail('Content-Type: multipart/mixed; boundary=b', `${parts}--b--\r\n`);
const html = (body: string) => mail('Content-Type: text/html; charset=utf-8', body);
const text = (body: string, type = 'text/plain; charset=utf-8', encoding = '8bit') =>
  mail(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}`, body);
const numbered = (bytes: number, line: (n: number) => string) => {
  const lines: string[] = [];
  for (let length = 0, n = 0; length < bytes; n += 1) {
    const next = line(n);
    lines.push(next);
    length += next.length;
  }
  return lines.join('');
};

/** Nested `multipart` parts with different boundaries. */
function nestedParts(bytes: number): Buffer {
  const open = numbered(
    bytes,
    (n) => `--b${n}\r\nContent-Type: multipart/mixed; boundary=b${n + 1}\r\n\r\n`,
  );
  return mail('Content-Type: multipart/mixed; boundary=b0', open);
}

export const bombs: readonly Bomb[] = [
  { name: 'parts without number', make: (n) => multipart(times('--b\r\n\r\nx\r\n', n)) },
  { name: 'parts in parts', make: nestedParts },
  {
    name: 'small attachments',
    make: (n) =>
      multipart(
        numbered(n, (i) => `--b\r\nContent-Disposition: attachment; filename=f${i}\r\n\r\nx\r\n`),
      ),
  },
  {
    name: 'mails in mails',
    make: (n) =>
      mail('Content-Type: message/rfc822', times('Content-Type: message/rfc822\r\n\r\n', n)),
  },
  { name: 'nested div', make: (n) => html(times('<div>', n)) },
  { name: 'nested table', make: (n) => html(times('<table><tr><td>', n)) },
  { name: 'paragraphs', make: (n) => html(times('<p>x</p>\r\n', n)) },
  { name: 'only <', make: (n) => html(times('<', n)) },
  { name: 'only < as text', make: (n) => text(times('<', n)) },
  {
    name: 'quoted-printable',
    make: (n) => text(times('=C3=A4=20=\r\n', n), undefined, 'quoted-printable'),
  },
  {
    name: 'quoted-printable, one line',
    make: (n) => text(times('=C3=A4', n), undefined, 'quoted-printable'),
  },
  {
    name: 'quoted-printable, broken',
    make: (n) => text(times('=E=\r\n=', n), undefined, 'quoted-printable'),
  },
  { name: 'base64 text', make: (n) => text(times('w6TDpMOkw6TDpMOk\r\n', n), undefined, 'base64') },
  { name: 'base64, rubbish', make: (n) => text(times('!?=\r\n', n), undefined, 'base64') },
  { name: 'flowed', make: (n) => text(times('x \r\n', n), 'text/plain; format=flowed') },
  {
    name: 'flowed, delsp',
    make: (n) => text(times('> x \r\n', n), 'text/plain; format=flowed; delsp=yes'),
  },
  { name: 'empty lines', make: (n) => text(times('\r\n', n)) },
  { name: 'one line', make: (n) => text(times('x', n)) },
  { name: 'utf-7', make: (n) => text(times('+AOQ-', n), 'text/plain; charset=utf-7') },
  {
    name: 'iso-2022-jp',
    make: (n) => text(times('\x1b$B$"\x1b(B', n), 'text/plain; charset=iso-2022-jp'),
  },
  {
    name: 'gb18030',
    make: (n) => text(times('\x81\x30\x81\x30', n), 'text/plain; charset=gb18030'),
  },
  { name: 'utf-16', make: (n) => text(times('\xd8\x00', n), 'text/plain; charset=utf-16') },
  {
    name: 'unknown charset',
    make: (n) => text(times('\xe4', n), `text/plain; charset=${'x'.repeat(10_000)}`),
  },
  { name: 'long charset name', make: (n) => text('x', `text/plain; charset=${times('x', n)}`) },
  {
    name: 'long boundary',
    make: (n) => mail(`Content-Type: multipart/mixed; boundary="${times('b', n)}"`, 'x'),
  },
  { name: 'boundary lookalikes', make: (n) => multipart(`--b\r\n\r\n${times('--bb\r\n', n)}`) },
  {
    name: 'addresses',
    make: (n) => mail(`To: ${numbered(n, (i) => `a${i}@x.example, `)}a@x.example`, 'x'),
  },
  {
    name: 'addresses on lines',
    make: (n) => mail(`To: ${numbered(n, (i) => `a${i}@x.example,\r\n `)}a@x.example`, 'x'),
  },
  { name: 'commas in To', make: (n) => mail(`To: ${times(',', n)}`, 'x') },
  { name: 'quotes in To', make: (n) => mail(`To: ${times('"', n)}`, 'x') },
  { name: 'brackets in To', make: (n) => mail(`To: ${times('(', n)}`, 'x') },
  { name: '< in To', make: (n) => mail(`To: ${times('<', n)}`, 'x') },
  { name: '@ in To', make: (n) => mail(`To: ${times('@', n)}`, 'x') },
  { name: 'backslashes in To', make: (n) => mail(`To: "${times('\\"', n)}`, 'x') },
  { name: 'words in To', make: (n) => mail(`To: ${times('a ', n)}`, 'x') },
  { name: 'groups in To', make: (n) => mail(`To: ${times('g:a@x.example;, ', n)}`, 'x') },
  { name: 'nested groups in To', make: (n) => mail(`To: ${times('g:', n)}`, 'x') },
  { name: 'encoded words', make: (n) => mail(`X-Words: ${times('=?utf-8?Q?=C3=A4?= ', n)}`, 'x') },
  {
    name: 'encoded words in Subject',
    make: (n) => mail(`Subject: ${times('=?utf-8?B?w6Q=?=\r\n ', n)}`, 'x'),
  },
  { name: 'unfinished words in Subject', make: (n) => mail(`Subject: ${times('=?', n)}`, 'x') },
  {
    name: 'unfinished words with charset',
    make: (n) => mail(`Subject: ${times('=?utf-8?Q?', n)}`, 'x'),
  },
  {
    name: 'encoded words in To',
    make: (n) => mail(`To: ${times('=?utf-8?Q?=C3=A4?= <a@x.example>, ', n)}`, 'x'),
  },
  { name: 'header lines', make: (n) => mail(times('X-A: b\r\n', n).slice(0, -2), 'x') },
  { name: 'To lines', make: (n) => mail(times('To: a@x.example\r\n', n).slice(0, -2), 'x') },
  { name: 'folded Subject', make: (n) => mail(`Subject: ${times('x\r\n ', n)}`, 'x') },
  { name: 'long Subject', make: (n) => mail(`Subject: ${times('x', n)}`, 'x') },
  {
    name: 'References',
    make: (n) => mail(`References: ${numbered(n, (i) => `<${i}@x.example> `)}`, 'x'),
  },
  {
    name: 'parameters',
    make: (n) => mail(`Content-Type: text/plain${numbered(n, (i) => `; a${i}=b`)}`, 'x'),
  },
  {
    name: 'parameter pieces',
    make: (n) =>
      mail(`Content-Disposition: attachment${numbered(n, (i) => `; filename*${i}*=%C3%A4`)}`, 'x'),
  },
  {
    name: 'parameter quotes',
    make: (n) => mail(`Content-Type: text/plain; name="${times('\\"', n)}`, 'x'),
  },
  {
    name: 'DKIM and lists',
    make: (n) =>
      mail(
        `DKIM-Signature: v=1; ${times('a=b; ', n)}\r\nList-Unsubscribe: ${times('<mailto:a@x.example>, ', n / 2)}`,
        'x',
      ),
  },
  {
    name: 'part headers',
    make: (n) =>
      multipart(
        times(
          '--b\r\nContent-Type: text/plain; charset=utf-8; name="=?utf-8?Q?a?="\r\nContent-Disposition: inline\r\nContent-ID: <x>\r\n\r\nx\r\n',
          n,
        ),
      ),
  },
  {
    name: 'part with a long header',
    make: (n) =>
      multipart(`--b\r\nTo: ${numbered(n, (i) => `a${i}@x.example, `)}a@x.example\r\n\r\nx\r\n`),
  },
  {
    name: 'cid image repeated',
    make: (n) =>
      mail(
        'Content-Type: multipart/related; boundary=b',
        `--b\r\nContent-Type: text/html\r\n\r\n${times('<img src="cid:i">', n / 2)}\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <i>\r\nContent-Transfer-Encoding: base64\r\n\r\n${times('AAAA', n / 2)}\r\n--b--\r\n`,
      ),
  },
  { name: 'uuencode', make: (n) => text(times('M\'XL(""\r\n', n), undefined, 'x-uuencode') },
  { name: 'bare text, no header', make: (n) => Buffer.from(times('x', n)) },
  { name: 'NUL', make: (n) => text(times('\0', n)) },
  { name: 'lone CR', make: (n) => text(times('\r', n)) },
  {
    name: 'attachment',
    make: (n) =>
      mail(
        'Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a\r\nContent-Transfer-Encoding: base64',
        times(`${'A'.repeat(76)}\r\n`, n),
      ),
  },
];
