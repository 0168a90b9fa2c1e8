/** Cuts the text of a query into terms, in one pass. */
import { AppError } from '../errors.ts';

/** A term as it is written. */
export interface WrittenTerm {
  isExcluded: boolean;
  /** In lower case; null without an operator. */
  operator: string | null;
  value: string;
  /** Whether the value is in double quotes. */
  isQuoted: boolean;
  /** Where the term starts, in UTF-16 code units from 0. */
  position: number;
}

const MAX_TERMS = 50;
const SPACE = /\s/;
const SPACES = /\s*/y;
/** An operator, and a value with or without double quotes. */
const TERM = /(-?)(?:([^\s":]*):)?(?:"([^"]*)"|([^\s"]*))/y;

/** @throws {AppError} `invalid_request` with the position of the fault. */
export function readTerms(query: string): WrittenTerm[] {
  const terms: WrittenTerm[] = [];
  let position = skipSpace(query, 0);
  while (position < query.length) {
    if (terms.length === MAX_TERMS)
      throw queryFault(`A query can have at most ${MAX_TERMS} terms.`, position);
    TERM.lastIndex = position;
    const [, minus, operator, quoted, bare = ''] = TERM.exec(query) ?? [];
    const end = TERM.lastIndex;
    if (end < query.length && !SPACE.test(query.charAt(end))) throw quoteFault(query, position);
    const value = quoted ?? bare;
    if (value === '' && operator === undefined && quoted === undefined) {
      throw queryFault('"-" must be followed by the term to exclude.', position);
    }
    terms.push({
      isExcluded: minus === '-',
      operator: operator?.toLowerCase() ?? null,
      value,
      isQuoted: quoted !== undefined,
      position,
    });
    position = skipSpace(query, end);
  }
  return terms;
}

/** The error for a query that cannot be understood. */
export function queryFault(message: string, position: number): AppError {
  return new AppError('invalid_request', `Invalid query at position ${position}: ${message}`, {
    details: [{ position }],
  });
}

function quoteFault(query: string, position: number): AppError {
  const quotes = query.slice(position).split('"').length - 1;
  return queryFault(
    quotes === 1
      ? 'The closing double quote is missing.'
      : 'Put double quotes around a whole value, and a space after them.',
    position,
  );
}

function skipSpace(query: string, from: number): number {
  SPACES.lastIndex = from;
  SPACES.exec(query);
  return SPACES.lastIndex;
}
