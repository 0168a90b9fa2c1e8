/** Patterns that stand in the text of source files, and the places that build one when they run. */
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

export interface Pattern {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** A call of `RegExp`, as `file:line:column`, and its text. */
export interface Construction {
  file: string;
  line: number;
  place: string;
  text: string;
}

export async function literalsOf(
  files: readonly string[],
): Promise<{ literals: Pattern[]; constructions: Construction[] }> {
  const literals: Pattern[] = [];
  const constructions: Construction[] = [];
  for (const file of files) {
    const tree = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
        literals.push({ file, line: line + 1, source, flags });
      }
      if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && isRegExp(node.expression)) {
        const place = `${file}:${line + 1}:${character + 1}`;
        constructions.push({ file, line: line + 1, place, text: node.getText(tree) });
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return { literals, constructions };
}

function isRegExp(callee: ts.Expression): boolean {
  return ts.isIdentifier(callee) && callee.text === 'RegExp';
}
