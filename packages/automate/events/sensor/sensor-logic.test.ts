import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CloudEvent } from '../event/cloud-event.ts';
import { EvaluateError } from '../govaluate/tokens.ts';
import { applyParameters, buildPayload, ParameterError } from '../parameters/parameters.ts';
import { waitsOf } from '../retry/backoff.ts';
import type { ParameterSource } from '../spec/sensor.ts';
import { dependenciesOf, isMet, isSimple, missingOf, parseCondition } from './condition.ts';

const event: CloudEvent = {
  id: 'e1',
  source: 'hooks',
  type: 'webhook',
  subject: 'push',
  time: '2026-01-02T03:04:05.678Z',
  datacontenttype: 'application/json',
  data: '{"body":{"n":12,"f":1.50,"name":"web","list":[1,{"a":2}],"yes":true,"nothing":null}}',
};
const events = new Map([['dep', event]]);
const src = (fields: Partial<ParameterSource>): ParameterSource => ({ dependencyName: 'dep', ...fields });

describe('parameters', () => {
  const rows: readonly (readonly [string, Partial<ParameterSource>, string])[] = [
    ['a number as text', { dataKey: 'body.n' }, '{"x":"12"}'],
    ['a number as it is', { dataKey: 'body.f', useRawData: true }, '{"x":1.5}'],
    ['a block as text', { dataKey: 'body.list' }, '{"x":"[1,{\\"a\\":2}]"}'],
    ['a block as it is', { dataKey: 'body.list', useRawData: true }, '{"x":[1,{"a":2}]}'],
    ['null as it is', { dataKey: 'body.nothing', useRawData: true }, '{"x":null}'],
    ['a text', { dataKey: 'body.name', useRawData: true }, '{"x":"web"}'],
    [
      'a template',
      { dataTemplate: '{{ .Input.body.name | upper }}-{{ .Input.body.n }}', useRawData: true },
      '{"x":"WEB-12"}',
    ],
    ['a key where the template fails', { dataTemplate: '{{ .Input.none }}', dataKey: 'body.name' }, '{"x":"web"}'],
    ['the value where the key is not there', { dataKey: 'body.none', value: 'd' }, '{"x":"d"}'],
    ['the context', { contextKey: 'subject' }, '{"x":"push"}'],
    ['data before context', { contextKey: 'subject', dataKey: 'body.name' }, '{"x":"web"}'],
    ['a template of the context', { contextTemplate: '{{ .Input.time }}' }, '{"x":"2026-01-02T03:04:05Z"}'],
    ['the value alone', { value: 'v' }, '{"x":"v"}'],
    ['the value of an event that is not there', { dependencyName: 'other', dataKey: 'a', value: 'v' }, '{"x":"v"}'],
    ['nothing of an event that is not there', { dependencyName: 'other', dataKey: 'a' }, '{}'],
  ];
  for (const [what, fields, expected] of rows)
    it(what, () => assert.equal(applyParameters('{}', [{ src: src(fields), dest: 'x' }], events), expected));

  it('gives the whole event without a key', () => {
    const whole = JSON.parse(buildPayload(events, [{ src: src({}), dest: '' }]) ?? '') as {
      data: string;
      context: object;
    };
    assert.equal(Buffer.from(whole.data, 'base64').toString(), event.data);
    assert.deepEqual(Object.keys(whole.context), [
      'id',
      'source',
      'specversion',
      'type',
      'datacontenttype',
      'subject',
      'time',
    ]);
  });
  it('appends, prepends, and refuses what it does not know', () => {
    const apply = (operation: string) =>
      applyParameters('{"x":"a"}', [{ src: src({ dataKey: 'body.name' }), dest: 'x', operation }], events);
    assert.equal(apply('append'), '{"x":"aweb"}');
    assert.equal(apply('prepend'), '{"x":"weba"}');
    assert.throws(() => apply('replace'), /unsupported trigger parameter operation/);
  });
  it('fails where nothing can be found', () => {
    assert.throws(() => applyParameters('{}', [{ src: src({ dataKey: 'none' }), dest: 'x' }], events), ParameterError);
  });
  it('leaves events out of a payload that are not there', () => {
    const payload = buildPayload(events, [
      { src: src({ dependencyName: 'gone', dataKey: 'a' }), dest: 'a' },
      { src: src({ dataKey: 'body.name' }), dest: 'b' },
    ]);
    assert.equal(payload, '{"b":"web"}');
  });
});

describe('conditions', () => {
  const names = ['a', 'b-1', 'c'];
  it('are met as they say', () => {
    const condition = parseCondition('(a && b-1) || c', names);
    assert.deepEqual(dependenciesOf(condition), names);
    assert.equal(isMet(condition, new Set(['a'])), false);
    assert.equal(isMet(condition, new Set(['a', 'b-1'])), true);
    assert.equal(isMet(condition, new Set(['c'])), true);
    assert.equal(missingOf(condition, new Set(['a'])), 'b-1 or c');
  });
  it('ask for all dependencies when empty', () => {
    assert.deepEqual(dependenciesOf(parseCondition('', names)), names);
    assert.equal(isSimple(parseCondition('a || (b_1 || c)', names)), true);
    assert.equal(isSimple(parseCondition('a&&c', names)), false);
  });
  it('tell what is wrong in them', () => {
    for (const text of ['a &&', '(a', 'a b-1', 'x', 'a & c', ')', '()'])
      assert.throws(() => parseCondition(text, names), EvaluateError, text);
  });
});

describe('retries', () => {
  const waits = (strategy: Parameters<typeof waitsOf>[0]) => [...waitsOf(strategy, () => 0.5)];
  it('wait as the strategy says', () => {
    assert.deepEqual(waits(undefined), []);
    assert.deepEqual(waits({ steps: 1 }), []);
    assert.deepEqual(waits({ steps: 3, duration: '2s', factor: '2', jitter: '0' }), [2000, 4000]);
    assert.equal(waits({}).length, 4);
    assert.deepEqual(waits({ steps: 2, duration: 1e9, jitter: 1 }), [1500]);
  });
});
