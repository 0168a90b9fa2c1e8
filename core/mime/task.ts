/** Work on the content of a mail, which is done in this process or in a child process. */

/** A pure function. Its input and its output can be sent to another process. */
export interface Task<Input, Output> {
  readonly name: string;
  /** Characters and bytes of the input in proportion to which the work takes time. */
  readonly sizeOf: (input: Input) => number;
  /** Up to this size the work takes less than 20 ms, whatever the input contains. */
  readonly inlineSize: number;
  readonly run: (input: Input) => Output | Promise<Output>;
}

/** What a child looks up by its name. */
export type AnyTask = Task<never, unknown>;

/** The length of a text or of bytes that can be missing. */
export function lengthOf(content: { length: number } | null): number {
  return content?.length ?? 0;
}
