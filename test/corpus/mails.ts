import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface CorpusMail {
  /** Path below the folder of the corpus. */
  readonly name: string;
  /** The bytes to send, without dot-stuffing. */
  readonly bytes: Buffer;
}

/** At most this many of the mails (`*.txt`, `*.eml`) in a folder, evenly distributed. */
export async function readMails(folder: string, most: number): Promise<CorpusMail[]> {
  const paths = await readdir(folder, { recursive: true });
  const names = paths.filter((path) => /\.(?:txt|eml)$/.test(path)).sort();
  if (names.length === 0) throw new Error(`no mail (*.txt, *.eml) in ${folder}`);
  const count = Math.min(most, names.length);
  const picked = Array.from({ length: count }, (_, n) => {
    return names[Math.floor((n * names.length) / count)] ?? '';
  });
  return Promise.all(
    picked.map(async (name) => ({ name, bytes: asSent(await readFile(join(folder, name))) })),
  );
}

/**
 * Applies the changes required for transport: lines end in CRLF (RFC 5321 section 2.3.8), including
 * the last one, and the separator line of a mailbox file is removed (RFC 4155).
 */
function asSent(file: Buffer): Buffer {
  const text = file
    .toString('latin1')
    .replace(/^From .*\r?\n/, '')
    .replace(/(?<!\r)\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}
