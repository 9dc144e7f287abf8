import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CloudEvent } from '../event/cloud-event.ts';
import { SetPathError } from '../json/set-path.ts';
import type { ParameterSource, TriggerParameter } from '../spec/sensor.ts';
import { applyParameters, buildPayload, ParameterError } from './parameters.ts';

const event = (data: string, datacontenttype = 'application/json'): CloudEvent => ({
  id: 'e1',
  source: 'hooks',
  type: 'webhook',
  subject: 'push',
  time: '2026-01-02T22:30:00.25Z',
  datacontenttype,
  data,
});
const events = new Map([
  [
    'dep',
    event('{"n":7,"f":1.50,"big":12345678901234567890,"s":"a<b","yes":true,"z":null,"o":{"k": 1},"l":["x", 2],"e":""}'),
  ],
  ['yaml', event('name: web\nport: 80\nlist: [a, b]\n', 'application/yaml')],
  ['broken', event('{', 'application/yaml')],
  ['text', event('hello', 'text/plain')],
]);
const src = (source: Partial<ParameterSource>): ParameterSource => ({ dependencyName: 'dep', ...source });
const set = (source: Partial<ParameterSource>, more: Partial<TriggerParameter> = {}, json = '{"at":"old","n":5}') =>
  applyParameters(json, [{ src: src(source), dest: 'at', ...more }], events);

