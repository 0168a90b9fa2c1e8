/** Rules of the lint that are Mayfly's own: https://oxc.rs/docs/guide/usage/linter/js-plugins */

interface Node {
  type: string;
  parent: Node;
  name?: string;
  property?: Node;
}

interface Member extends Node {
  object: Node;
  property: Node;
}

interface Spread extends Node {
  argument: Node;
}

/** A name, and where it is defined. */
interface Variable {
  defs: { name: Node; node: Node & { init?: Node & { typeAnnotation?: { typeName?: Node } } } }[];
}

interface Scope {
  set: ReadonlyMap<string, Variable>;
  upper: Scope | null;
}

interface RuleContext {
  report: (fault: { node: Node; message: string }) => void;
  sourceCode: { getScope: (node: Node) => Scope };
}

const rule = (message: string, isFault: (member: Member) => boolean) => ({
  create: (context: RuleContext) => ({
    MemberExpression(node: Member) {
      if (isFault(node)) context.report({ node, message });
    },
  }),
});

const isStore = ({ name, property }: Node) => (property?.name ?? name) === 'store';

/**
 * Arguments are on the stack, and some 120,000 of them are a RangeError. Only rest parameters,
 * which a function passes on, and arrays `as const` may be spread.
 */
const boundedArguments = {
  create: (context: RuleContext) => ({
    SpreadElement(node: Spread) {
      if (!/^(?:Call|New)Expression$/.test(node.parent.type)) return;
      const { argument } = node;
      const scope = context.sourceCode.getScope(node);
      if (argument.type === 'Identifier' && isBounded(scope, argument.name ?? '')) return;
      const message = 'Pass the list itself, or loop over it: the stack limits arguments.';
      context.report({ node, message });
    },
  }),
};

function isBounded(scope: Scope | null, name: string): boolean {
  for (let at = scope; at; at = at.upper) {
    const variable = at.set.get(name);
    if (variable) return variable.defs.some((found) => isRestParameter(found) || isConst(found));
  }
  return false;
}

type Definition = Variable['defs'][number];

function isRestParameter({ name: { parent } }: Definition): boolean {
  return parent.type === 'RestElement' && !parent.parent.type.endsWith('Pattern');
}

function isConst({ node: { init } }: Definition): boolean {
  return init?.type === 'TSAsExpression' && init.typeAnnotation?.typeName?.name === 'const';
}

export default {
  meta: { name: 'mayfly' },
  rules: {
    'bounded-arguments': boundedArguments,
    'bound-store': rule(
      'Query through store.query or store.execute: store.db neither retries nor maps errors.',
      ({ object, property }) => property.name === 'db' && isStore(object),
    ),
    'transaction-of-caller': rule(
      'Change the database through transactionAs, or list the file as one without a caller.',
      ({ property }) => property.name === 'transaction',
    ),
  },
};
