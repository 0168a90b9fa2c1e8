/** Mails of Matrix Authentication Service, from its translations, laid out as its templates are. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sample } from '../sample.ts';
import { valuesFrom } from '../values.ts';

interface Emails {
  greeting?: string;
  verify?: Partial<Record<string, string>>;
  recovery?: Partial<Record<string, string>>;
}

export async function matrixSamples(folder: string): Promise<Sample[]> {
  const translations = join(folder, 'translations');
  const samples: Sample[] = [];
  for (const [n, file] of (await readdir(translations)).sort().entries()) {
    const { mas } = JSON.parse(await readFile(join(translations, file), 'utf8')) as {
      mas?: { emails?: Emails };
    };
    if (!mas?.emails) continue;
    for (let repetition = 0; repetition < 5; repetition++) {
      const language = file.replace('.json', '');
      samples.push(...samplesOf(language, mas.emails, valuesFrom(n * 10 + repetition + 9000)));
    }
  }
  return samples;
}

function samplesOf(
  language: string,
  { greeting = '', verify = {}, recovery = {} }: Emails,
  { code, token }: ReturnType<typeof valuesFrom>,
): Sample[] {
  const value = code();
  const url = `https://account.acme.example/recover?ticket=${token(32)}`;
  const fill = (text = '') =>
    text
      .replaceAll('%(code)s', value)
      .replaceAll('%(username)s', 'jane')
      .replaceAll('%(server_name)s', 'acme.example')
      .replaceAll('%(mxid)s', '@jane:acme.example');
  const base = { project: 'matrix', language, from: 'no-reply@acme.example' };
  const samples: Sample[] = [];
  if (verify['body_text'] && verify['body_html'] && verify['subject']) {
    // The code stands in the subject too; without it the body is what is tested.
    const subjects = { 'own subject': fill(verify['subject']), 'no subject': '' };
    for (const [name, subject] of Object.entries(subjects)) {
      const mail = { ...base, subject, code: value, link: null, asks: 'code' as const };
      const text = `${fill(greeting)}\n\n${fill(verify['body_text'])}`;
      const html = `${fill(greeting)}<br />\n<br />\n${fill(verify['body_html'])}<br />`;
      samples.push({ ...mail, layout: `own text, ${name}`, text, html: null });
      samples.push({ ...mail, layout: `own HTML, ${name}`, text: null, html });
    }
  }
  const {
    headline,
    copy_link: copy,
    create_new_password: button,
    subject,
    click_button: click,
  } = recovery;
  if (headline && copy && button && subject && click) {
    const mail = { ...base, subject: fill(subject), code: null, link: url, asks: 'link' as const };
    const text = `${fill(headline)}\n\n${copy}\n\n    ${url}\n`;
    const html =
      `<body>${fill(headline)}<br /><br />${click}<br /><a id="button" href="${url}" style="font-weight:600;padding:16px">` +
      `${button}</a><br /><p>${copy}</p><p><a href="${url}">${url}</a></p></body>`;
    samples.push({ ...mail, layout: 'own text', text, html: null });
    samples.push({ ...mail, layout: 'own HTML', text: null, html });
  }
  return samples;
}
