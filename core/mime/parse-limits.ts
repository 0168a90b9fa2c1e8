/** Limits of the parser for one mail. */
export interface ParseLimits {
  /** Bytes of the header of the mail, or of one part. */
  headerBytes: number;
  parts: number;
  /**
   * Whether the first parts of a mail with too many are kept; otherwise the mail is rejected at
   * once.
   */
  keepsFirstParts: boolean;
  /** Whether character sets that are slow to decode are accepted. */
  slowCharsets: boolean;
}

/** The limits in a child process, which are those of mailparser. */
export const FULL_LIMITS: ParseLimits = {
  headerBytes: 1024 * 1024,
  parts: 1000,
  keepsFirstParts: true,
  slowCharsets: true,
};

/**
 * Limits for a mail that is parsed in the worker process. Each of them limits the time to a few
 * milliseconds.
 */
export const INLINE_LIMITS: ParseLimits = {
  headerBytes: 16 * 1024,
  parts: 100,
  keepsFirstParts: false,
  slowCharsets: false,
};
