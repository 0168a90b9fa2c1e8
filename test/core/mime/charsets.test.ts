import { expect } from 'chai';
import { parseMail } from '../../../core/mime/parse-mail.ts';

/** The label, the bytes in latin1, and the text. */
const TEXTS: [label: string, bytes: string, text: string][] = [
  ['iso-2022-jp-1', '\x1b$(D0!0"\x1b(B', '丂丄'],
  ['iso-2022-jp-2', '\x1b$AVPND\x1b$(CGQ\x1b(B\x1b.A\x1bNi', '中文한é'],
  ['csISO2022JP2', '\x1b$BF|K\\\x1b(B a', '日本 a'],
  ['cp50222', '\x0e123\x0f \x1b$BF|\x1b(B', 'ｱｲｳ 日'],
  ['csGBK', '\xd6\xd0', '中'],
  ['csKOI8U', '\xa4', 'є'],
  ['cswindows1251', '\xcf', 'П'],
  ['csWindows31J', '\x93\xfa', '日'],
  ['csUTF7', '+APw-', 'ü'],
  ['csUTF16', '\xff\xfe\xfc\x00', 'ü'],
  ['ISO-10646-UCS-2', '\x00\xfce\xe5', 'ü日'],
  ['csISO2022KR', '\x1b$)C\x0eGQ\x0f', '한'],
  ['csPC850Multilingual', '\x81', 'ü'],
  ['IBM00858', '\xd5', '€'],
  ['Extended_UNIX_Code_Packed_Format_for_Japanese', '\xc6\xfc', '日'],
];

const mailIn = (charset: string, bytes: string) =>
  Buffer.from(`Content-Type: text/plain; charset=${charset}\r\n\r\n${bytes}`, 'latin1');

describe('a character set', () => {
  for (const [label, bytes, text] of TEXTS) {
    it(`is read by its name: ${label}`, async () => {
      expect(await parseMail(mailIn(label, bytes))).to.include({ text, parseError: null });
    });
  }

  it('that is not known is named by parseError, unless the text is ASCII', async () => {
    const unknown = 'the character set of part 1 is not known: x-mine';
    expect((await parseMail(mailIn('x-mine', 'a\xe4'))).parseError).to.equal(unknown);
    expect((await parseMail(mailIn('x-mine', 'a'))).parseError).to.equal(null);
  });
});
