import {
  allMessagesPath,
  messagePath,
  messagesPath,
  partPath,
  rawPath,
  textPath,
} from './paths.ts';
import { request, respond } from './request.ts';
import type {
  EnclosedMessage,
  Extracted,
  HeaderField,
  Message,
  MessagePage,
  PartTree,
  SearchPage,
  SendRequest,
  Sent,
} from './shapes.ts';

/** Messages per page. */
export const PAGE = 50;

/** What a list of messages shows. */
export interface Listed {
  /** The mailbox; null for all of them. */
  name: string | null;
  /** Only messages with this envelope recipient; null for all. */
  to: string | null;
  /** Only messages that match this query; empty for all. */
  query: string;
}

export function listMessages(
  { name, to, query }: Listed,
  after?: string,
): Promise<MessagePage | SearchPage> {
  const parameters = new URLSearchParams({ limit: `${PAGE}` });
  if (query !== '') parameters.set('q', query);
  if (after !== undefined) parameters.set('after', after);
  if (name === null) return request('GET', `${allMessagesPath()}?${parameters.toString()}`);
  parameters.set('view', 'summary');
  if (to !== null) parameters.set('to', to);
  return request('GET', `${messagesPath(name)}?${parameters.toString()}`);
}

export function getMessage(name: string, id: string, signal?: AbortSignal): Promise<Message> {
  return request('GET', messagePath(name, id), signal ? { signal } : {});
}

/** The text part, or the visible text of the HTML of a mail without one. */
export async function getText(name: string, id: string, signal: AbortSignal): Promise<string> {
  const sent = { signal, headers: { Accept: '*/*' } };
  const response = await respond('GET', textPath(name, id), sent);
  return response.text();
}

export function getExtracted(name: string, id: string, signal: AbortSignal): Promise<Extracted> {
  return request('GET', `${messagePath(name, id)}/extracted`, { signal });
}

/** All header fields, unfolded and decoded. */
export async function getHeaders(
  name: string,
  id: string,
  signal: AbortSignal,
): Promise<HeaderField[]> {
  const path = `${messagePath(name, id)}/headers`;
  return (await request<{ headers: HeaderField[] }>('GET', path, { signal })).headers;
}

export function getParts(name: string, id: string, signal: AbortSignal): Promise<PartTree> {
  return request('GET', `${messagePath(name, id)}/parts`, { signal });
}

export function getEnclosed(
  name: string,
  id: string,
  section: string,
  signal: AbortSignal,
): Promise<EnclosedMessage> {
  return request('GET', `${partPath(name, id, section)}/message`, { signal });
}

export function deleteMessage(name: string, id: string, keepalive = false): Promise<void> {
  return request('DELETE', messagePath(name, id), { keepalive });
}

/** @param key idempotency key: a repeated request with the same key sends the mail only once. */
export function sendMessage(name: string, body: SendRequest, key: string): Promise<Sent> {
  return request('POST', messagesPath(name), { body, headers: { 'Idempotency-Key': key } });
}

/** Returns a random key. `crypto.randomUUID` exists only on HTTPS pages and localhost. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface RawStart {
  /** Decoded as UTF-8; invalid bytes become U+FFFD. */
  text: string;
  /** False if the source is longer than what was read. */
  whole: boolean;
}

/** Reads the first bytes of the raw mail and cancels the rest of the download. */
export async function readRaw(
  name: string,
  id: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<RawStart> {
  const response = await respond('GET', rawPath(name, id), { signal, headers: { Accept: '*/*' } });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes < maxBytes) continue;
    await reader.cancel();
    return { text, whole: false };
  }
  return { text, whole: true };
}
