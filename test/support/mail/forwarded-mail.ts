/** A mail that encloses another. */
export const INNER = 'From: ann@else.test\r\nSubject: Inner\r\n\r\nThanks.';

export const FORWARDED = [
  'Subject: Fwd',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  '',
  'See below.',
  '--x',
  'Content-Type: message/rfc822',
  'Content-Disposition: attachment',
  'Content-Description: the order',
  '',
  INNER,
  '--x--',
  '',
].join('\r\n');
