import type { SendAttachment, SendRequest } from '../../rest/shapes.ts';

export interface Draft {
  to: string[];
  cc: string[];
  subject: string;
  text: string;
  html: string;
  files: File[];
}

export const emptyDraft: Draft = { to: [], cc: [], subject: '', text: '', html: '', files: [] };

/** Limit for all attachments of a mail together. */
export const ATTACHMENTS_MAX_BYTES = 10_485_760;

export function isTooLarge({ files }: Draft): boolean {
  return files.reduce((sum, { size }) => sum + size, 0) > ATTACHMENTS_MAX_BYTES;
}

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/;

export async function requestOf(draft: Draft): Promise<SendRequest> {
  const { to, cc, subject, text, html, files } = draft;
  return {
    to,
    cc,
    subject,
    ...(text === '' && html !== '' ? {} : { text }),
    ...(html === '' ? {} : { html }),
    attachments: await Promise.all(files.map(attachmentOf)),
  };
}

async function attachmentOf(file: File): Promise<SendAttachment> {
  return {
    filename: file.name,
    contentType: TYPE.exec(file.type)?.[0] ?? 'application/octet-stream',
    data: await base64Of(file),
  };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    };
    reader.onerror = () => {
      reject(new Error(`Cannot read ${file.name}.`));
    };
    reader.readAsDataURL(file);
  });
}
