/** One event of a stream of Server-Sent Events (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Empty for an event without id. */
  id: string;
  name: string;
  data: string;
}

/**
 * Reads Server-Sent Events. The service sends each event with one line of data and ends lines with
 * LF.
 * @param heard called for each chunk, comments included.
 */
export async function* serverEvents(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Null for a comment. */
function parse(block: string): ServerEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return null;
  return { id: fields.get('id') ?? '', name: fields.get('event') ?? 'message', data };
}