describe('values of parameters', () => {
  const rows: readonly (readonly [string, Partial<ParameterSource>, string])[] = [
    ['a text', { dataKey: 's' }, '"a<b"'],
    ['a number becomes a text', { dataKey: 'n' }, '"7"'],
    ['in the shortest form', { dataKey: 'f' }, '"1.5"'],
    ['with all its digits', { dataKey: 'big' }, '"12345678901234567890"'],
    ['a boolean becomes a text', { dataKey: 'yes' }, '"true"'],
    ['null becomes a text', { dataKey: 'z' }, '"null"'],
    ['an object becomes its JSON as text', { dataKey: 'o' }, '"{\\"k\\": 1}"'],
    ['a list too', { dataKey: 'l' }, '"[\\"x\\", 2]"'],
    ['an empty text counts', { dataKey: 'e', value: 'v' }, '""'],
    ['useRawData keeps a number', { dataKey: 'n', useRawData: true }, '7'],
    ['a boolean', { dataKey: 'yes', useRawData: true }, 'true'],
    ['null', { dataKey: 'z', useRawData: true }, 'null'],
    ['an object', { dataKey: 'o', useRawData: true }, '{"k": 1}'],
    ['a list', { dataKey: 'l', useRawData: true }, '["x", 2]'],
    ['a text stays a text', { dataKey: 's', useRawData: true }, '"a<b"'],
    ['and what a template makes', { dataTemplate: '{{ .Input.n }}', useRawData: true }, '"7"'],
    ['and value', { value: '7', useRawData: true }, '"7"'],
    [
      'a number of a template is a float',
      { dataTemplate: '{{ mulf .Input.n 1e6 }} {{ .Input.big }}' },
      '"7e+06 1.2345678901234567e+19"',
    ],
    ['a template with Sprig', { dataTemplate: '{{ .Input.s | upper }}' }, '"A<B"'],
    ['the template is first', { dataTemplate: '{{ .Input.n }}', dataKey: 's' }, '"7"'],
    ['one that is empty leaves it to the key', { dataTemplate: '{{ .Input.e }}', dataKey: 's' }, '"a<b"'],
    ['one that finds nothing too', { dataTemplate: '{{ .Input.none }}', dataKey: 's' }, '"a<b"'],
    ['one that fails too', { dataTemplate: '{{ fail "x" }}', dataKey: 's' }, '"a<b"'],
    ['a key that is not there leaves it to value', { dataKey: 'none', value: 'v' }, '"v"'],
    ['of the context', { contextKey: 'subject' }, '"push"'],
    ['whose time has no fraction', { contextKey: 'time' }, '"2026-01-02T22:30:00Z"'],
    ['by a template', { contextTemplate: '{{ .Input.source }}/{{ .Input.id }}' }, '"hooks/e1"'],
    ['data wins over the context', { contextKey: 'id', dataKey: 'n' }, '"7"'],
    ['value alone', { value: 'v' }, '"v"'],
    ['an empty value', { value: '' }, '""'],
    ['an event that is not there', { dependencyName: 'none', dataKey: 'n', value: 'v' }, '"v"'],
    ['YAML', { dependencyName: 'yaml', dataKey: 'list.1' }, '"b"'],
    ['YAML keeps types', { dependencyName: 'yaml', dataKey: 'port', useRawData: true }, '80'],
    ['YAML that is none leaves it to value', { dependencyName: 'broken', dataKey: 'a', value: 'v' }, '"v"'],
    ['data of another type too', { dependencyName: 'text', dataKey: 'a', value: 'v' }, '"v"'],
  ];
  for (const [what, source, expected] of rows) it(what, () => assert.equal(set(source), `{"at":${expected},"n":5}`));

  it('the whole event, its data in base64, without a key', () => {
    const whole = JSON.parse((JSON.parse(set({})) as { at: string }).at) as { context: object; data: string };
    assert.deepEqual(Object.keys(whole.context), [
      'id',
      'source',
      'specversion',
      'type',
      'datacontenttype',
      'subject',
      'time',
    ]);
    assert.match(Buffer.from(whole.data, 'base64').toString(), /^\{"n":7,/);
  });
  it('nothing is changed without the event and a value', () =>
    assert.equal(set({ dependencyName: 'none', dataKey: 'n' }), '{"at":"old","n":5}'));
  it('fail where nothing is found', () => {
    for (const source of [
      { dataKey: 'none' },
      { dataTemplate: '{{ .Input.none }}' },
      { dependencyName: 'text', dataKey: 'a' },
      { dependencyName: 'broken', dataKey: 'a' },
    ])
      assert.throws(() => set(source), ParameterError, JSON.stringify(source));
  });
});

describe('destinations of parameters', () => {
  const rows: readonly (readonly [string, Partial<TriggerParameter>, string])[] = [
    ['overwrite is the default', { operation: '' }, '{"at":"7","n":5}'],
    ['overwrite', { operation: 'overwrite' }, '{"at":"7","n":5}'],
    ['append', { operation: 'append' }, '{"at":"old7","n":5}'],
    ['prepend', { operation: 'prepend' }, '{"at":"7old","n":5}'],
    ['append to a number makes a text', { operation: 'append', dest: 'n' }, '{"at":"old","n":"57"}'],
    ['append to nothing sets', { operation: 'append', dest: 'x' }, '{"at":"old","n":5,"x":"7"}'],
    ['a path', { dest: 'x.y' }, '{"at":"old","n":5,"x":{"y":"7"}}'],
    ['an index makes a list', { dest: 'x.1' }, '{"at":"old","n":5,"x":[null,"7"]}'],
    ['-1 appends to a list', { dest: 'x.-1' }, '{"at":"old","n":5,"x":["7"]}'],
    ['an escaped dot', { dest: 'x\\.y' }, '{"at":"old","n":5,"x.y":"7"}'],
    ['a colon makes a key of a numeral', { dest: 'x.:1' }, '{"at":"old","n":5,"x":{"1":"7"}}'],
    ['a scalar on the way is replaced', { dest: 'at.x' }, '{"at":{"x":"7"},"n":5}'],
    ['an empty name makes a list', { dest: 'x..y' }, '{"at":"old","n":5,"x":[{"y":"7"}]}'],
    ['a name of every object is a key', { dest: '__proto__.x' }, '{"at":"old","n":5,"__proto__":{"x":"7"}}'],
  ];
  for (const [what, more, expected] of rows) it(what, () => assert.equal(set({ dataKey: 'n' }, more), expected));

  it('may be found by a query or in every element', () => {
    const of = (more: Partial<TriggerParameter>) =>
      set({ value: 'z' }, more, '{"c":[{"n":"a","i":"x"},{"n":"b","i":"y"}]}');
    assert.equal(of({ dest: 'c.#(n=="b").i', operation: 'append' }), '{"c":[{"n":"a","i":"x"},{"n":"b","i":"yz"}]}');
    assert.equal(of({ dest: 'c.#.i' }), '{"c":[{"n":"a","i":"z"},{"n":"b","i":"z"}]}');
    assert.throws(() => of({ dest: 'c.#(n=="c").i' }), SetPathError);
  });
  it('are refused where they lead to no single place, or the operation is none', () => {
    for (const dest of ['', 'x.#', 'x*', '@x'])
      assert.throws(() => set({ dataKey: 'n' }, { dest }), SetPathError, dest);
    assert.throws(() => set({ dataKey: 'n' }, { operation: 'replace' }), ParameterError);
    assert.throws(() => set({ dataKey: 'n' }, { dest: 'l.x' }, '{"l":[]}'), SetPathError);
  });
});

describe('payloads', () => {
  const build = (...parameters: TriggerParameter[]) => buildPayload(events, parameters);
  it('are built entry by entry', () =>
    assert.equal(
      build({ src: src({ dataKey: 's' }), dest: 'a' }, { src: src({ dataKey: 'o', useRawData: true }), dest: 'b.c' }),
      '{"a":"a<b","b":{"c":{"k": 1}}}',
    ));
  it('an entry without dest is the whole of it, and the end', () =>
    assert.equal(
      build({ src: src({ dataKey: 'n' }), dest: 'a' }, { src: src({ dataKey: 'o' }) }, { src: src({}), dest: 'b' }),
      '{"k": 1}',
    ));
  it('operations are ignored', () =>
    assert.equal(
      build({ src: src({ dataKey: 'n' }), dest: 'a' }, { src: src({ dataKey: 'n' }), dest: 'a', operation: 'append' }),
      '{"a":"7"}',
    ));
  it('an entry whose event is not there is left out, and nothing is no payload', () => {
    const missing = { src: src({ dependencyName: 'none', dataKey: 'n' }), dest: 'a' };
    assert.equal(build(missing, { src: src({ dataKey: 'n' }), dest: 'b' }), '{"b":"7"}');
    assert.equal(build(missing), undefined);
  });
});
