import { expect } from 'chai';
import fc from 'fast-check';
import { previewOf } from '../../../core/text/preview.ts';
import { visibleText } from '../../../core/text/visible-text.ts';
import { HOSTILE_PAGES } from '../extraction/hostile.ts';

const ofText = (text: string) => previewOf({ text, html: null });
const ofHtml = (html: string) => previewOf({ text: null, html });

describe('preview of a mail', () => {
  it('is the start of the text part, whitespace joined', () => {
    expect(ofText('\r\n Hello\r\n\r\nAnn,\tyour code\u00a0is  482\u00ad913. ')).to.equal(
      'Hello Ann, your code is 482913.',
    );
  });

  it('has at most 200 code points', () => {
    expect(ofText('x'.repeat(1000))).to.equal('x'.repeat(200));
    expect(ofText('\u{1f600}'.repeat(1000))).to.equal('\u{1f600}'.repeat(200));
    expect(ofText(`${'x'.repeat(199)} y`)).to.equal('x'.repeat(199));
    expect(ofText(`${' \n'.repeat(5000)}${'a  b '.repeat(100)}`)).to.equal(
      'a b '.repeat(50).trim(),
    );
    expect(ofHtml(`<p>${'&auml;'.repeat(1000)}`)).to.equal('ä'.repeat(200));
    expect(ofHtml('<i>\u{1f600}</i> '.repeat(1000))).to.equal('\u{1f600} '.repeat(100).trim());
  });

  it('prefers the text part to the HTML, unless it is blank', () => {
    expect(previewOf({ text: 'text', html: '<p>html' })).to.equal('text');
    expect(previewOf({ text: ' \r\n\u200b', html: '<p>html' })).to.equal('html');
  });

  it('leaves out what a reader of the HTML does not see', () => {
    const html =
      '<head><title>Title</title><style>p{}</style></head>' +
      '<div style="display:none">Preheader &zwnj;&nbsp;&zwnj;</div><p>Hello</p><p>Ann</p>';
    expect(ofHtml(html)).to.equal('Hello Ann');
  });

  it('is empty for a mail without text', () => {
    expect(previewOf({ text: null, html: null })).to.equal('');
    expect(previewOf({ text: '', html: '<img src=x alt=logo>' })).to.equal('');
  });

  it('does not read on when it is full', () => {
    const html = `<p>${'word '.repeat(60)}</p>${'<a href="x">more</a>'.repeat(500_000)}`;
    const before = process.cpuUsage();
    for (let n = 0; n < 100; n++) ofHtml(html);
    // Reading all of it takes 100 s.
    expect(process.cpuUsage(before).user / 1000).to.be.below(5000);
  });

  it('reads a bounded part of hostile HTML', () => {
    const before = process.cpuUsage();
    for (const html of Object.values(HOSTILE_PAGES)) ofHtml(html.repeat(40));
    // Reading all of it takes 30 s.
    expect(process.cpuUsage(before).user / 1000).to.be.below(5000);
  });

  it('begins like the visible text of any HTML', () => {
    const piece = fc.constantFrom(
      ...['<p>', '</p>', '<br>', '<b>', '</b>', '<i hidden>', '</i>', '<pre>', '</pre>', ' ', '\n'],
      ...['word', 'a b', '\u{1f600}', '&nbsp;', '&shy;', '\u200d', 'é', '<style>x</style>', '٤٨'],
    );
    const html = fc.array(piece, { maxLength: 400 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(html, (page) => {
        const whole = visibleText(page).replace(/\s+/g, ' ').trim();
        expect(ofHtml(page)).to.equal(Array.from(whole).slice(0, 200).join('').trimEnd());
      }),
      { numRuns: 300 },
    );
  });
});
