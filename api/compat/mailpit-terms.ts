/** Cuts a query of Mailpit into terms. Spaces separate them, except between double quotes. */
import { queryFault } from '../../core/search/read-terms.ts';

/** A term as it is written. */
export interface MailpitTerm {
  isExcluded: boolean;
  /** In lower case; null without an operator. */
  operator: string | null;
  /** Without quotes, trimmed. */
  value: string;
  /** Where the term starts, in UTF-16 code units from 0. */
  position: number;
}

const MAX_TERMS = 50;
const TERM = /(?:[^\s"]|"[^"]*")+/y;
const SPACES = /\s*/y;
/** More signs, which make no text of an operator, and letters and hyphens outside quotes. */
const OPERATOR = /^([!-]*)([\p{L}\p{M}][\p{L}\p{M}-]*):/u;
/** What makes text of a word that is no operator: a URL, or a host with its port. */
const NO_OPERATOR = /^(?:\/\/|\d)/;
/** Folded texts have none, so that they cannot hide an operator either. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;

/**
 * @param isOperator for a name in lower case
 * @throws {AppError} `invalid_request` for more than 50 terms, or a quote that is not closed.
 */
export function cutTerms(query: string, isOperator: (name: string) => boolean): MailpitTerm[] {
  const text = query.replace(INVISIBLE, '');
  const terms: MailpitTerm[] = [];
  for (let position = skipSpaces(text, 0); position < text.length;) {
    if (terms.length === MAX_TERMS) {
      throw queryFault(`A query can have at most ${MAX_TERMS} terms.`, position);
    }
    TERM.lastIndex = position;
    const [term = ''] = TERM.exec(text) ?? [];
    const end = position + term.length;
    if (text[end] === '"') throw queryFault('The closing double quote is missing.', end);
    terms.push({ ...readTerm(term, isOperator), position });
    position = skipSpaces(text, end);
  }
  return terms;
}

function readTerm(
  term: string,
  isOperator: (name: string) => boolean,
): Omit<MailpitTerm, 'position'> {
  const isExcluded = /^[-!]./s.test(term); // a sign alone is text
  const rest = isExcluded ? term.slice(1) : term;
  const [start, signs = '', written = ''] = OPERATOR.exec(rest) ?? [];
  const name = written.toLowerCase();
  const after = rest.slice(start?.length ?? 0);
  if (start === undefined || (!isOperator(name) && NO_OPERATOR.test(after))) {
    return { isExcluded, operator: null, value: unquoted(rest) };
  }
  return { isExcluded, operator: `${signs}${name}`, value: unquoted(after) };
}

function unquoted(text: string): string {
  return text.replaceAll('"', '').trim();
}

function skipSpaces(text: string, from: number): number {
  SPACES.lastIndex = from;
  SPACES.exec(text);
  return SPACES.lastIndex;
}
