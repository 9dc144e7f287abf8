import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors, type Schema } from '@tiphys/apimachinery';
import { hasRules, RuleRun, validateRules } from './cel-rules.ts';

const rule = (text: string, message: string): Schema => ({
  type: 'object',
  properties: { count: { type: 'integer' } },
  'x-kubernetes-validations': [{ rule: text, message }],
});
const positive = rule('self.count > 0', 'must be positive');
const plain: Schema = { type: 'object', properties: { count: { type: 'integer' } } };
const schema: Schema = {
  type: 'object',
  properties: {
    plain,
    own: positive,
    list: { type: 'array', items: { type: 'object', properties: { inner: positive, other: plain } } },
    named: { type: 'object', additionalProperties: positive },
    only: { type: 'array', items: plain },
  },
};

test('rules are found wherever a schema has them, and parts without any are passed over', () => {
  assert.deepEqual(
    [hasRules(schema), hasRules(plain), hasRules(schema.properties?.only as Schema)],
    [true, false, false],
  );
  const value = (count: number) => ({
    plain: { count },
    own: { count },
    list: [{ inner: { count: 1 }, other: { count } }, { inner: { count } }],
    named: { a: { count } },
    only: [{ count }],
  });
  const told = (count: number) => {
    const run = new RuleRun(new FieldErrors());
    validateRules(value(count), undefined, schema, run);
    return run.errors.causes.map(({ field }) => field);
  };
  assert.deepEqual(told(0), ['own', 'list[1].inner', 'named[a]']);
  assert.deepEqual(told(1), []);
  assert.deepEqual(told(0), ['own', 'list[1].inner', 'named[a]'], 'what is remembered of a schema holds');
});
