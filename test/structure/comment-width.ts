/** Characters of a line, as of Prettier, which does not wrap comments. */
const WIDTH = 100;
const SOURCE = /(?<!\.gen)\.[cm]?[jt]sx?$/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/;
/** Directives of tools, which take one line. */
const DIRECTIVE = /eslint-|https?:\/\/\S{60}/;

/** The comment lines above 100 characters in a source file, each as `file:line: fault`. */
export function wideComments(name: string, text: string): string[] {
  if (!SOURCE.test(name)) return [];
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= WIDTH || !COMMENT.test(line) || DIRECTIVE.test(line)) return [];
    return [`${name}:${index + 1}: a comment of ${line.length} characters; wrap it at ${WIDTH}`];
  });
}
