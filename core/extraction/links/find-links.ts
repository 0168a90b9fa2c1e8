/**
 * The links of a mail with their kinds and reasons, best first among those that ask for an action.
 */
import { domainToUnicode } from 'node:url';
import { getDomain } from 'tldts';
import type { Block } from '../block.ts';
import { round, sumOf } from '../confidence.ts';
import type { HtmlContent } from '../html/parse-html.ts';
import { normalize } from '../normalize.ts';
import { ACTION_KINDS, type ActionKind, type Link, type LinkKind, type Reason } from '../types.ts';
import { type Meaning, findWords } from '../vocabulary.ts';
import { type FoundLink, collectLinks } from './collect.ts';
import type { LinkContext } from './context.ts';
import {
  IGNORED_DOMAINS,
  KIND_ORDER,
  PATH_WORDS,
  type PathKind,
  SOCIAL_DOMAINS,
} from './link-words.ts';
import { secretIn } from './secret-in-url.ts';

const MAX_LISTED = 200;
const HIGHEST = 0.99;

export interface FoundLinks {
  links: Link[];
  truncated: boolean;
}

export function findLinks(
  { subject, from }: { subject: string; from: string },
  html: HtmlContent | null,
  textBlocks: Block[],
): FoundLinks {
  const fromDomain = getDomain(from.slice(from.lastIndexOf('@') + 1));
  const subjectWords = findWords(normalize(subject.slice(0, 2000)));
  const found = collectLinks(html, textBlocks);
  const domains = new Domains();
  const links = new Map<string, Link>();
  for (const each of found) {
    const link = judge(each, domains.of(each.parsed), subjectWords, fromDomain);
    if (!link) continue;
    const known = links.get(link.url);
    if (!known || isBetter(link, known)) links.set(link.url, link);
  }
  const sorted = [...links.values()].sort(
    (one, other) =>
      Number(isAction(other.kind)) - Number(isAction(one.kind)) ||
      other.confidence - one.confidence,
  );
  return { links: sorted.slice(0, MAX_LISTED), truncated: sorted.length > MAX_LISTED };
}

export function isAction(kind: LinkKind): boolean {
  return (ACTION_KINDS as readonly LinkKind[]).includes(kind);
}

function isBetter(link: Link, known: Link): boolean {
  if (isAction(link.kind) !== isAction(known.kind)) return link.text !== '' || known.text === '';
  if (known.text === '' && link.text !== '') return link.confidence >= known.confidence;
  return link.confidence > known.confidence;
}

/** The registrable domains of the links of one mail, most of which have the same host. */
class Domains {
  readonly #known = new Map<string, string | null>();

  of({ hostname }: URL): string | null {
    const known = this.#known.get(hostname);
    if (known !== undefined) return known;
    const domain = getDomain(hostname);
    this.#known.set(hostname, domain);
    return domain;
  }
}

function judge(
  found: FoundLink,
  domain: string | null,
  subjectWords: Words,
  fromDomain: string | null,
): Link | null {
  const url = found.parsed;
  if (domain !== null && IGNORED_DOMAINS.has(domain)) return null;
  const sameDomain = domain !== null && domain === fromDomain;
  const secret = secretIn(url);
  const { kind, reasons } = classify(found, { url, domain, secret }, subjectWords);
  const { text, source } = found;
  if (isAction(kind)) {
    if (secret) reasons.push(secret);
    if (sameDomain) reasons.push({ rule: 'same_domain', detail: domain, weight: 0.06 });
    if (found.prominent) reasons.push({ rule: 'prominent', detail: 'button', weight: 0.1 });
    if (found.hidden) reasons.push({ rule: 'hidden', detail: 'hidden', weight: -0.4 });
    if (isDeep(url)) reasons.push({ rule: 'deep_path', detail: shortPath(url), weight: 0.05 });
  }
  const confidence = round(Math.max(0, Math.min(HIGHEST, sumOf(reasons))));
  return { url: found.url, text, kind, confidence, source, sameDomain, reasons };
}

type Words = ReturnType<typeof findWords>;

