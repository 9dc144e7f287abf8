import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  define,
  type ExecuteOptions,
  execute,
  goValue,
  parse,
  sprigFunctions,
  TemplateError,
  TemplateSet,
} from './index.ts';

function render(text: string, data: unknown = {}, options: ExecuteOptions = {}): string {
  const functions = new Map([...sprigFunctions, ...(options.functions ?? [])]);
  const set = new TemplateSet();
  set.add(parse('chart/templates/a.yaml', text, { functions }));
  return execute(set, 'chart/templates/a.yaml', goValue(data), { ...options, functions }).text;
}

function failure(body: () => unknown): TemplateError {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error));
    return error;
  }
  return assert.fail('it did not fail');
}

test('an error says where it is, in bytes, as Go does', () => {
  const error = failure(() => render('é\né {{ .Values.a.b }}', { Values: {} }, { missingKey: 'zero' }));
  assert.equal(
    error.goMessage,
    'template: chart/templates/a.yaml:2:13: executing "chart/templates/a.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b',
  );
  assert.deepEqual(error.at, { template: 'chart/templates/a.yaml', line: 2, column: 13, expression: '.Values.a.b' });
  assert.deepEqual(error.diagnosis.place, { file: 'chart/templates/a.yaml', line: 2, column: 14 });
});

test('an error inside an included template names every template on the way', () => {
  const include = define('string, any', ([name, data], context) => context.executeTemplate(name as string, data));
  const text = '{{ define "inner" }}{{ fail "no" }}{{ end }}{{ include "inner" . | upper }}';
  const error = failure(() => render(text, {}, { functions: new Map([['include', include]]) }));
  assert.equal(
    error.goMessage,
    'template: chart/templates/a.yaml:1:47: executing "chart/templates/a.yaml" at <include "inner" .>: error calling include: ' +
      'template: chart/templates/a.yaml:1:23: executing "inner" at <fail "no">: error calling fail: no',
  );
  assert.equal((error.inner as TemplateError).detail, 'error calling fail: no');
});

test('64-bit integers keep every digit, and floats print as Go prints them', () => {
  const include = define('', () => 9007199254740993n);
  assert.equal(
    render('{{ big }} {{ .f }} {{ add big 1 }}', { f: 1e6 }, { functions: new Map([['big', include]]) }),
    '9007199254740993 1e+06 9007199254740994',
  );
});

test('bytes that are no UTF-8 survive a way through base64', () => {
  assert.equal(render('{{ "/+8A" | b64dec | b64enc }}'), '/+8A');
});

test('adding templates to a clone leaves the original as it is', () => {
  const set = new TemplateSet();
  set.add(parse('a', 'A'));
  const clone = set.clone();
  clone.add(parse('b', 'B'));
  clone.add(parse('a', 'changed'));
  assert.equal(set.lookup('b'), undefined);
  assert.equal(execute(set, 'a', null).text, 'A');
  assert.equal(execute(clone, 'a', null).text, 'changed');
});

test('times are equal as structs are: by their fields, in a location that Go shares for whole hours alone', () => {
  const compared = (one: string, other: string) =>
    render(
      `{{ $f := "2006-01-02T15:04:05Z07:00" }}{{ eq (toDate $f ${JSON.stringify(one)}) (toDate $f ${JSON.stringify(other)}) }}`,
    );
  assert.equal(compared('2024-07-04T13:05:09Z', '2024-07-04T13:05:09Z'), 'true');
  assert.equal(compared('2024-07-04T13:05:09Z', '2024-07-04T13:05:10Z'), 'false');
  assert.equal(compared('2024-07-04T13:05:09+02:00', '2024-07-04T13:05:09+02:00'), 'true');
  assert.equal(compared('2024-07-04T13:05:09+02:30', '2024-07-04T13:05:09+02:30'), 'false');
  assert.equal(compared('2024-07-04T13:05:09+02:00', '2024-07-04T12:05:09+01:00'), 'false');
});
