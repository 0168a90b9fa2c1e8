/** What a client asks of messages, compiled to tests of their content. */
import { comparableAddress, normalizeDomain } from '../addresses.ts';
import { AppError } from '../errors.ts';
import type { LinkKind } from '../extraction/types.ts';
import { foldText } from '../text/characters.ts';
import { hasPart } from '../text/has-part.ts';
import type { Condition, Part } from './predicate.ts';

/** Criteria as they are in a query string and in a claim. All must hold. */
export interface CriteriaRequest {
  /** Addresses or `@domain`; one of them matches. */
  from?: string[];
  to?: string[];
  tag?: string;
  subject?: string;
  text?: string;
  /** `Name: value`; each of them matches. */
  header?: string[];
  hasAttachment?: boolean;
  hasCode?: boolean;
  /** There is a link of this kind, or of one of these. */
  link?: LinkKind | readonly LinkKind[];
  claimed?: boolean;
}

export type CriterionName = keyof CriteriaRequest;

export type Criterion = Condition<CriterionName>;

/** @throws {AppError} `invalid_request` for a header criterion without a name. */
export function compileCriteria(request: CriteriaRequest): Criterion[] {
  const { from, to, tag, subject, text, header, hasAttachment, hasCode, link, claimed } = request;
  return [
    ...(from ? [addressCriterion('from', from)] : []),
    ...(to ? [addressCriterion('to', to)] : []),
    ...(tag === undefined ? [] : [criterion('tag', tag, 'summary', (d) => d.message.tag === tag)]),
    ...(subject === undefined ? [] : [subjectCriterion(foldText(subject))]),
    ...(text === undefined ? [] : [textCriterion(foldText(text))]),
    ...(header ? [headerCriterion(header)] : []),
    ...(hasAttachment === undefined ? [] : [attachmentCriterion(hasAttachment)]),
    ...(hasCode === undefined
      ? []
      : [criterion('hasCode', hasCode, 'extraction', (d) => d.facts?.hasCode === hasCode)]),
    ...(link === undefined ? [] : [linkCriterion([link].flat())]),
    ...(claimed === undefined
      ? []
      : [criterion('claimed', claimed, 'claim', (_d, { isClaimed }) => isClaimed === claimed)]),
  ];
}

/** Each reads the summary: what does not match is told with its subject. */
const criterion = (
  name: CriterionName,
  value: unknown,
  need: Part,
  matches: Criterion['matches'],
): Criterion => ({
  name,
  needs: ['summary', need],
  key: JSON.stringify([name, value]),
  matches,
});

const subjectCriterion = (part: string) =>
  criterion('subject', part, 'summary', ({ subjectStart }) => hasPart(subjectStart.folded, part));

function textCriterion(text: string): Criterion {
  const sought = { part: { text, isSpaced: false }, inLinks: false };
  const matches: Criterion['matches'] = ({ body }) => body?.has(sought) ?? false;
  return { ...criterion('text', text, 'text', matches), sought };
}

const attachmentCriterion = (asked: boolean) =>
  criterion('hasAttachment', asked, 'summary', ({ mail }) => mail.attachmentCount > 0 === asked);

const linkCriterion = (kinds: LinkKind[]) =>
  criterion('link', kinds, 'extraction', ({ facts }) =>
    kinds.some((kind) => facts?.linkKinds.has(kind)),
  );

function addressCriterion(name: 'from' | 'to', asked: string[]): Criterion {
  const addresses = new Set<string>();
  const domains = new Set<string>();
  for (const each of asked) {
    if (each.startsWith('@')) {
      domains.add(normalizeDomain(each.slice(1)) || each.slice(1).toLowerCase());
    } else addresses.add(comparableAddress(each));
  }
  return criterion(name, asked, 'addresses', (document) =>
    (document.addresses?.[name] ?? []).some(
      (address) =>
        addresses.has(address) || domains.has(address.slice(address.lastIndexOf('@') + 1)),
    ),
  );
}

function headerCriterion(asked: string[]): Criterion {
  const fields = asked.map((each) => {
    const [, name, value = ''] = /^([\x21-\x39\x3b-\x7e]+):(.*)$/s.exec(each) ?? [];
    if (name === undefined) {
      throw new AppError('invalid_request', '"header" must be a name and a value, "Name: value".');
    }
    return { name: name.toLowerCase(), value: value.trim() };
  });
  return criterion('header', asked, 'header', ({ header }) =>
    fields.every(({ name, value }) =>
      header?.some((field) => field.value === value && field.name.toLowerCase() === name),
    ),
  );
}
