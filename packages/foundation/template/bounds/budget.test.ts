import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Budget,
  type BudgetOptions,
  define,
  execute,
  goValue,
  parse,
  sprigFunctions,
  TemplateError,
  TemplateSet,
} from '../index.ts';

const include = define('string, any', ([name, data], context) => context.executeTemplate(name as string, data));
const tpl = define('string, any', ([text, data], context) => {
  const set = context.set.clone();
  set.add(parse('tpl', text as string, { functions }));
  return context.executeTemplate('tpl', data, set);
});
const functions = new Map([...sprigFunctions, ['include', include] as const, ['tpl', tpl] as const]);

function refused(text: string, options: BudgetOptions): TemplateError {
  const set = new TemplateSet();
  set.add(parse('t', text, { functions }));
  try {
    execute(set, 't', goValue({ loop: '{{ tpl .loop . }}' }), { functions, budget: new Budget(options) });
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error));
    return error;
  }
  return assert.fail('it was not refused');
}

const bombs = '{{ $l := list 1 2 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}';

const hostile: readonly [name: string, template: string][] = [
  ['recursion by template', '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}'],
  ['recursion by include', '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}'],
  ['recursion by tpl', '{{ tpl .loop . }}'],
  ['a huge string', '{{ repeat 1000000000 "a" }}'],
  ['a string that grows', '{{ $s := "aaaaaaaa" }}{{ range until 60 }}{{ $s = print $s $s }}{{ end }}'],
  ['a string that grows by joining', '{{ $s := "aaaaaaaa" }}{{ range until 60 }}{{ $s = cat $s $s }}{{ end }}'],
  ['a list that grows', '{{ $s := list 1 2 }}{{ range until 60 }}{{ $s = concat $s $s }}{{ end }}'],
  ['a huge list', '{{ range until 2000000000 }}{{ end }}'],
  ['a huge list by steps', '{{ untilStep 0 2000000000 1 | len }}'],
  ['a huge sequence', '{{ seq 1 2000000000 | len }}'],
  ['a huge range', '{{ range 2000000000 }}{{ end }}'],
  ['a wide number', '{{ range until 100000 }}{{ printf "%999999d" 1 }}{{ end }}'],
  ['a wide text', '{{ $s := repeat 1000 "a\\n" }}{{ range until 100 }}{{ $s = indent 1000 $s }}{{ end }}'],
  ['text that grows by replacing', '{{ $s := "aa" }}{{ range until 60 }}{{ $s = replace "a" "aaaa" $s }}{{ end }}'],
  [
    'text that grows by patterns',
    '{{ $s := "aa" }}{{ range until 60 }}{{ $s = regexReplaceAll "a" $s "aaaa" }}{{ end }}',
  ],
  ['output without end', '{{ range until 3000000 }}{{ repeat 1000 "a" }}{{ end }}'],
  ['a list of lists that is printed', `${bombs}{{ print $l }}`],
  ['a list of lists that is encoded', `${bombs}{{ toJson $l }}`],
  ['a list of lists that is copied', `${bombs}{{ deepCopy $l | len }}`],
  [
    'a list of lists that is compared',
    `${bombs}{{ deepEqual $l (list $l $l) }}{{ has 1 (list $l) }}{{ uniq (list $l (deepCopy $l)) }}`,
  ],
];

for (const [name, template] of hostile) {
  test(`${name} ends with a diagnosis of its place`, () => {
    const error = refused(template, {
      limits: { steps: 3_000_000, string: 1_000_000, list: 100_000, output: 10_000_000, depth: 300 },
    });
    assert.equal(error.kind, 'limit');
    assert.equal(error.diagnosis.code, 'TemplateLimitExceeded');
    assert.equal(error.diagnosis.place?.line, 1);
  });
}

test('an abort ends a loop', () => {
  const controller = new AbortController();
  controller.abort();
  assert.equal(refused('{{ range 2000000000 }}{{ end }}', { signal: controller.signal }).kind, 'cancelled');
});

test('time runs out by the given clock', () => {
  let now = 0;
  const error = refused('{{ range 2000000000 }}{{ end }}', { now: () => (now += 1000), limits: { time: 5000 } });
  assert.match(error.message, /limit on time/);
});
