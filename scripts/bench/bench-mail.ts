const HEAD = 'From: load@bench.example\r\nMIME-Version: 1.0\r\n';
const LINE = `${'0123456789 '.repeat(6)}\r\n`;

/** A plain text mail of about so many bytes. Its number, in the subject, finds it again at a receiver. */
export function benchMail(bytes: number, number = 0): string {
  const head = `${HEAD}Subject: bench ${number}\r\n\r\n`;
  return head + LINE.repeat(Math.max(1, Math.ceil((bytes - head.length) / LINE.length)));
}

/** The number of the mail that the beginning of a webhook's payload tells of. */
export function numberIn(payload: string): number | null {
  const [, number] = /"subject":"bench (\d+)"/.exec(payload) ?? [];
  return number === undefined ? null : Number(number);
}
