import { expect } from 'chai';
import { service } from '../../support/service.ts';

const NO_BASE = '<base href="https://link-without-base.invalid/" target="_blank">';
const PIXEL = Buffer.from('not really a picture').toString('base64');

describe('GET /api/mailboxes/:name/messages/:id/html', () => {
  const test = service({ mailboxes: ['box'] });
  const { api } = test;

  const arrive = async (raw: string) =>
    `/api/mailboxes/box/messages/${await test.receive('box', raw)}/html`;
  const arriveHtml = (html: string) => arrive(`Content-Type: text/html\r\n\r\n${html}`);
  const arriveWithPictures = (html: string, pictures: Record<string, [string, string]>) =>
    arrive(
      [
        'Content-Type: multipart/related; boundary=b',
        '',
        '--b',
        'Content-Type: text/html',
        '',
        html,
        ...Object.entries(pictures).flatMap(([contentId, [type, base64]]) => [
          '--b',
          `Content-Type: ${type}`,
          'Content-Disposition: inline; filename=p',
          `Content-ID: <${contentId}>`,
          'Content-Transfer-Encoding: base64',
          '',
          base64,
        ]),
        '--b--',
        '',
      ].join('\r\n'),
    );
  const arriveWithPicture = (html: string, type: string, contentId: string) =>
    arriveWithPictures(html, { [contentId]: [type, PIXEL] });

  it('200: the HTML as sent, with links that open a new window', async () => {
    const { text, headers } = await api
      .get(await arriveHtml('<p onclick="x()">hé</p>'))
      .expect(200);
    expect(text).to.equal(`${NO_BASE}<p onclick="x()">hé</p>`);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
  });

  it('200: with relative links that follow the base of the mail, or lead nowhere', async () => {
    const base = async (html: string) => {
      const { text, headers } = await api.get(await arriveHtml(html)).expect(200);
      const policy = String(headers['content-security-policy']);
      return [/<base[^>]*>/.exec(text)?.[0], /base-uri ([^;]*)/.exec(policy)?.[1]];
    };
    const link = '<a href="verify?token=1">Verify</a>';
    const app = '<base href="https://app.example/mail/?a=1&amp;b=2">';
    expect(
      await base(`<!doctype html><head>${app}${app.replace('app', 'b')}</head>${link}`),
    ).to.eql([
      '<base href="https://app.example/mail/?a=1&amp;b=2" target="_blank">',
      'https://app.example',
    ]);
    for (const html of [
      link,
      `<base href="/x">${link}`,
      `<!-- ${app} -->${link}`,
      '<base href="javascript:x">',
    ]) {
      expect(await base(html), html).to.eql([NO_BASE, 'https://link-without-base.invalid']);
    }
  });

  it('200: without elements that connect before the policy applies', async () => {
    const path = await arriveHtml('<IFRAME src=//a.test></IFRAME><frame><link/rel=x><linked><p>');
    const { text } = await api.get(path).expect(200);
    expect(text).to.contain('<x-IFRAME src=//a.test></IFRAME><x-frame><x-link/rel=x><linked><p>');
    const { text: remote } = await api.get(`${path}?remote=true`).expect(200);
    expect(remote).to.contain('<x-IFRAME src=//a.test></IFRAME><x-frame><link/rel=x><linked><p>');
  });

  it('200: with base and doctype in the right order', async () => {
    const { text } = await api.get(await arriveHtml('<!DOCTYPE html>\r\n<html>')).expect(200);
    expect(text).to.match(/^<!DOCTYPE html><base [^>]*target="_blank">\s*<html>/);
  });

  it('200: without scripts, and without remote content unless requested', async () => {
    const path = await arriveHtml('<p>');
    const policyOf = async (query: string) =>
      (await api.get(path + query).expect(200)).headers['content-security-policy'] as string;
    const policy = await policyOf('');
    expect(policy).to.match(
      /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
    );
    expect(policy.replace(/base-uri [^;]*/, '')).not.to.match(
      /https?:|script|allow-same-origin|allow-forms/,
    );
    expect(await policyOf('?remote=false')).to.equal(policy);
    const remote = await policyOf('?remote=true');
    expect(remote).to.contain('img-src data: https: http:');
    expect(remote).not.to.match(/script|allow-same-origin|allow-forms/);
  });

  it('200: in the chosen color scheme: its own, or inverted', async () => {
    const text = async (html: string, scheme: string) =>
      (await api.get(`${await arriveHtml(html)}?scheme=${scheme}`).expect(200)).text;
    const own = `<style>@media ( PREFERS-COLOR-SCHEME:dark) and (width > 1px) { p { color: #fff } }</style>
      <source media="(prefers-color-scheme: light)"><p>(prefers-color-scheme: dark)</p>`;
    const dark = await text(own, 'dark');
    expect(dark).to.contain('@media (min-width: 0) and (width > 1px)');
    expect(dark).to.contain(
      '<source media="(max-width: -1px)"><p>(prefers-color-scheme: dark)</p>',
    );
    expect(dark).to.contain(':root { color-scheme: dark !important }').and.not.contain('invert');
    expect(await text(own, 'light')).to.contain('@media (max-width: -1px) and (width > 1px)');
    const darkFirst =
      '<style>p { color: #fff } @media (prefers-color-scheme: light) { p {} }</style>';
    expect(await text(darkFirst, 'light')).to.contain('@media (min-width: 0)');
    expect(await text(darkFirst, 'dark'))
      .to.contain('@media (max-width: -1px)')
      .and.not.contain('invert(');
    expect(await text('<p>Hi</p>', 'dark'))
      .to.contain('invert(')
      .and.contain('<p>Hi</p>');
    expect(await text('<p>Hi</p>', 'light')).to.equal(`${NO_BASE}<p>Hi</p>`);
  });

  it('200: with attached pictures embedded, in any spelling of their names', async () => {
    const data = `data:image/png;base64,${PIXEL}`;
    const html =
      '<img src="cid:a+b@c"><i style="background:url(cid:a%2Bb@c)"><img src=cid:other@c>';
    const path = await arriveWithPicture(html, 'image/png', 'a+b@c');
    const { text } = await api.get(path).expect(200);
    expect(text).to.contain(`<img src="${data}"><i style="background:url(${data})">`);
    expect(text).to.contain('<img src=cid:other@c>');
  });

  it('200: with at most 12 MiB of embedded pictures, each at least once', async () => {
    const mebibyte = Buffer.alloc(1_048_576, 'x').toString('base64');
    const path = await arriveWithPictures(
      `${'<img src="cid:big@c">'.repeat(100)}<img src="cid:small@c">`,
      {
        'unused@c': ['image/png', PIXEL],
        'small@c': ['image/png', PIXEL],
        'big@c': ['image/gif', mebibyte.replaceAll(/.{76}/g, '$&\r\n')],
      },
    );
    const { text } = await api.get(path).expect(200);
    const shown = text.split(`<img src="data:image/gif;base64,${mebibyte}">`).length - 1;
    expect(shown).to.equal(8);
    expect(text.split('<img src="cid:big@c">').length - 1).to.equal(92);
    expect(text).to.contain(`<img src="data:image/png;base64,${PIXEL}">`);
    expect(text.length).to.be.below(12.1 * 1_048_576);
  });

  it('200: attachments that are not pictures are not embedded', async () => {
    const path = await arriveWithPicture('<img src="cid:a@c">', 'text/html', 'a@c');
    expect((await api.get(path).expect(200)).text).to.contain('<img src="cid:a@c">');
  });

  it('404: a mail without HTML', async () => {
    await api.get(await arrive('Subject: plain\r\n\r\ntext')).expect(404);
  });
});
