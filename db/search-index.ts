/**
 * The search index: the words of mails, by time of arrival. It only proposes mails, so it may
 * return too many but not too few. Each driver has its own full-text index; {@link SearchIndex} is
 * what they share. Rows of `search_entries` are removed like those of other tables.
 */

export interface SearchEntry {
  mailId: string;
  receivedAt: Date;
  /** Without spaces; each once. */
  words: readonly string[];
}

export interface IndexedWord {
  word: string;
  /** Whether it stands for all words that start with it. */
  isPrefix: boolean;
}

export interface Proposal {
  mailId: string;
  receivedAt: Date;
}

export interface IndexQuery {
  /** Words, of which each proposed mail has one. */
  scopes: readonly string[];
  /** Each proposed mail has one of the words of each list, unless it has the word `exempt`. */
  words: readonly (readonly IndexedWord[])[];
  exempt: string;
  /** Arrival from this time, inclusive, until another, exclusive. */
  from: Date;
  until: Date;
  limit: number;
}

export interface SearchIndex {
  /**
   * Adds those of the mails that are pending, which ends that, in one transaction. A mail that the
   * index cannot take stays pending and is skipped from then on.
   * @throws {DatabaseUnavailable}
   */
  add: (entries: readonly SearchEntry[]) => Promise<void>;
  /**
   * All words of the index that a word stands for. Null if there are too many, or if complete words
   * are not found faster.
   * @throws {DatabaseUnavailable}
   */
  complete: (word: IndexedWord) => Promise<string[] | null>;
  /**
   * Ends work that was deferred when mails were added and that slows searches.
   * @throws {DatabaseUnavailable}
   */
  tidy: () => Promise<void>;
  /** Mails with the wanted words, newest first. @throws {DatabaseUnavailable} */
  propose: (wanted: IndexQuery) => Promise<Proposal[]>;
}
