import { expect } from 'chai';
import { downloadHeaders } from '../../../core/blobs/download-headers.ts';

const disposition = (filename: string) =>
  downloadHeaders({ filename, contentType: 'text/plain' }).contentDisposition;
const type = (contentType: string) => downloadHeaders({ filename: 'f', contentType }).contentType;

describe('download headers', () => {
  for (const [filename, expected] of [
    ['plain.txt', 'attachment; filename=plain.txt'],
    ['two words.txt', 'attachment; filename="two words.txt"'],
    ['a"b;c.txt', String.raw`attachment; filename="a\"b;c.txt"`],
    ['Grüße.txt', `attachment; filename="Gr??e.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt`],
    ['a\r\nSet-Cookie: x=1\0.txt', 'attachment; filename="aSet-Cookie: x=1.txt"'],
    ['invoice\u202Efdp.exe', 'attachment; filename=invoicefdp.exe'],
    ['\u2066a\u2069\u200F\u061C.txt', 'attachment; filename=a.txt'],
    ['../../etc/passwd', 'attachment; filename=....etcpasswd'],
    ['C:\\windows\\x.dll', 'attachment; filename="C:windowsx.dll"'],
    ['\u202E\r\n', 'attachment; filename=download'],
    ['', 'attachment; filename=download'],
    ['100%41.txt', `attachment; filename=100%41.txt; filename*=UTF-8''100%2541.txt`],
  ] as const) {
    it(`name a file ${encodeURIComponent(filename)} safely`, () => {
      const header = disposition(filename);
      expect(header).to.match(/^[\x20-\x7e]*$/);
      expect(header).to.equal(expected);
    });
  }

  it('keep the end of a name that is too long', () => {
    expect(disposition(`${'x'.repeat(5000)}.pdf`)).to.match(/^attachment; filename=x{196}\.pdf$/);
    expect(disposition(`${'🦋'.repeat(5000)}.pdf`).length).to.be.below(2000);
  });

  for (const harmless of [
    'text/plain',
    'text/csv',
    'image/png',
    'image/jpeg',
    'audio/mpeg',
    'video/mp4',
    'application/pdf',
    'application/zip',
    'application/vnd.ms-excel',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'message/rfc822',
  ]) {
    it(`pass on ${harmless}`, () => {
      expect(type(harmless)).to.equal(harmless);
    });
  }

  for (const harmful of [
    'text/html',
    'TEXT/HTML',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/xml',
    'application/vnd.mozilla.xul+xml',
    'application/vnd.openxmlformats-officedocument.x+xml',
    'text/javascript',
    'application/javascript',
    'application/x-shockwave-flash',
    'multipart/related',
    'text/html; charset=utf-8',
    'text/plain\r\nX-Evil: 1',
    'text/plain, text/html',
    'nonsense',
    '',
  ]) {
    it(`do not pass on ${JSON.stringify(harmful)}`, () => {
      expect(type(harmful)).to.equal('application/octet-stream');
    });
  }
});
