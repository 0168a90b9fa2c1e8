/**
 * Mails with a word of their own at each place that has content, written by a few rules. Nothing of
 * the reader is used, so what it does not find is not missed here, too.
 */
import fc from 'fast-check';

export interface MarkedMail {
  raw: Buffer;
  marks: string[];
  /** False if `parseError` must tell that something is not shown. */
  isWhole: boolean;
}

interface Leaf {
  kind: 'leaf';
  type: string;
  encoding: 'base64' | 'quoted-printable' | null;
  hasStray: boolean;
  hasEmptyLine: boolean;
}

interface Multipart {
  kind: 'multipart';
  parts: (Leaf | Multipart)[];
  declaresBoundary: boolean;
  isClosed: boolean;
  /** A part after the close-delimiter. */
  hasLatePart: boolean;
}

const leaf: fc.Arbitrary<Leaf> = fc.record({
  kind: fc.constant('leaf'),
  type: fc.constantFrom('text/plain', 'text/html', 'text/markdown', 'application/pdf', 'odd'),
  encoding: fc.constantFrom('base64', 'quoted-printable', null),
  hasStray: rarely(),
  hasEmptyLine: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
});

const { part } = fc.letrec<{ part: Leaf | Multipart; multipart: Multipart }>((tie) => ({
  part: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, tie('multipart')),
  multipart: fc.record({
    kind: fc.constant('multipart'),
    parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
    declaresBoundary: fc.boolean(),
    isClosed: fc.boolean(),
    hasLatePart: rarely(),
  }),
}));

const mail = fc.record({
  root: part,
  head: fc.constantFrom('fields', 'trace', 'mark', 'none'),
  lineEnd: fc.constantFrom('\r\n', '\n', '\r'),
});

/** The same mails for the same seed. */
export function markedMails(count: number, seed: number): MarkedMail[] {
  return fc.sample(mail.map(written), { numRuns: count, seed });
}

function rarely(): fc.Arbitrary<boolean> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true));
}

function written({ root, head, lineEnd }: typeof mail extends fc.Arbitrary<infer M> ? M : never) {
  const marks: string[] = [];
  let boundaries = 0;
  let isWhole = true;
  const mark = () => {
    marks.push(`word${marks.length}end`);
    return marks.at(-1) ?? '';
  };
  const linesOf = (node: Leaf | Multipart): string[] => {
    if (node.kind === 'leaf') return leafLines(node);
    boundaries += 1;
    const boundary = `boundary${boundaries}`;
    const delimited = node.parts.flatMap((each) => [`--${boundary}`, ...linesOf(each)]);
    const late = node.isClosed && node.hasLatePart ? [`--${boundary}`, '', mark()] : [];
    isWhole &&= late.length === 0;
    return [
      `Content-Type: multipart/mixed${node.declaresBoundary ? `; boundary=${boundary}` : ''}`,
      ...['', 'not shown', ...delimited],
      ...(node.isClosed ? [`--${boundary}--`] : []),
      ...late,
    ];
  };
  const leafLines = ({ type, encoding, hasStray, hasEmptyLine }: Leaf): string[] => {
    isWhole &&= !hasStray;
    return [
      `Content-Type: ${type}`,
      ...(hasStray ? [`${mark()} is said here`] : []),
      ...(encoding ? [`Content-Transfer-Encoding: ${encoding}`] : ['Content-ID: <x>']),
      ...(hasEmptyLine ? [''] : []),
      encoded(`${mark()} and ${mark()}`, encoding),
    ];
  };
  const heads = {
    fields: ['From: a@x.test', 'Subject: s'],
    trace: ['Received: by x'],
    mark: ['\xef\xbb\xbfSubject: s'],
    none: [],
  };
  const raw = Buffer.from([...heads[head], ...linesOf(root), ''].join(lineEnd), 'latin1');
  return { raw, marks, isWhole };
}

function encoded(text: string, encoding: Leaf['encoding']): string {
  if (encoding === 'base64') return Buffer.from(text).toString('base64');
  return encoding === null ? text : text.replaceAll('d', '=64');
}
