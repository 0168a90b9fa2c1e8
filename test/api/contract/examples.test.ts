/**
 * What openapi.yaml shows and says, against its own schemas, the table of error codes and the
 * configuration.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CONTRACT } from '../../../api/contract/contract.ts';
import { ConfigError, readConfig } from '../../../core/config/config.ts';
import { AppError, type ErrorCode } from '../../../core/errors.ts';
import {
  type Media,
  type Schema,
  document,
  exampleCodes,
  examplesOf,
  fault,
  operations,
} from '../../support/contract/operations.ts';

const JSON_TYPE = 'application/json';
const ERROR = '#/components/schemas/Error';
/** `- `code`: when it is returned.` */
const LISTED_CODE = /^- `(\w+)`:/gm;
const VARIABLE = /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g;

type Described = Media & { schema: Schema };

/** Every media type, parameter and header of a part of the document, with its place. */
function describedIn(part: unknown, place = ''): { place: string; described: Described }[] {
  if (typeof part !== 'object' || part === null) return [];
  const below = Object.entries(part).flatMap(([key, value]) =>
    describedIn(value, `${place}/${key}`),
  );
  return 'schema' in part ? [{ place, described: part as Described }, ...below] : below;
}

const described = describedIn(document);

describe('openapi.yaml', () => {
  it('has only examples that fit their schemas', () => {
    const faults = described.flatMap(({ place, described: { schema, ...media } }) =>
      [...examplesOf(media)].map(([name, value]) => ({
        at: `${place} ${name}`,
        fault: fault(schema, value),
      })),
    );
    expect(faults).to.have.length.above(100);
    expect(faults.filter((each) => each.fault !== null)).to.deep.equal([]);
  });

  it('has an example of each parameter, header and JSON body', () => {
    const without = described.filter(({ described: media }) => examplesOf(media).size === 0);
    expect(without.map(({ place }) => place)).to.deep.equal([]);
  });

  it('describes each field of each schema', () => {
    const { schemas } = document.components;
    const fields = Object.entries(schemas).flatMap(([name, schema]) => fieldsOf(name, schema));
    expect(fields).to.have.length.above(100);
    expect(fields.filter(([, field]) => !isDescribed(field)).map(([name]) => name)).to.deep.equal(
      [],
    );
  });

  it('names only variables that the configuration has', () => {
    const text = readFileSync(CONTRACT, 'utf8');
    const names = new Set(Array.from(text.matchAll(VARIABLE), ([, name = '']) => name));
    expect(names).to.include('MESSAGE_TTL_MS');
    for (const name of names) expect(isVariable(name), name).to.equal(true);
  });

  for (const { id, summary, description, replies } of operations) {
    it(`describes ${id}, and lists and shows the error codes of each of its statuses`, () => {
      expect(summary).to.match(/^[A-Z].*[a-zA-Z]$/);
      expect(description).to.have.length.above(40);
      for (const [status, reply] of replies) {
        const media = reply.content?.[JSON_TYPE];
        if (media?.schema?.$ref !== ERROR) continue;
        const codes = new Set(exampleCodes(media));
        const listed = Array.from(reply.description.matchAll(LISTED_CODE), ([, code]) => code);
        expect(listed, `listed for ${status}`).to.have.members([...codes]).and.not.be.empty;
        for (const code of codes) {
          expect(new AppError(code as ErrorCode, '').status, code).to.equal(status);
        }
        for (const [name, value] of examplesOf(media)) {
          expect(name).to.match(new RegExp(`^${(value as { code: string }).code}`));
        }
      }
    });
  }
});

/** The fields of an object schema and of those within it, by name. */
function fieldsOf(name: string, { properties = {} }: Schema): [string, Schema][] {
  return Object.entries(properties).flatMap(([key, field]) => [
    [`${name}.${key}`, field],
    ...fieldsOf(`${name}.${key}`, field),
  ]);
}

/** A reference leads to a description of its own. */
function isDescribed(field: Schema): boolean {
  return (field.description ?? field.$ref ?? '') !== '';
}

/**
 * Whether the configuration looks at a variable of this name: it takes none of these values for all
 * of its variables.
 */
function isVariable(name: string): boolean {
  return ['\u0000', 'short'].some((value) => {
    try {
      readConfig({ [name]: value }, 'migrate');
      return false;
    } catch (error) {
      return error instanceof ConfigError && error.faults.some((each) => each.includes(name));
    }
  });
}
