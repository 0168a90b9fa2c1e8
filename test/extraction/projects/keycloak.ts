/** Mails of Keycloak (Apache-2.0), whose texts the npm package @keycloakify/email-native has. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { render } from '../render.ts';
import type { Sample } from '../sample.ts';
import { valuesFrom } from '../values.ts';

const MAILS = [
  { key: 'emailVerificationBodyCode', subject: 'emailVerificationSubject', asks: 'code' },
  { key: 'emailVerificationBody', subject: 'emailVerificationSubject', asks: 'link' },
  { key: 'passwordResetBody', subject: 'passwordResetSubject', asks: 'link' },
  { key: 'orgInviteBody', subject: 'orgInviteSubject', asks: 'link' },
  { key: 'eventRemoveTotpBody', subject: 'eventRemoveTotpSubject', asks: 'nothing' },
  { key: 'eventUpdateTotpBody', subject: 'eventUpdateTotpSubject', asks: 'nothing' },
] as const;

export async function keycloakSamples(folder: string): Promise<Sample[]> {
  const messages = join(folder, 'keycloak-theme/email/messages');
  const files = (await readdir(messages)).filter((file) => file.endsWith('.properties'));
  const samples: Sample[] = [];
  for (const [n, file] of files.sort().entries()) {
    const language = /^messages_(.+)\.properties$/.exec(file)?.[1] ?? '';
    const texts = properties(await readFile(join(messages, file), 'utf8'));
    samples.push(...samplesOf(language, texts, n + 1));
  }
  return samples;
}

function samplesOf(language: string, texts: Map<string, string>, seed: number): Sample[] {
  const { code, token } = valuesFrom(seed);
  return MAILS.flatMap(({ key, subject: subjectKey, asks }) => {
    const [body, subject] = [texts.get(key), texts.get(subjectKey)];
    if (body === undefined || subject === undefined) return [];
    const value = asks === 'code' ? code() : null;
    const url = `https://id.acme.example/realms/acme/login-actions/action-token?key=${token(80)}&client_id=account`;
    const marker = asks === 'nothing' ? '2026-11-22 10:15' : '{0}';
    const filled = body
      .replaceAll('{0}', marker)
      .replaceAll('{1}', '203.0.113.7')
      .replaceAll('{2}', 'Acme')
      .replaceAll('{3}', asks === 'link' && key === 'orgInviteBody' ? 'Acme' : '5 min')
      .replaceAll('{4}', '5 min');
    const [before = '', after = ''] = filled.split('{0}');
    const button = asks === 'link' ? { url, text: subject.replace('{0}', 'Acme') } : null;
    const base = { project: 'keycloak', language, subject: subject.replace('{0}', 'Acme'), asks };
    return render(base, {
      heading: '',
      before: before.trim(),
      code: value,
      button,
      after: after.trim(),
    });
  });
}

/** A `.properties` file of Java with message formats: `''` is an apostrophe. */
function properties(file: string): Map<string, string> {
  const entries = file.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    if (at < 0 || line.startsWith('#')) return [];
    const value = line
      .slice(at + 1)
      .replace(/\\u([0-9a-fA-F]{4})/g, (_all, hex: string) =>
        String.fromCharCode(parseInt(hex, 16)),
      )
      .replaceAll('\\n', '\n')
      .replaceAll("''", "'")
      .trim();
    return [[line.slice(0, at).trim(), value] as const];
  });
  return new Map(entries);
}
