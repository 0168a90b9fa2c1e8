/**
 * Plain calls of Mailpit's API: the mails that are sent before them, and what is compared of their
 * answers. `record-mailpit.ts` makes them at Mailpit, test/api/compat/mailpit-answers.test.ts at
 * Mayfly.
 */

export interface Call {
  /** `GET /path`, where `{welcome}` is the id of the mail with this name in its subject. */
  call: string;
  body?: object;
}

export interface Answer {
  /** As in {@link Call}. */
  call: string;
  status: number;
  /** The media type. */
  type: string;
  /** A JSON value, or a text. Bytes of other types are in Base64. */
  body: unknown;
}

/** Makes a request of one of the services. */
export type Ask = (method: string, path: string, body?: object) => Promise<Response>;

/** The envelope of each mail. */
export const SENDER = 'sender@elsewhere.test';
export const RECIPIENT = 'box@one.test';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** In the order in which they are sent. */
export const MAILS: string[] = [
  [
    ...['From: Shop <shop@else.test>', `To: Ann <${RECIPIENT}>, bob@else.test`],
    ...['Cc: Cy <cy@else.test>', 'Reply-To: Help <help@else.test>', 'Subject: welcome'],
    ...['Date: Mon, 02 Mar 2026 09:15:00 +0100', 'Message-ID: <welcome@else.test>'],
    ...['X-Tags: order, new customer', 'X-Run: 7', 'X-Run: 8'],
    'List-Unsubscribe: <mailto:off@else.test>, <https://else.test/off>',
    ...['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=out', ''],
    ...['--out', 'Content-Type: multipart/related; boundary=rel', ''],
    ...['--rel', 'Content-Type: multipart/alternative; boundary=alt', ''],
    ...['--alt', 'Content-Type: text/plain; charset=utf-8', '', 'Your code is 482913.'],
    ...['--alt', 'Content-Type: text/html; charset=utf-8', ''],
    '<p>Your code is <b>482913</b>. <img src="cid:logo@else.test"></p>',
    '--alt--',
    ...['--rel', 'Content-Type: image/png; name=logo.png', 'Content-Disposition: inline'],
    ...['Content-ID: <logo@else.test>', 'Content-Transfer-Encoding: base64', '', PNG, '--rel--'],
    ...['--out', 'Content-Type: application/pdf; name=invoice.pdf'],
    ...['Content-Disposition: attachment; filename=invoice.pdf'],
    ...['Content-Transfer-Encoding: base64', '', 'JVBERi0xLjQK', '--out--', ''],
  ],
  [
    ...['From: news@else.test', `To: ${RECIPIENT}`, 'Subject: newsletter'],
    ...['Date: Mon, 02 Mar 2026 09:16:00 +0100', 'Message-ID: <news@else.test>'],
    ...['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8', ''],
    ...['<p>Read <a href="https://else.test/news">the news</a></p>', ''],
  ],
  [
    ...['From: Shop <shop@else.test>', `To: ${RECIPIENT}`, 'Subject: reset'],
    ...['Date: Mon, 02 Mar 2026 09:17:00 +0100', 'Message-ID: <reset@else.test>'],
    ...['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', ''],
    ...['Open https://else.test/reset?t=1 now', ''],
  ],
].map((lines) => lines.join('\r\n'));

/** In this order. Lists come first: a message that Mailpit has shown is read. */
export const CALLS: Call[] = [
  { call: 'GET /livez' },
  { call: 'GET /readyz' },
  { call: 'GET /api/v1/info' },
  { call: 'GET /api/v1/messages' },
  { call: 'GET /api/v1/messages?start=1&limit=1' },
  { call: 'GET /api/v1/messages?start=7' },
  { call: 'GET /api/v1/search?query=subject:welcome' },
  { call: 'GET /api/v1/search?query=from:news@else.test' },
  { call: 'GET /api/v1/search?query=nowhere' },
  { call: 'GET /api/v1/tags' },
  { call: 'GET /api/v1/message/{welcome}' },
  { call: 'GET /api/v1/message/{newsletter}' },
  { call: 'GET /api/v1/message/latest' },
  { call: 'GET /api/v1/message/latest?query=subject:welcome' },
  { call: 'GET /api/v1/message/unknown' },
  { call: 'GET /api/v1/message/{welcome}/headers' },
  { call: 'GET /api/v1/message/{reset}/raw' },
  { call: 'GET /api/v1/message/{welcome}/part/2' },
  { call: 'GET /api/v1/message/{welcome}/part/1.2' },
  { call: 'GET /api/v1/message/{welcome}/part/9' },
  { call: 'GET /view/{newsletter}.html' },
  { call: 'GET /view/{reset}.html' },
  { call: 'GET /view/{welcome}.txt' },
  { call: 'GET /view/latest' },
  { call: 'PUT /api/v1/messages', body: { IDs: [], Read: false } },
  { call: 'DELETE /api/v1/search?query=subject:reset' },
  { call: 'DELETE /api/v1/messages', body: { IDs: ['{newsletter}'] } },
  { call: 'GET /api/v1/search?query=code' },
  { call: 'DELETE /api/v1/messages' },
  { call: 'GET /api/v1/messages?limit=2' },
];

/** The answers to all calls, in their order. */
export async function answersOf(ask: Ask): Promise<Answer[]> {
  const response = await ask('GET', '/api/v1/messages');
  const { messages } = (await response.json()) as { messages: { ID: string; Subject: string }[] };
  const ids = new Map(messages.map(({ ID, Subject }) => [Subject, ID]));
  const withIds = (text: string) =>
    text.replace(/\{(\w+)\}/g, (name, subject: string) => ids.get(subject) ?? name);
  const answers: Answer[] = [];
  for (const { call, body: given } of CALLS) {
    const [method = '', path = ''] = call.split(' ');
    const sent = given && (JSON.parse(withIds(JSON.stringify(given))) as object);
    answers.push({ call, ...(await answerOf(await ask(method, withIds(path), sent))) });
  }
  return answers;
}

async function answerOf(response: Response): Promise<Omit<Answer, 'call'>> {
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const bytes = Buffer.from(await response.arrayBuffer());
  const isBinary = /^(?:image|application)\/(?!json)/.test(type);
  const text = bytes.toString(isBinary ? 'base64' : 'utf8');
  const body = type === 'application/json' ? (JSON.parse(text) as unknown) : text;
  return { status: response.status, type, body };
}
