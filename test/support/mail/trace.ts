/** The raw mail without its first header field, which the service has added. */
export function withoutTrace(raw: Buffer): Buffer {
  if (!raw.toString('latin1', 0, 10).startsWith('Received: ')) throw new Error('no Received field');
  let end = raw.indexOf('\r\n') + 2;
  while (raw[end] === 0x20 || raw[end] === 0x09) end = raw.indexOf('\r\n', end) + 2;
  return raw.subarray(end);
}
