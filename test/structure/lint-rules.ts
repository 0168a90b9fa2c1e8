/** Rules of the lint that are Mayfly's own: https://oxc.rs/docs/guide/usage/linter/js-plugins */

interface Node {
  type: string;
  name?: string;
  property?: Node;
}

interface Member extends Node {
  object: Node;
  property: Node;
}

interface RuleContext {
  report: (fault: { node: Member; message: string }) => void;
}

const rule = (message: string, isFault: (member: Member) => boolean) => ({
  create: (context: RuleContext) => ({
    MemberExpression(node: Member) {
      if (isFault(node)) context.report({ node, message });
    },
  }),
});

const isStore = ({ name, property }: Node) => (property?.name ?? name) === 'store';

export default {
  meta: { name: 'mayfly' },
  rules: {
    'bound-store': rule(
      'Ask through store.ask or store.read: store.db neither retries nor maps errors.',
      ({ object, property }) => property.name === 'db' && isStore(object),
    ),
    'transaction-of-caller': rule(
      'Change the database through transactionAs, or list the file as one without a caller.',
      ({ property }) => property.name === 'transaction',
    ),
  },
};
