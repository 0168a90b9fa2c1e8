/** What a client asks of messages, compiled to tests of their content. */
import { comparableAddress, normalizeDomain } from '../addresses.ts';
import { AppError } from '../errors.ts';
import type { LinkKind } from '../extraction/types.ts';
import type { ExtractedFacts } from '../messages/extractions.ts';
import type { HeaderField } from '../messages/read-header.ts';
import { foldText } from '../text/characters.ts';

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

/** The columns of a message that criteria look at, in the form in which they are compared. */
export interface SummaryContent {
  subject: string;
  foldedSubject: string;
  from: string;
  /** Envelope recipients, To and Cc. */
  to: string[];
  tag: string | null;
  hasAttachment: boolean;
}

/** Codes and links are those of the extraction; none unless a criterion needs them. */
export interface Content extends SummaryContent, ExtractedFacts {
  /** Text part and visible text of the HTML, folded; empty unless a criterion needs it. */
  texts: string[];
  header: HeaderField[];
  /** Whether the message has a live claim. */
  claimed: boolean;
}

/** The part of {@link Content} that a criterion looks at. */
export type ContentPart = 'summary' | 'text' | 'header' | 'extraction' | 'claim';

export interface Criterion {
  name: CriterionName;
  need: ContentPart;
  matches: (content: Content) => boolean;
}

/** @throws {AppError} `invalid_request` for a header criterion without a name. */
export function compileCriteria(request: CriteriaRequest): Criterion[] {
  const { from, to, tag, subject, text, header, hasAttachment, hasCode, link, claimed } = request;
  return [
    ...(from ? [addressCriterion('from', from, (content) => [content.from])] : []),
    ...(to ? [addressCriterion('to', to, (content) => content.to)] : []),
    ...(tag === undefined ? [] : [criterion('tag', 'summary', (content) => content.tag === tag)]),
    ...(subject === undefined ? [] : [subjectCriterion(foldText(subject))]),
    ...(text === undefined ? [] : [textCriterion(foldText(text))]),
    ...(header ? [headerCriterion(header)] : []),
    ...(hasAttachment === undefined
      ? []
      : [criterion('hasAttachment', 'summary', (c) => c.hasAttachment === hasAttachment)]),
    ...(hasCode === undefined
      ? []
      : [criterion('hasCode', 'extraction', (content) => content.hasCode === hasCode)]),
    ...(link === undefined
      ? []
      : [
          criterion('link', 'extraction', ({ linkKinds }) =>
            [link].flat().some((kind) => linkKinds.has(kind)),
          ),
        ]),
    ...(claimed === undefined ? [] : [criterion('claimed', 'claim', (c) => c.claimed === claimed)]),
  ];
}

const criterion = (
  name: CriterionName,
  need: ContentPart,
  matches: Criterion['matches'],
): Criterion => ({
  name,
  need,
  matches,
});

const subjectCriterion = (part: string) =>
  criterion('subject', 'summary', ({ foldedSubject }) => foldedSubject.includes(part));

const textCriterion = (part: string) =>
  criterion('text', 'text', ({ texts }) => texts.some((each) => each.includes(part)));

function addressCriterion(
  name: 'from' | 'to',
  asked: string[],
  addressesOf: (content: Content) => string[],
): Criterion {
  const addresses = new Set<string>();
  const domains = new Set<string>();
  for (const each of asked) {
    if (each.startsWith('@')) {
      domains.add(normalizeDomain(each.slice(1)) || each.slice(1).toLowerCase());
    } else addresses.add(comparableAddress(each));
  }
  return criterion(name, 'summary', (content) =>
    addressesOf(content).some(
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
  return criterion('header', 'header', ({ header }) =>
    fields.every(({ name, value }) =>
      header.some((field) => field.value === value && field.name.toLowerCase() === name),
    ),
  );
}
