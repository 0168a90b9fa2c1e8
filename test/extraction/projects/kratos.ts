/** Mails of Ory Kratos (Apache-2.0), in English, as its own templates show them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sample } from '../sample.ts';
import { valuesFrom } from '../values.ts';

const TEMPLATES = [
  ...[
    'login_code/valid',
    'registration_code/valid',
    'recovery_code/valid',
    'verification_code/valid',
  ],
  ...[
    'recovery/valid',
    'verification/valid',
    'recovery/invalid',
    'verification/invalid',
    'recovery_code/invalid',
  ],
];
const CODE_FIELD = /Code\b/;

export async function kratosSamples(folder: string): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let repetition = 0; repetition < 20; repetition++) {
    for (const [n, template] of TEMPLATES.entries()) {
      const values = valuesFrom(repetition * 100 + n + 5000);
      samples.push(...(await samplesOf(folder, template, values)));
    }
  }
  return samples;
}

async function samplesOf(
  folder: string,
  template: string,
  { code, token }: ReturnType<typeof valuesFrom>,
): Promise<Sample[]> {
  const path = join(folder, 'courier/template/courier/builtin/templates', template);
  const read = async (part: string) => readFile(join(path, `email.${part}.gotmpl`), 'utf8');
  const [html, text, subject] = [
    await read('body'),
    await read('body.plaintext'),
    await read('subject'),
  ];
  const isValid = template.endsWith('/valid');
  const value = code();
  const flow = template.startsWith('recovery') ? 'recovery' : 'verification';
  const url = `https://auth.acme.example/self-service/${flow}?flow=${token(36)}&token=${token(32)}`;
  const fill = (template: string) => {
    return template.replace(/\{\{-?\s*\.(\w+)[^{}]*\}\}/g, (_all, field: string) => {
      if (field.endsWith('URL')) return url;
      if (CODE_FIELD.test(field)) return value;
      return field === 'ExpiresInMinutes' ? '15' : 'jane@acme.example';
    });
  };
  const has = (template: string, pattern: RegExp) => isValid && pattern.test(template);
  const hasCode = has(text, /\.\w*Code\b/);
  const hasLink = has(text, /\.\w*URL\b/);
  const asks = template.includes('_code')
    ? hasCode
      ? 'code'
      : 'nothing'
    : hasLink
      ? 'link'
      : 'nothing';
  const base = {
    project: 'kratos',
    language: 'en',
    subject: fill(subject).trim(),
    from: 'no-reply@acme.example',
    code: hasCode ? value : null,
    link: hasLink ? url : null,
    asks,
  } as const;
  return [
    { ...base, layout: 'own text', text: fill(text), html: null },
    { ...base, layout: 'own HTML', text: null, html: fill(html) },
  ];
}
