import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ROOT } from '../../core/root.ts';
import { bombs } from '../support/mail/bombs.ts';
import { hasTitle, testDashboard } from '../support/browser/dashboard.ts';
import { PATIENCE_MS } from '../support/browser/tabs.ts';
import type { RawParts } from '../support/mail/mail.ts';
import { eventually } from '../support/mocha/eventually.ts';

describe('dashboard: a message', () => {
  const dashboard = testDashboard({ MESSAGE_TTL_MS: '7200000' }, ['box']);

  const path = async (mail: RawParts | Buffer | string) =>
    `/mailboxes/box/messages/${await dashboard.receive('box+Shop@one.test', mail)}`;

  it('shows a mail by its link: HTML, text, header fields, source, attachments', async () => {
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    const { page, faults } = await dashboard.open(await path(raw));
    await page.getByRole('heading', { name: 'Ihre Bestellung № 42 — Grüße 🦋' }).waitFor();
    await hasTitle(page, 'box · Mayfly');
    await page.frameLocator('iframe').getByText('12,50').first().waitFor();
    await page.getByText(/1 h 59 min \d\d s/).waitFor();
    await page.locator('.message-head').getByText('Shop', { exact: true }).waitFor();

    await page.getByRole('tab', { name: 'Text' }).click();
    await page.locator('.text-body', { hasText: 'Ein Punkt' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('rowheader', { name: 'Subject' }).waitFor();
    await page.getByRole('cell', { name: 'Ihre Bestellung № 42 — Grüße 🦋' }).waitFor();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.locator('.source', { hasText: 'Content-Type: multipart/' }).waitFor();
    await page.getByRole('tab', { name: 'Webhooks' }).click();
    await page.getByText('This mailbox has no webhooks.').waitFor();

    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Rechnung № 42.pdf' }).click();
    expect((await saving).suggestedFilename()).to.equal('Rechnung № 42.pdf');
    expect(faults).to.deep.equal([]);
  });

  it('shows the visible text of its HTML in the Text tab if it has no text part', async () => {
    const html = '<style>p { color: red }</style><p>Total 12,50</p><p hidden>Secret</p>';
    const { page, faults } = await dashboard.open(await path({ html }));
    const message = page.getByRole('article', { name: 'Message' });
    await message.getByRole('tab', { name: 'Text' }).click();
    await message.getByText('The text is derived from the HTML.').waitFor();
    const text = message.getByLabel('Text of the message');
    expect((await text.textContent())?.trim()).to.equal('Total 12,50');
    expect(faults).to.deep.equal([]);
  });

  it('has its code above it, to copy with a key, with the reasons; without a code nothing', async () => {
    const mail = (text: string) => `From: a@b.test\r\nSubject: Hi\r\n\r\n${text}\r\n`;
    const { page } = await dashboard.open(await path(mail('Your code is 482913')));
    const part = page.getByRole('region', { name: 'Code and links' });
    await part.getByText('482913', { exact: true }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('c');
    await page.getByText('Copied').first().waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal('482913');
    await part.getByText('why').click();
    await part.getByText('keyword before: your code').waitFor();
    const answered = page.waitForResponse(/\/extracted$/);
    await page.goto(new URL(await path(mail('Lunch at noon?')), page.url()).href);
    await answered;
    await page.locator('.text-body', { hasText: 'Lunch at noon?' }).waitFor();
    expect(await part.count()).to.equal(0);
  });

  it('has the problems of its List-Unsubscribe above it', async () => {
    const fields =
      'List-Unsubscribe: <http://b.test/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click';
    const { page } = await dashboard.open(await path(`From: a@b.test\r\n${fields}\r\n\r\nNews`));
    const part = page.getByRole('region', { name: 'Code and links' });
    await part.getByText('has no HTTPS URL (RFC 8058)').waitFor();
  });

  it('shows names, Reply-To, Sender, an old date, its list and the other mail of its thread', async () => {
    const head = 'Message-ID: <2@b.test>\r\nReferences: <1@b.test>\r\nSubject: Re: Order';
    const fields = [
      'From: Ann <ann@b.test>\r\nSender: Robot <robot@b.test>\r\nReply-To: help@b.test',
      'To: =?utf-8?Q?J=C3=BCrgen?= <box@one.test>\r\nDate: Tue, 3 Nov 2020 10:00:00 +0000',
      'List-Id: News <news.b.test>\r\nAuto-Submitted: auto-generated',
    ];
    await dashboard.receive(
      'box@one.test',
      'From: Bob <bob@b.test>\r\nMessage-ID: <1@b.test>\r\nSubject: Order\r\n\r\nHi',
    );
    const { page, faults } = await dashboard.open(
      await path(`${head}\r\n${fields.join('\r\n')}\r\n\r\nHi`),
    );
    const shown = page.locator('.message-head');
    for (const text of ['Jürgen', 'help@b.test', 'robot@b.test', /Date: .*2020/]) {
      await shown.getByText(text).first().waitFor();
    }
    const facts = page.getByRole('region', { name: 'Facts' });
    await facts.getByText('List news.b.test').waitFor();
    await facts.getByText('auto-generated').waitFor();
    await facts.getByText('thread').click();
    await facts.getByRole('link', { name: 'Order', exact: true }).click();
    await page.getByRole('heading', { name: 'Order', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Facts' }).getByText('thread').click();
    await page.getByRole('link', { name: 'Re: Order', exact: true }).waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('has no facts if the mail has none', async () => {
    const mail = 'From: a@b.test\r\nTo: Ann <ann@b.test>\r\nSubject: Hi\r\n\r\nHi';
    const { page, faults } = await dashboard.open(await path(mail));
    await page.getByLabel('Text of the message').waitFor();
    expect(await page.getByRole('region', { name: 'Facts' }).count()).to.equal(0);
    const color = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await color('.address-name')).not.to.equal(await color('.recipients'));
    expect(faults).to.deep.equal([]);
  });

  it('shows a delivery report, an event, and the tree of its parts', async () => {
    const part = (type: string, lines: string[]) => ['--b', `Content-Type: ${type}`, '', ...lines];
    const raw = [
      'Subject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      ...part('text/plain; charset=utf-8', ['Not delivered']),
      ...part('message/delivery-status', [
        'Reporting-MTA: dns; mx.b.test',
        '',
        'Final-Recipient: rfc822; gone@b.test',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 no such user',
      ]),
      ...part('text/calendar; method=REQUEST', [
        'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:1',
        'DTSTAMP:20300101T000000Z\r\nDTSTART;VALUE=DATE:20300102\r\nSUMMARY:Team day',
        'END:VEVENT\r\nEND:VCALENDAR',
      ]),
      ...part('message/rfc822', ['Subject: Inner', '', 'Inner text']),
      '--b--',
    ];
    const { page, faults } = await dashboard.open(await path(raw.join('\r\n')));
    const facts = page.getByRole('region', { name: 'Facts' });
    await facts.getByText('gone@b.test · failed · 5.1.1').waitFor();
    await facts.getByText('550 no such user').waitFor();
    await facts.getByText('Team day').waitFor();
    await facts.getByText('2030-01-02').waitFor();

    await page.getByRole('tab', { name: 'Parts' }).click();
    await page.getByText('multipart/report').waitFor();
    await page.getByText('message/delivery-status').waitFor();
    await page.getByText('Mail', { exact: true }).click();
    await page.getByText('Inner', { exact: true }).waitFor();
    const inner = page.getByLabel('Text of the mail in part 4');
    expect(await inner.textContent()).to.equal('Inner text');
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download part 4.1' }).click();
    expect(await readFile(await (await saving).path(), 'utf8')).to.equal('Inner text');
    expect(faults).to.deep.equal([]);
  });

  it('is shown at phone width', async () => {
    const { page } = await dashboard.open(await path({ html: '<p>Hi</p>' }));
    const frame = page.locator('iframe');
    await page.getByRole('button', { name: 'Phone width' }).click();
    expect((await frame.boundingBox())?.width).to.be.within(380, 395);
    await page.getByRole('button', { name: 'Phone width' }).click();
    expect((await frame.boundingBox())?.width).to.be.above(500);
  });

  const darkButton = (page: Page) => page.getByRole('button', { name: 'Dark colors' });

  it('is inverted by "Dark colors", except its pictures', async () => {
    const red = `data:image/svg+xml;base64,${Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>',
    ).toString('base64')}`;
    const html = `<body style="margin: 0"><div style="height: 40px"></div>
      <img src="${red}" width="40" height="40" style="display: block">`;
    const { page } = await dashboard.open(await path({ html }));
    await shows(page, { '20,20': '255,255,255', '20,60': '255,0,0' });
    await darkButton(page).click();
    await shows(page, { '20,20': '23,23,23', '20,60': '255,0,0' });
    expect(await darkButton(page).getAttribute('aria-pressed')).to.equal('true');
  });

  it('is shown by "Dark colors" in its own dark scheme, if it has one', async () => {
    const html = `<style>:root { color-scheme: light dark } body { background: #00f }
      @media screen and (prefers-color-scheme: dark) { body { background: #030 } }</style><p>Hi</p>`;
    const { page } = await dashboard.open(await path({ html }));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.reload();
      const [light, dark] = [{ '90,90': '0,0,255' }, { '90,90': '0,51,0' }];
      const [own, other] = colorScheme === 'light' ? [light, dark] : [dark, light];
      await shows(page, own);
      await darkButton(page).click();
      await shows(page, other);
      await darkButton(page).click();
      await shows(page, own);
    }
  });

  it('shows which part could not be parsed', async () => {
    const bomb = bombs.find(({ name }) => name === 'parts in parts')!.make(100_000);
    const { page } = await dashboard.open(await path(bomb));
    await page.getByText(/Only part of this message could be parsed/).waitFor();
  });

  it('shows an error if it does not exist, and can retry a failed load', async () => {
    const { page } = await dashboard.open('/mailboxes/box/messages/msg_unknown');
    await page.getByText('Message not found').waitFor();
    const target = await path({ text: 'Here I am' });
    await page.route(`**/api${target}`, (route) => route.abort());
    await page.goto(dashboard.origin + target);
    await page.getByText('Cannot reach Mayfly.').waitFor();
    await page.unroute(`**/api${target}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Text of the message').getByText('Here I am').waitFor();
  });
});

/**
 * Waits until the mail is drawn with these colors, `red,green,blue`, at points `x,y` of its frame.
 */
async function shows(page: Page, colors: Record<string, string>): Promise<void> {
  const isDrawn = async (point: string, color: string) => {
    const box = await page.locator('iframe').boundingBox();
    const [x = 0, y = 0] = point.split(',').map(Number);
    const clip = { x: (box?.x ?? 0) + x, y: (box?.y ?? 0) + y, width: 1, height: 1 };
    return colorOf(await page.screenshot({ clip })) === color;
  };
  for (const [point, color] of Object.entries(colors)) {
    await eventually(`${color} at ${point}`, () => isDrawn(point, color), PATIENCE_MS, 100);
  }
}

/**
 * The color of a PNG of one pixel. Its data is the number of a filter, which has no effect on the
 * first pixel, and the color.
 * @see https://www.w3.org/TR/png-3/#9Filters
 */
function colorOf(png: Buffer): string {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') continue;
    data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return inflateSync(Buffer.concat(data)).subarray(1, 4).join();
}
