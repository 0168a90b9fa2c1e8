import { expect } from 'chai';
import { faultText } from '../../../api/http/errors.ts';

describe('the text of a validation fault', () => {
  for (const [path, message, text] of [
    ['/query/limit', 'must be <= 100', '"limit" must be at most 100.'],
    ['/query/limit', 'must be >= 1', '"limit" must be at least 1.'],
    ['/query/page', "Unknown query parameter 'page'", 'Unknown query parameter "page".'],
    [
      '/query/expires',
      "must have required property 'expires'",
      'Missing query parameter "expires".',
    ],
    ['/query/after', "Empty value found for query parameter 'after'", '"after" must not be empty.'],
    ['/query/since', 'must match format "date-time"', '"since" must be a valid date-time.'],
    ['/body/name', "must have required property 'name'", 'Missing field "name".'],
    ['/body/to/0', 'must be string', '"to/0" must be a string.'],
    ['/body/color', 'must NOT have additional properties', 'Unknown field "color".'],
    ['/body/to', 'must NOT have more than 1000 items', '"to" must have at most 1000 items.'],
    ['/body', 'must be object', 'The request body must be an object.'],
    ['/body/expiresIn', 'must be integer,null', '"expiresIn" must be an integer or null.'],
    ['/body/owner', 'must be string,null', '"owner" must be a string or null.'],
    [
      '/body',
      'must NOT have fewer than 1 properties',
      'The request body must have 1 or more properties.',
    ],
    [
      '/body/role',
      'must be equal to one of the allowed values: reader, admin',
      '"role" must be one of: reader, admin.',
    ],
    ['/body/name', 'must pass a new keyword', '"name" must pass a new keyword.'],
  ] as const) {
    it(`is "${text}"`, () => {
      expect(faultText({ path, message })).to.equal(text);
    });
  }
});
