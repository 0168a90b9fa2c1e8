/** Raw mail for tests. */
export interface RawParts {
  subject?: string;
  from?: string;
  html?: string;
  text?: string;
  /** Complete MIME parts with header fields. */
  parts?: string[];
  header?: string[];
}

/** A mail of several parts, with CRLF line ends. */
export function rawMail({
  subject = 'Hello',
  from = 'Ann <ann@else.test>',
  html,
  text,
  parts = [],
  header = [],
}: RawParts): string {
  const all = [
    ...(text === undefined ? [] : [`Content-Type: text/plain; charset=utf-8\n\n${text}`]),
    ...(html === undefined ? [] : [`Content-Type: text/html; charset=utf-8\n\n${html}`]),
    ...parts,
  ];
  const head = [
    `From: ${from}`,
    `Subject: ${subject}`,
    ...header,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=part',
  ];
  return `${head.join('\n')}\n\n${all.map((part) => `--part\n${part}\n`).join('')}--part--\n`.replaceAll(
    '\n',
    '\r\n',
  );
}
