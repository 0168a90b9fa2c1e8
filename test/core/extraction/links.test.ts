import { expect } from 'chai';
import { extractFrom, inBody } from './mail-parts.ts';

const TOKEN = 'Zk3x9QmP7LrT2vWc8YbN';

const KINDS: [url: string, text: string, kind: string][] = [
  [`https://shop.example/verify?t=${TOKEN}`, 'Confirm your address', 'verify'],
  [`https://shop.example/users/password/edit?t=${TOKEN}`, 'Reset password', 'reset'],
  [`https://shop.example/magic/${TOKEN}`, 'Sign in to Shop', 'signIn'],
  [`https://shop.example/teams/invitation/${TOKEN}`, 'Accept invitation', 'invite'],
  [`https://click.mailer.example/ls/${TOKEN}`, 'Adresse bestätigen', 'verify'],
  [`https://click.mailer.example/ls/${TOKEN}`, 'パスワードをリセット', 'reset'],
  [`https://shop.example/u/${TOKEN}`, 'Unsubscribe', 'unsubscribe'],
  ['https://shop.example/settings', 'Manage notifications', 'preferences'],
  ['https://shop.example/mail/1', 'View in browser', 'viewOnline'],
  ['https://shop.example/privacy', 'Privacy', 'legal'],
  ['https://twitter.com/shop', 'Follow us', 'social'],
  ['https://shop.example/', 'Shop', 'other'],
  [`https://shop.example/revoke?t=${TOKEN}`, "This wasn't me", 'other'],
  [`https://shop.example/newsletter/opt-in/${TOKEN}`, 'Yes, subscribe me', 'verify'],
  [`https://shop.example/register/${TOKEN}`, 'Continue registration', 'verify'],
];

describe('Links', () => {
  for (const [url, text, kind] of KINDS) {
    it(`with the text "${text}" are of kind ${kind}`, () => {
      const { links } = extractFrom({ html: inBody(`<p><a href="${url}">${text}</a></p>`) });
      expect(links).to.have.length(1);
      expect(links[0]).to.include({ url, text, kind, source: 'html' });
    });
  }

  it('of a mail have one main link', () => {
    const url = `https://shop.example/verify?t=${TOKEN}`;
    const html = inBody(`
      <p><a href="https://shop.example/">Shop</a></p>
      <p>Please confirm your address.</p>
      <a href="${url}" style="background:#06c;padding:8px">Confirm</a>
      <p>Or open ${url}</p>
      <p><a href="https://shop.example/privacy">Privacy</a> <a href="https://shop.example/u/1">Unsubscribe</a></p>`);
    const { link, links } = extractFrom({ html, subject: 'Confirm your address' });
    expect(link).to.equal(url);
    expect(links.filter((each) => each.url === url)).to.have.length(1);
    expect(links.find((each) => each.url === url)).to.include({
      text: 'Confirm',
      sameDomain: true,
    });
  });

  it('keep their whole query, with entities decoded', () => {
    const html = inBody(
      `<a href=https://shop.example/verify?a=1&amp;token=${TOKEN}&b=2#end>Verify</a>`,
    );
    expect(extractFrom({ html }).link).to.equal(
      `https://shop.example/verify?a=1&token=${TOKEN}&b=2#end`,
    );
  });

  it('in plain text are found without the full stop after them', () => {
    const text = `To verify your address open https://shop.example/verify/${TOKEN}.\n\nThank you`;
    expect(extractFrom({ text, subject: 'Verify your address' }).link).to.equal(
      `https://shop.example/verify/${TOKEN}`,
    );
  });

  it('of two equal actions leave the main link open', () => {
    const html = inBody(
      `<p><a href="https://shop.example/verify/${TOKEN}">Confirm</a></p><p><a href="https://shop.example/verify/${TOKEN}2">Confirm</a></p>`,
    );
    expect(extractFrom({ html }).link).to.equal(null);
  });

  it('are read from actions in JSON-LD', () => {
    const action = {
      '@type': 'ConfirmAction',
      name: 'Confirm',
      handler: { '@type': 'HttpActionHandler', url: `https://shop.example/c/${TOKEN}` },
    };
    const script = JSON.stringify({
      '@context': 'http://schema.org',
      '@type': 'EmailMessage',
      potentialAction: action,
    });
    const html = `<html><head><script type="application/ld+json">${script}</script></head><body>Hi</body></html>`;
    const [link] = extractFrom({ html }).links;
    expect(link).to.include({
      url: `https://shop.example/c/${TOKEN}`,
      kind: 'verify',
      source: 'jsonld',
    });
  });

  it('with other schemes are left out', () => {
    const html = inBody(
      '<a href="javascript:alert(1)">Confirm</a><a href="mailto:a@shop.example">Mail</a>',
    );
    expect(extractFrom({ html }).links).to.deep.equal([]);
  });

  it('of an area are found', () => {
    const url = `https://shop.example/verify/${TOKEN}`;
    const html = inBody(`<map><area href="${url}" alt="Verify"></map>`);
    expect(extractFrom({ html }).links[0]).to.include({ url, kind: 'verify' });
  });

  it('are at most 200', () => {
    const html = inBody(
      Array.from({ length: 300 }, (_, n) => `<a href="https://shop.example/${n}">${n}</a>`).join(
        '',
      ),
    );
    const { links, truncated } = extractFrom({ html });
    expect(links).to.have.length(200);
    expect(truncated).to.equal(true);
  });
});