function classify(
  { text, context, source }: FoundLink,
  { url, domain, secret }: { url: URL; domain: string | null; secret: Reason | null },
  subjectWords: Words,
): { kind: LinkKind; reasons: Reason[] } {
  if (domain !== null && SOCIAL_DOMAINS.has(domain)) {
    return { kind: 'social', reasons: [{ rule: 'domain', detail: domain, weight: 0.9 }] };
  }
  const anchorWords = findWords(text);
  const byText = KIND_ORDER.find((kind) => has(anchorWords, kind));
  const path = pathOf(url);
  const byPath = KIND_ORDER.find((kind) => PATH_WORDS[kind].test(path));
  const plain = kindOfPlainLink(byText, byPath);
  if (plain) return plain;
  const reasons: Reason[] = [];
  const kind =
    firstAction(byText) ??
    firstAction(byPath) ??
    (secret ? kindOfContext(context, subjectWords) : undefined);
  if (!kind) return { kind: 'other', reasons: [] };
  const word = wordOf(anchorWords, kind);
  if (word) reasons.push({ rule: 'anchor_text', detail: word, weight: 0.45 });
  const pathWord = PATH_WORDS[kind].exec(path)?.[0];
  if (pathWord) reasons.push({ rule: 'path_word', detail: pathWord, weight: 0.4 });
  else if (firstAction(byPath))
    reasons.push({ rule: 'path_word', detail: path.slice(0, 40), weight: 0.25 });
  const contextWord = wordOf(context.words(), kind);
  if (contextWord)
    reasons.push({ rule: 'context', detail: contextWord, weight: source === 'text' ? 0.25 : 0.2 });
  const subjectWord = wordOf(subjectWords, kind);
  if (subjectWord) reasons.push({ rule: 'subject', detail: subjectWord, weight: 0.2 });
  return { kind, reasons };
}

/** Words that exclude an action, in the text of the link or, without a word there, in its path. */
function kindOfPlainLink(
  byText: PathKind | undefined,
  byPath: PathKind | undefined,
): { kind: LinkKind; reasons: Reason[] } | null {
  const decisive = byText ?? byPath;
  if (decisive === undefined || firstAction(decisive)) {
    if (byPath !== 'unsubscribe' || byText !== undefined) return null;
  }
  if (decisive === 'revoke') {
    return { kind: 'other', reasons: [{ rule: 'revokes', detail: 'revoke', weight: 0 }] };
  }
  const rule = byText ? 'anchor_text' : 'path_word';
  return {
    kind: decisive as LinkKind,
    reasons: [{ rule, detail: decisive as string, weight: 0.9 }],
  };
}

function firstAction(kind: PathKind | undefined): ActionKind | undefined {
  return ACTION_KINDS.find((action) => action === kind);
}

/** A link with a secret takes the kind of the subject and of the text around it. */
function kindOfContext(context: LinkContext, subjectWords: Words): ActionKind | undefined {
  const order = ['reset', 'invite', 'verify', 'signIn'] as const;
  const bySubject = order.find((kind) => has(subjectWords, kind));
  if (bySubject) return bySubject;
  const words = context.words();
  return order.find((kind) => has(words, kind));
}

function has(words: Words, kind: PathKind): boolean {
  return words.some(({ meaning }) => meaning === (kind as Meaning));
}

function wordOf(words: Words, kind: LinkKind): string | undefined {
  return words.find(({ meaning }) => meaning === (kind as Meaning))?.word;
}

/** Path, parameters and fragment in lower case; parameters of tracking redirects included. */
function pathOf({ hostname, pathname, search, hash }: URL): string {
  const host = hostname.includes('xn--') ? domainToUnicode(hostname) : hostname;
  const labels = host.split('.').slice(0, -2).join('.');
  return `${labels} ${pathname}${search}${hash}`.slice(0, 1000).toLowerCase();
}

function isDeep({ pathname, search }: URL): boolean {
  return pathname.length > 1 || search !== '';
}

function shortPath({ pathname }: URL): string {
  return pathname.slice(0, 60);
}
