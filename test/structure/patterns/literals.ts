/** Patterns that stand in the text of source files, and the places that build one when they run. */
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

export interface Pattern {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** A call of `RegExp`, as `file:line:column`, and its text, or what hides a pattern. */
export interface Construction {
  file: string;
  line: number;
  place: string;
  text: string;
}

/** Methods that make a pattern of a text. */
const MATCHING = new Set(['match', 'matchAll', 'search']);

export async function literalsOf(
  files: readonly string[],
): Promise<{ literals: Pattern[]; constructions: Construction[]; hidden: Construction[] }> {
  const literals: Pattern[] = [];
  const constructions: Construction[] = [];
  const hidden: Construction[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const texts = textsIn(tree);
    const visit = (node: ts.Node): void => {
      const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      const place = `${file}:${line + 1}:${character + 1}`;
      const at = { file, line: line + 1, place };
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
        literals.push({ ...at, source, flags });
      }
      if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && isRegExp(node.expression)) {
        constructions.push({ ...at, text: node.getText(tree) });
      }
      if (isOtherName(node) || matchesText(node, texts)) {
        hidden.push({ ...at, text: node.getText(tree) });
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return { literals, constructions, hidden };
}

function isRegExp(callee: ts.Expression): boolean {
  return ts.isIdentifier(callee) && callee.text === 'RegExp';
}

/** `RegExp` where it can get another name: each use but a call, a test of a class, and a type. */
function isOtherName(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node)) return node.text === 'RegExp';
  if (!ts.isIdentifier(node) || node.text !== 'RegExp') return false;
  const { parent } = node;
  if (ts.isNewExpression(parent) || ts.isCallExpression(parent)) return parent.expression !== node;
  if (ts.isTypeReferenceNode(parent)) return false;
  return !(
    ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword
  );
}

/** Whether a text is given to a method that makes a pattern of it. */
function matchesText(node: ts.Node, texts: ReadonlySet<string>): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [given, ...others] = node.arguments;
  if (!MATCHING.has(node.expression.name.text) || !given || others.length > 0) return false;
  return isText(given) || (ts.isIdentifier(given) && texts.has(given.text));
}

/** The names of the variables of a file that are set to a text. */
function textsIn(tree: ts.SourceFile): Set<string> {
  const texts = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer && isText(node.initializer)) {
      texts.add(node.name.getText(tree));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

function isText(node: ts.Expression): boolean {
  if (ts.isBinaryExpression(node)) return isText(node.left) || isText(node.right);
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}
