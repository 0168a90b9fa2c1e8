import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { page } from '../support/docs/pages.ts';
import { service } from '../support/service.ts';

/** The files of `test/mail/kinds`, in the order of the table. */
const KINDS = [
  'plain',
  'html-only',
  'both',
  'empty',
  'calendar-invitation',
  'signed',
  'forwarded-as-attachment',
  'delivery-report',
];

describe('the table of kinds of mail in docs/api.md', () => {
  const { api, receive } = service({
    env: { RATE_LIMIT_PRO: '0' },
    mailboxes: ['box'],
    once: true,
  });

  for (const [n, kind] of KINDS.entries()) {
    it(`shows preview and text of the mail ${kind}.eml`, async () => {
      const raw = readFileSync(join(ROOT, 'test/mail/kinds', `${kind}.eml`));
      const path = `/api/mailboxes/box/messages/${await receive('box', raw)}`;
      const { preview } = (await api.get(path).expect(200)).body as { preview: string };
      const { text } = await api.get(`${path}/text`).expect(200);
      expect(rows()[n]?.slice(1)).to.deep.equal([inCell(preview), inCell(text)]);
    });
  }

  it('has a row for each', () => {
    expect(rows()).to.have.length(KINDS.length);
  });
});

/** The cells of the table below "Text and preview". */
function rows(): string[][] {
  const [, section = ''] = page('docs/api.md').text.split('## Text and preview');
  const lines = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Line ends are shown as `⏎`; an empty text as a word. */
function inCell(text: string): string {
  return text === '' ? 'empty' : `\`${text.replace(/\r?\n/g, '⏎')}\``;
}
