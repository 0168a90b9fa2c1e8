/** Limits of the parser for one mail. */
export interface ParseLimits {
  /** Bytes of the header of the mail, or of one part. */
  headerBytes: number;
  parts: number;
}

/** The limits in a child process. */
export const FULL_LIMITS: ParseLimits = {
  headerBytes: 1024 * 1024,
  parts: 1000,
};

/**
 * Limits for a mail that is parsed in the worker process. Each of them limits the time to a few
 * milliseconds.
 */
export const INLINE_LIMITS: ParseLimits = {
  headerBytes: 16 * 1024,
  parts: 100,
};
