import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface CorpusMail {
  /** Path below the folder of the corpus. */
  readonly name: string;
  /** As a client must send it, dots not yet stuffed. */
  readonly bytes: Buffer;
}

/** At most so many of the mails (`*.txt`, `*.eml`) in a folder, picked evenly from all of it. */
export async function readMails(folder: string, most: number): Promise<CorpusMail[]> {
  const paths = await readdir(folder, { recursive: true });
  const names = paths.filter((path) => /\.(?:txt|eml)$/.test(path)).sort();
  if (names.length === 0) throw new Error(`there is no mail (*.txt, *.eml) in ${folder}`);
  const count = Math.min(most, names.length);
  const picked = Array.from({ length: count }, (_, n) => {
    return names[Math.floor((n * names.length) / count)] ?? '';
  });
  return Promise.all(
    picked.map(async (name) => ({ name, bytes: asSent(await readFile(join(folder, name))) })),
  );
}

/**
 * What is legal to change on the way in, and needed: lines end in CRLF (RFC 5321 section 2.3.8), the last one
 * included, and the line that a mailbox file puts before a mail is not part of it (RFC 4155).
 */
function asSent(file: Buffer): Buffer {
  const text = file
    .toString('latin1')
    .replace(/^From .*\r?\n/, '')
    .replace(/(?<!\r)\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}
