import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { isLongForm } from '../support/mocha/long-form.ts';
import { testDashboard } from '../support/browser/dashboard.ts';
import { sharedBrowser } from '../support/browser/launch.ts';
import { PATIENCE_MS, type Tab } from '../support/browser/tabs.ts';
import type { RawParts } from '../support/mail/mail.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';

/** Modifies the page if it runs. */
const RUN = "top.document.title='owned';parent.owned=1;document.title='owned'";

/** Attacks by name; `EVIL` becomes a server that records requests. */
const attacks: Record<string, string> = {
  script: `<script>${RUN};fetch('EVIL/script')</script><script src="EVIL/script.js"></script>`,
  'event handlers': `<img src="x" onerror="${RUN}"><body onload="${RUN}"><svg onload="${RUN}"><details open ontoggle="${RUN}">`,
  svg: `<svg xmlns="http://www.w3.org/2000/svg"><script>${RUN}</script><image href="EVIL/svg.png"/><use href="EVIL/use.svg#x"/><foreignObject><iframe src="EVIL/foreign"></iframe></foreignObject></svg>`,
  css: `<style>@import url(EVIL/import.css); body{background:url(EVIL/back.png);width:expression(${RUN})} @font-face{font-family:x;src:url(EVIL/font.woff)} p{font-family:x;list-style:url('EVIL/list.png')}</style><p style="background:url(EVIL/inline.png)">x</p><link rel="stylesheet" href="EVIL/link.css">`,
  pictures: `<img src="EVIL/img.png"><img srcset="EVIL/set.png 2x"><picture><source srcset="EVIL/source.png"><img></picture><input type="image" src="EVIL/input.png"><video poster="EVIL/poster.png" src="EVIL/video.mp4" autoplay></video><audio src="EVIL/audio.mp3" autoplay></audio><table background="EVIL/table.png"><tr><td>x</td></tr></table>`,
  frames: `<iframe src="EVIL/frame"></iframe><iframe srcdoc="<script>${RUN}</script>"></iframe><object data="EVIL/object"></object><embed src="EVIL/embed"><frameset><frame src="EVIL/frameset"></frameset>`,
  'meta refresh': '<meta http-equiv="refresh" content="0;url=EVIL/refresh">',
  'base href': '<base href="EVIL/base/"><img src="relative.png">',
  hints:
    '<link rel="prefetch" href="EVIL/prefetch"><link rel="preload" as="image" href="EVIL/preload"><link rel="preconnect" href="EVIL"><link rel="dns-prefetch" href="EVIL"><link rel="manifest" href="EVIL/manifest"><link rel="icon" href="EVIL/icon">',
  'cid tricks': `<img src="cid:logo"><img src='cid:"><script>${RUN}</script>'><a href="cid:logo">x</a>`,
  'app requests': '<img src="/api/tokens"><iframe src="/tokens"></iframe><img src="/api/session">',
};

