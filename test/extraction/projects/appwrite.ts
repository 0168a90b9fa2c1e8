/** Mails of Appwrite (BSD-3-Clause). */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plain, render } from '../render.ts';
import type { Sample } from '../sample.ts';
import { valuesFrom } from '../values.ts';

const CODES = ['otpSession', 'mfaChallenge'];
const LINKS = [
  { kind: 'verification', path: 'auth/verify' },
  { kind: 'recovery', path: 'auth/recover' },
  { kind: 'invitation', path: 'auth/join' },
  { kind: 'magicSession', path: 'auth/magic-url' },
];

export async function appwriteSamples(folder: string): Promise<Sample[]> {
  const translations = join(folder, 'app/config/locale/translations');
  const samples: Sample[] = [];
  for (const [n, file] of (await readdir(translations)).sort().entries()) {
    const texts = JSON.parse(await readFile(join(translations, file), 'utf8')) as Record<
      string,
      string
    >;
    samples.push(...samplesOf(file.replace('.json', ''), texts, n + 1000));
  }
  return samples;
}

function samplesOf(language: string, texts: Record<string, string>, seed: number): Sample[] {
  const { code, token } = valuesFrom(seed);
  const get = (kind: string, part: string) => {
    const text = texts[`emails.${kind}.${part}`];
    return text === undefined
      ? ''
      : plain(text.replace(/\{\{\/?b\}\}/g, '').replace(/\{\{\w+\}\}/g, 'Acme'));
  };
  const base = (kind: string) => ({ project: 'appwrite', language, subject: get(kind, 'subject') });
  const codes = CODES.filter((kind) => get(kind, 'description') !== '').flatMap((kind) =>
    render(
      { ...base(kind), asks: 'code' },
      {
        heading: get(kind, 'hello'),
        before: get(kind, 'description'),
        code: code(),
        button: null,
        after: get(kind, 'thanks'),
      },
    ),
  );
  const links = LINKS.filter(({ kind }) => get(kind, 'buttonText') !== '').flatMap(
    ({ kind, path }) => {
      const url = `https://cloud.acme.example/${path}?userId=${token(20)}&secret=${token(64)}&project=acme`;
      const before = get(kind, 'body') || get(kind, 'optionButton');
      return render(
        { ...base(kind), asks: 'link' },
        {
          heading: get(kind, 'hello'),
          before,
          code: null,
          button: { url, text: get(kind, 'buttonText') },
          after: get(kind, 'footer'),
        },
      );
    },
  );
  return [...codes, ...links];
}
