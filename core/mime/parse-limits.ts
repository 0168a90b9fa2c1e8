/** Limits of the parser for one mail. */
export interface ParseLimits {
  /** Bytes of the header of the mail, or of one part. */
  headerBytes: number;
  /** Bytes of the headers of all parts. */
  partHeaderBytes: number;
  parts: number;
}

/** The limits in a child process. */
export const FULL_LIMITS: ParseLimits = {
  headerBytes: 1024 * 1024,
  partHeaderBytes: Infinity,
  parts: 1000,
};

/**
 * Limits for a mail that is parsed in the process that needs it, instead of in a child. Each of
 * them limits the time to a few milliseconds.
 */
export const INLINE_LIMITS: ParseLimits = {
  headerBytes: 16 * 1024,
  partHeaderBytes: 64 * 1024,
  parts: 100,
};
