/** A parser for the text format of Prometheus, as strict as Prometheus. */
import { expect } from 'chai';

const COMMENT = /^# (?:HELP ([a-z0-9_]+) .+|TYPE ([a-z0-9_]+) (?:counter|gauge|histogram))$/;
const SAMPLE = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (-?(?:[0-9.]+(?:e[+-]?\d+)?|\+?Inf|Nan))$/;
const LABEL = /([a-z_]+)="((?:[^"\\\n]|\\.)*)"(?:,|$)/gy;

export interface Samples {
  /** Names of all metrics with a HELP line. */
  readonly names: Set<string>;
  /** The sum of the samples with this name and these labels; 0 without samples. */
  readonly sum: (name: string, labels?: Record<string, string>) => number;
  /** The values that a label of a sample has. */
  readonly values: (name: string, label: string) => Set<string | undefined>;
}

/** @throws if a line is invalid, or the lines of a metric are not adjacent. */
export function samplesIn(text: string): Samples {
  const names = new Set<string>();
  const samples: { name: string; labels: Map<string, string>; value: number }[] = [];
  let current = '';
  expect(text).to.match(/\n$/);
  for (const line of text.split('\n').filter(Boolean)) {
    const [isComment, help, typed] = COMMENT.exec(line) ?? [];
    if (help) {
      expect(names, 'metrics so far').not.to.include(help);
      names.add((current = help));
    } else if (isComment) {
      expect(typed).to.equal(current);
    } else {
      const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (name === undefined) throw new Error(`no line of the format: ${line}`);
      expect(name.replace(/_(?:bucket|sum|count)$/, '')).to.be.oneOf([
        current,
        current.replace(/_(?:bucket|sum|count)$/, ''),
      ]);
      const pairs = [...labels.matchAll(LABEL)];
      expect(pairs.map(([pair]) => pair).join('')).to.equal(labels);
      samples.push({
        name,
        labels: new Map(pairs.map(([, label = '', given = '']) => [label, given])),
        value: Number(value?.replace('Inf', 'Infinity')),
      });
    }
  }
  const those = (name: string) => samples.filter((sample) => sample.name === name);
  return {
    names,
    sum: (name, wanted = {}) =>
      those(name)
        .filter(({ labels }) => Object.entries(wanted).every(([l, v]) => labels.get(l) === v))
        .reduce((total, { value }) => total + value, 0),
    values: (name, label) => new Set(those(name).map(({ labels }) => labels.get(label))),
  };
}
