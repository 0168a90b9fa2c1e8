/** A parser for the subset of PromQL that docs/operating.md uses. */

const STRING = /"[^"]*"/g;
/** `by (le)` lists labels. */
const GROUPING = /\b(?:by|without) *\([^)]*\)/g;
const RANGE = /\[\w+\]/g;
const OPERATORS = new Set(['and', 'or', 'unless']);
const SELECTOR = /([a-z_][a-z0-9_]*)\{([^}]*)\}/g;
const MATCHER = /([a-z_]+)(=~|!~|!=|=)"([^"]*)"/g;

/** The names of the metrics: every word that is not a function, operator or label. */
export function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(STRING, '""')
    .replace(/\{[^}]*\}/g, '')
    .replace(GROUPING, '')
    .replace(RANGE, '');
  const words = bare.matchAll(/\b([a-z_][a-z0-9_]*)\b(?! *\()/g);
  return [...words].map(([, word = '']) => word).filter((word) => !OPERATORS.has(word));
}

export interface Matcher {
  metric: string;
  label: string;
  /** The included or excluded values. Each is a regular expression. */
  values: string[];
}

export function matchersIn(expression: string): Matcher[] {
  return [...expression.matchAll(SELECTOR)].flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(MATCHER)].map(([, label = '', , values = '']) => ({
      ...{ metric, label, values: values.split('|') },
    })),
  );
}