describe('dashboard: hostile mail', () => {
  const dashboard = testDashboard({}, ['box']);
  let evil: Receiver;
  let later: Page;

  before(async () => {
    evil = await openReceiver();
    evil.answer(200);
    later = await (await sharedBrowser()).newPage();
  });
  after(async () => {
    await later.close();
    await evil.close();
  });

  const evilOrigin = () => new URL(evil.url).origin;
  const outcome = ({ page }: Tab) => page.evaluate('window.owned ?? document.title');
  const pathOf = async (parts: RawParts) =>
    `/mailboxes/box/messages/${await dashboard.receive('box', parts)}`;
  const show = async (parts: RawParts): Promise<Tab> => {
    const tab = await dashboard.open(await pathOf(parts));
    await tab.page.locator('.message-head').waitFor();
    return tab;
  };
  /** The browser has handled the mail once a page requested later has loaded. */
  const settled = async ({ page }: Tab) => {
    await page.frameLocator('iframe').getByText('the end').waitFor({ state: 'attached' });
    await page.frames()[1]?.waitForLoadState();
    await later.goto(`${dashboard.origin}/healthz`);
  };

  it('runs no script and sends no request, whatever the mail contains', async () => {
    const html = Object.values(attacks).join('\n').replaceAll('EVIL', evilOrigin());
    const logo = `Content-Type: image/svg+xml\nContent-ID: <logo>\nContent-Disposition: inline\n\n<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script><image href="${evilOrigin()}/in-svg.png"/></svg>`;
    const tab = await show({ html: `${html}<p>the end</p>`, parts: [logo] });
    await settled(tab);
    expect(tab.foreign()).to.deep.equal([]);
    expect(evil.connections()).to.equal(0);
    expect(await outcome(tab)).to.equal('box · Mayfly');
    // The frame itself has not navigated and sends no request with the session.
    expect(tab.page.frames().map((frame) => frame.url())[1]).to.contain('/html?remote=false');
    const inOurName = tab.asked.filter(
      (url) => /\/api\/tokens|\/tokens$/.test(url) && !tab.forbidden.includes(url),
    );
    expect(inOurName).to.deep.equal([]);
  });

  it('resists each attack separately', async () => {
    const tab = await dashboard.open('/mailboxes/box');
    // The test above has all of them in one mail.
    const chosen = Object.entries(attacks).filter((_, n) => isLongForm || n % 4 === 0);
    for (const [name, attack] of chosen) {
      const html = `${attack.replaceAll('EVIL', evilOrigin())}<p>the end</p>`;
      await tab.page.goto(dashboard.origin + (await pathOf({ html })));
      await tab.page.locator('.mail-frame').waitFor();
      await settled(tab);
      expect(tab.foreign(), name).to.deep.equal([]);
      expect(evil.connections(), name).to.equal(0);
      expect(await outcome(tab), name).to.equal('box · Mayfly');
    }
    expect(evil.connections()).to.equal(0);
  });

  it('submits no form', async () => {
    const tab = await show({
      html: `<form action="${evilOrigin()}/form" method="post"><input name="q" value="1"><button>Go</button></form><p>the end</p>`,
    });
    await settled(tab);
    await tab.page.frameLocator('iframe').getByRole('button', { name: 'Go' }).click();
    await settled(tab);
    expect(tab.foreign()).to.deep.equal([]);
    expect(tab.context.pages()).to.have.lengthOf(1);
  });

  it('opens links in an isolated tab, and ignores script links', async () => {
    const tab = await show({
      html: `<a href="${evilOrigin()}/link">plain</a> <a href="${evilOrigin()}/top" target="_top">top</a> <a href="javascript:${RUN}">script</a> <a href="data:text/html,<script>${RUN}</script>">data</a><p>the end</p>`,
    });
    await settled(tab);
    const frame = tab.page.frameLocator('iframe');
    const opened = tab.context.waitForEvent('page');
    await frame.getByText('plain').click();
    const other = await opened;
    await other.waitForURL(`${evilOrigin()}/link`);
    expect(await other.evaluate('window.opener')).to.equal(null);
    const request = evil.received.find(({ path }) => path === '/link');
    expect(request?.headers['referer'] ?? '').not.to.contain('/mailboxes');
    await other.close();
    for (const link of ['top', 'script', 'data']) await frame.getByText(link).click();
    await settled(tab);
    expect(tab.page.url()).to.contain('/mailboxes/box/messages/');
    expect(await outcome(tab)).to.equal('box · Mayfly');
  });

  it('loads remote pictures on request, and still runs no script', async () => {
    const { length } = evil.received;
    const tab = await show({
      html: `<img src="${evilOrigin()}/wanted.png"><script>${RUN}</script><p>the end</p>`,
    });
    await settled(tab);
    expect(evil.received).to.have.lengthOf(length);
    await tab.page.getByRole('button', { name: 'Load remote content' }).click();
    await evil.request(length + 1, PATIENCE_MS);
    expect(evil.received.at(-1)?.path).to.equal('/wanted.png');
    expect(await outcome(tab)).to.equal('box · Mayfly');
    // The navigation of the frame adds no history entry.
    await tab.page.goBack();
    expect(tab.page.url()).not.to.contain('/messages/');
  });

  it('shows markup in names and subjects as text', async () => {
    const markup = `<img src=x onerror=${RUN}>`;
    const file = (name: string) =>
      `Content-Type: text/html"><script>\nContent-Disposition: attachment; filename="${name}"\n\n<script>${RUN}</script>`;
    const tab = await show({
      subject: markup,
      from: `"${markup}" <evil@else.test>`,
      header: [`X-Evil: ${markup}`],
      text: `${markup} https://else.test/"onmouseover="${RUN} javascript:${RUN}`,
      parts: [
        file('=?utf-8?Q?gpj.=E2=80=AEexe.html?='),
        file('../../etc/passwd\'\\"onclick=x'),
        file(`${'long'.repeat(200)}.exe`),
      ],
    });
    const { page } = tab;
    await page.getByRole('heading', { name: markup }).waitFor();
    await page.locator('.sender', { hasText: markup }).waitFor();
    await page.locator('.text-body', { hasText: markup }).waitFor();
    const links = await page.evaluate(
      "Array.from(document.querySelectorAll('.text-body a'), (a) => a.href)",
    );
    expect(links).to.deep.equal(['https://else.test/']);
    const names = await page.locator('.attachment-name').allTextContents();
    expect(names.join()).not.to.match(/[\u202a-\u202e\u2066-\u2069]/);
    for (const name of names) {
      const saving = page.waitForEvent('download');
      await page.locator('.attachment').nth(names.indexOf(name)).click();
      expect((await saving).suggestedFilename()).not.to.match(/[/\\\u202e]/);
    }
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByRole('cell', { name: markup }).first().waitFor();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.locator('.source', { hasText: markup }).waitFor();
    expect(await outcome(tab)).to.equal('box · Mayfly');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(
      true,
    );
    expect(tab.foreign()).to.deep.equal([]);
  });
});
