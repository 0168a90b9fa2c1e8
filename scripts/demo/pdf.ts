/**
 * A PDF file with one page of text (ISO 32000-1). The standard font Helvetica with the encoding
 * WinAnsiEncoding has the letters of Latin-1 only.
 */

/** The first line is the title. */
export function pdf([title = '', ...lines]: string[]): Buffer {
  const content = [
    'BT',
    '/F1 22 Tf 64 760 Td',
    `${text(title)} Tj`,
    '/F1 12 Tf 0 -40 Td 20 TL',
    ...lines.map((line) => `${text(line)} Tj T*`),
    'ET',
  ].join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const size = objects.length + 1;
  const table = offsets.map((offset) => `${`${offset}`.padStart(10, '0')} 00000 n \n`).join('');
  const startOfTable = file.length;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${startOfTable}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

function text(line: string): string {
  return `(${line.replace(/[\\()]/g, '\\$&')})`;
}
