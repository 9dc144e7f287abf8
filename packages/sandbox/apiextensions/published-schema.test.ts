import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '@tiphys/apimachinery';
import { publishedSchemaV2 } from './published-schema.ts';

const keeps = { 'x-kubernetes-preserve-unknown-fields': true };
const text: Schema = { type: 'string' };

/** As kube-apiserver 1.34 tells them in `/openapi/v2`. */
const properties: [name: string, given: Schema, shown: Schema][] = [
  ['a default', { type: 'string', default: 'red', enum: ['red'] }, { type: 'string', enum: ['red'] }],
  ['what may be null', { type: 'integer', nullable: true }, {}],
  ['an open object', { type: 'object', ...keeps, properties: { a: text } }, keeps],
  ['a list of what may be null', { type: 'array', items: { ...text, nullable: true } }, { type: 'array', items: {} }],
  ['a list that may be null', { type: 'array', items: text, nullable: true }, {}],
  ['alternatives', { type: 'object', oneOf: [{ required: ['a'] }], not: { required: ['b'] } }, { type: 'object' }],
  ['an example', { type: 'string', example: 'x', title: 'X' }, { type: 'string', title: 'X' }],
  [
    'a number or text',
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, text] },
    { 'x-kubernetes-int-or-string': true },
  ],
  [
    'values that may be null',
    { type: 'object', required: ['a'], additionalProperties: { ...text, nullable: true } },
    { type: 'object', additionalProperties: {} },
  ],
  [
    'required fields that may be null',
    { type: 'object', required: ['a', 'b'], properties: { a: text, b: { ...text, nullable: true } } },
    { type: 'object', required: ['a'], properties: { a: text, b: {} } },
  ],
];

describe('The OpenAPI v2 schema of a definition', () => {
  for (const [name, given, shown] of properties)
    it(`tells ${name} as kubectl can read it`, () => {
      const { properties: published } = publishedSchemaV2({ type: 'object', properties: { field: given } });
      assert.deepEqual(published?.field, shown);
      assert.deepEqual(Object.keys(published ?? {}), ['field', 'apiVersion', 'kind', 'metadata']);
    });

  it('shows kind and metadata of what is embedded, but not where anything may be', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
    const { properties: published } = publishedSchemaV2({
      type: 'object',
      properties: { known: embedded, open: { ...embedded, ...keeps } },
    });
    assert.deepEqual(published?.known?.required, ['kind', 'apiVersion']);
    assert.deepEqual(Object.keys(published?.known?.properties ?? {}), ['apiVersion', 'kind', 'metadata']);
    assert.equal(published?.open?.properties, undefined);
  });
});
