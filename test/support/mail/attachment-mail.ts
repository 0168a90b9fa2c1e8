/** A raw mail with these files attached. */
export function attachmentMail(
  files: { name?: string; type?: string; bytes: Buffer }[],
  subject = 'files',
): string {
  const parts = files.map(
    ({ name, type = 'application/octet-stream', bytes }) =>
      `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment${name === undefined ? '' : `; filename=${name}`}\r\n` +
      `Content-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`,
  );
  return `Subject: ${subject}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`;
}
