import { expect } from 'chai';
import { parseMail } from '../../../core/mime/parse-mail.ts';

/** The encoded text, and what it means. */
const TEXTS: Record<string, [encoded: string, text: string]> = {
  'a line of a dash': ['QUJD\r\n-\r\nREVG', 'ABCDEF'],
  'an underscore': ['QU_JD_REVG', 'ABCDEF'],
  'other characters': ['QU!J,D*RE.VG', 'ABCDEF'],
  'a dash after padding': ['QQ==-QkM=', 'ABC'],
  'digits that are no letters': ['Pz8/Pj4+', '???>>>'],
};

describe('base64', () => {
  for (const [what, [encoded, text]] of Object.entries(TEXTS)) {
    it(`ignores characters outside of its alphabet (RFC 2045 section 6.8): ${what}`, async () => {
      const word = `=?utf-8?B?${encoded.replace(/\s/g, '')}?=`;
      const fields = `Subject: ${word}\r\nContent-Transfer-Encoding: base64`;
      const mail = await parseMail(Buffer.from(`${fields}\r\n\r\n${encoded}\r\n`));
      expect([mail.subject, mail.text]).to.deep.equal([text, text]);
    });
  }
});
