import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Budget,
  define,
  execute,
  executed,
  type FunctionMap,
  freshRecorder,
  goValue,
  type Origin,
  parse,
  type Segment,
  sprigFunctions,
  TemplateError,
  TemplateSet,
  Tracer,
} from '../index.ts';

const functions: FunctionMap = new Map([
  ...sprigFunctions,
  [
    'include',
    define('string, any', ([name, data], context) => context.executeTemplate(name as string, data), executed),
  ],
]);

/** Templates may change it. */
const data = () =>
  goValue({
    v: 'one',
    w: 'two',
    same: 'one',
    n: 5,
    on: true,
    off: false,
    empty: '',
    line: 'a b,c',
    m: { b: 'B', a: 'A', in: { deep: 'D', same: 'B' } },
    l: ['x', 'y', 'x'],
    objects: [{ name: 'p', v: 1 }, { name: 'q' }],
  });

/** Numbers come one after another, so that every generated value is another one. */
function recorder() {
  let next = 0;
  return { ...freshRecorder(), generate: () => `gen${next++}` };
}

function trace(text: string): { text: string; segments: Segment[] } {
  const set = new TemplateSet();
  set.add(parse('t', text, { functions }));
  const result = execute(set, 't', data(), { functions, recorder: recorder(), trace: { tracer: new Tracer() } });
  assert.equal(result.text, execute(set, 't', data(), { functions, recorder: recorder() }).text);
  return { text: result.text, segments: result.trace?.segments(0, result.text.length) ?? [] };
}

function name(origin: Origin): string {
  if (origin.kind === 'generated') {
    return `${origin.generation.function}@${origin.generation.line}${origin.field ? `.${origin.field}` : ''}`;
  }
  return `${{ value: '.', key: '#', empty: '~' }[origin.role]}${origin.path.join('.')}`;
}

/** The output with what each stretch is made of: `<text:.path .path|function>`. */
function described(text: string): string {
  return trace(text)
    .segments.map(({ text: part, origins, via }) =>
      origins.length === 0 ? part : `<${part}:${origins.map(name).join(' ')}${via.map((one) => `|${one}`).join('')}>`,
    )
    .join('');
}

const statements: [statement: string, template: string, wanted: string][] = [
  ['text', 'plain', 'plain'],
  ['an action', 'a: {{ .v }}!', 'a: <one:.v>!'],
  ['a constant', '{{ "one" }}{{ 5 }}{{ true }}', 'one5true'],
  [
    'equal values at different places',
    '{{ .same }}{{ .v }}{{ .m.b }}{{ .m.in.same }}',
    '<one:.same><one:.v><B:.m.b><B:.m.in.same>',
  ],
  ['a number', '{{ .n }}', '<5:.n>'],
  ['a value that prints nothing', '{{ .empty }}', '<:.empty>'],
  ['a path that is not there', '{{ .m.none }}', '<<no value>:.m.none>'],
  ['the root', '{{ range .l }}{{ $.v }}{{ break }}{{ end }}', '<one:.v>'],
  ['a chain', '{{ (.m).in.deep }}', '<D:.m.in.deep>'],
  ['a variable', '{{ $x := .v }}{{ $x }}{{ $x = .w }}{{ $x }}', '<one:.v><two:.w>'],
  ['a variable of an outer block', '{{ $x := "c" }}{{ if .on }}{{ $x = .v }}{{ end }}{{ $x }}', '<one:.v>'],
  ['a field of a variable', '{{ $m := .m }}{{ $m.in.deep }}', '<D:.m.in.deep>'],
  ['if', '{{ if .on }}{{ "c" }}{{ .v }}{{ end }}', 'c<one:.v>'],
  ['else', '{{ if .off }}x{{ else if .on }}{{ .v }}{{ end }}', '<one:.v>'],
  ['with', '{{ with .m.in }}{{ .deep }}{{ $.v }}{{ end }}', '<D:.m.in.deep><one:.v>'],
  ['with and a variable', '{{ with $x := .m }}{{ $x.a }}{{ .b }}{{ end }}', '<A:.m.a><B:.m.b>'],
  ['the dot after with', '{{ with .m }}{{ end }}{{ .v }}', '<one:.v>'],
  ['the dot in the else of with', '{{ with .empty }}{{ else }}{{ .v }}{{ end }}', '<one:.v>'],
  ['a range of a list', '{{ range .l }}{{ . }}{{ end }}', '<x:.l.0><y:.l.1><x:.l.2>'],
  ['a range of a list with index', '{{ range $i, $e := .l }}{{ $i }}{{ $e }}{{ end }}', '0<x:.l.0>1<y:.l.1>2<x:.l.2>'],
  [
    'a range of a map',
    '{{ range $k, $v := .m.in }}{{ $k }}={{ $v }} {{ end }}',
    '<deep:#m.in.deep>=<D:.m.in.deep> <same:#m.in.same>=<B:.m.in.same> ',
  ],
  ['a range of objects', '{{ range .objects }}{{ .name }}{{ end }}', '<p:.objects.0.name><q:.objects.1.name>'],
  [
    'ranges in ranges',
    '{{ range .objects }}{{ range $.l }}{{ . }}{{ break }}{{ end }}{{ .name }}{{ end }}',
    '<x:.l.0><p:.objects.0.name><x:.l.0><q:.objects.1.name>',
  ],
  ['the else of a range', '{{ range .none }}{{ else }}{{ .v }}{{ end }}', '<one:.v>'],
  ['a range of numbers', '{{ range int .n }}{{ . }}{{ break }}{{ end }}', '<0:.n|int>'],
  [
    'continue',
    '{{ range .l }}{{ if eq . "y" }}{{ continue }}{{ end }}{{ . }}{{ end }}{{ .v }}',
    '<x:.l.0><x:.l.2><one:.v>',
  ],
  ['template', '{{ define "h" }}[{{ .deep }}]{{ end }}{{ template "h" .m.in }}{{ .v }}', '[<D:.m.in.deep>]<one:.v>'],
  ['template without data', '{{ define "h" }}[{{ . }}]{{ end }}{{ template "h" }}', '[<no value>]'],
  [
    'variables of a template',
    '{{ define "h" }}{{ $x := .w }}{{ $x }}{{ end }}{{ $x := .v }}{{ template "h" . }}{{ $x }}',
    '<two:.w><one:.v>',
  ],
  ['block', '{{ block "b" .m }}{{ .a }}{{ end }}', '<A:.m.a>'],
  ['include', '{{ define "h" }}n: {{ .deep }}{{ end }}{{ include "h" .m.in }}', 'n: <D:.m.in.deep>'],
  [
    'include of an include',
    '{{ define "i" }}<{{ . }}>{{ end }}{{ define "h" }}{{ include "i" .v }}{{ end }}{{ include "h" . }}',
    '<<one:.v>>',
  ],
  ['and, or', '{{ or .empty .v }}{{ and .on .w }}{{ or .off "c" }}', '<one:.v ~empty><two:.w><c:~off>'],
  ['a pipeline into or', '{{ .v | or .empty }}', '<one:.v ~empty>'],
  ['a pipeline', '{{ .v | upper | quote }}', '"<ONE:.v|upper|quote>"'],
  ['nil as an argument', '{{ default .v nil }}', '<one:.v>'],
];

const calls: [functions: string, template: string, wanted: string][] = [
  ['no rule', '{{ b64enc (print .v "-" .w) }}', '<b25lLXR3bw==:.v .w|b64enc>'],
  ['no rule, of a constant', '{{ b64enc "x" }}', 'eA=='],
  ['sha256sum', '{{ sha256sum .v | trunc 4 }}', '<7692:.v|sha256sum>'],
  ['numbers', '{{ add .n 1 }} {{ int .n }}', '<6:.n|add> <5:.n|int>'],
  ['predicates', '{{ eq .v .same }}', '<true:.v .same|eq>'],
  ['print', '{{ print .v "-" .n 5 }}', '<one:.v>-<5:.n> 5'],
  ['println', '{{ println .v .n }}', '<one:.v> <5:.n>\n'],
  ['printf', '{{ printf "%s-%05d/%s" .v 3 .w }}', '<one:.v|printf>-00003/<two:.w|printf>'],
  ['printf with the format from values', '{{ printf .line }}', '<a b,c:.line>'],
  ['printf of an assembled text', '{{ printf "%8s|" (print .v "+") }}', '    <one:.v|printf>+|'],
  ['cat', '{{ cat .v nil "x" .n }}', '<one:.v> x <5:.n>'],
  [
    'join',
    '{{ join .empty .l }}{{ join "," (list .v "c" .n) }}',
    '<x:.l.0><:.empty><y:.l.1><:.empty><x:.l.2><one:.v>,c,<5:.n>',
  ],
  ['quote', '{{ quote .v "c" }}{{ print "a\\"" .v | quote }}', '"<one:.v|quote>" "c""a\\"<one:.v|quote>"'],
  ['squote', '{{ squote .n }}', "'<5:.n|squote>'"],
  ['indent', '{{ print "a: " .v "\\nb: " .w | indent 2 }}', '  a: <one:.v>\n  b: <two:.w>'],
  ['nindent', '{{ print .v "\\n" .w | nindent 1 }}', '\n <one:.v>\n <two:.w>'],
  ['trim', '{{ print "  " .v "-" .w " " | trim }}', '<one:.v>-<two:.w>'],
  ['trimAll', '{{ print "//" .v "/" .w | trimAll "/" }}', '<one:.v>/<two:.w>'],
  ['trimPrefix, trimSuffix', '{{ print "one" .v .w | trimPrefix "one" | trimSuffix "wo" }}', '<one:.v><t:.w>'],
  ['trunc', '{{ print .v .w | trunc 4 }} {{ print .v .w | trunc -4 }}', '<one:.v><t:.w> <e:.v><two:.w>'],
  ['substr', '{{ print "é" .v .w | substr 2 6 }}', '<one:.v><t:.w>'],
  ['upper', '{{ print .v "x" .w | upper }}', '<ONE:.v|upper>X<TWO:.w|upper>'],
  [
    'replace',
    '{{ print .v "." .w | replace "." "-" }}{{ replace "n" .w .v }}',
    '<one:.v|replace>-<two:.w|replace><o:.v|replace><two:.w><e:.v|replace>',
  ],
  ['repeat', '{{ print .v "-" | repeat 2 }}', '<one:.v>-<one:.v>-'],
  ['html', '{{ print "<" .v | html }}', '&lt;<one:.v|html>'],
  ['toString', '{{ print .v "c" | toString }}{{ toString .n }}', '<one:.v>c<5:.n|toString>'],
  ['plural', '{{ plural .v .w (int .n) }}', '<two:.w>'],
  ['regexFind', '{{ print .v "-" .w | regexFind "e-t" }}', '<e:.v>-<t:.w>'],
  [
    'regexReplaceAll',
    '{{ regexReplaceAll "[.]" (print .v "." .w) "-" }}{{ regexReplaceAll "(n)" .v "$1$1" }}',
    '<one:.v>-<two:.w><onne:.v>',
  ],
  ['regexReplaceAllLiteral', '{{ regexReplaceAllLiteral "n" .v "-" }}', '<o:.v>-<e:.v>'],
  ['regexSplit', '{{ index (regexSplit "[,;]" (print .v ";" .w) -1) 1 }}', '<two:.w>'],
  ['regexFindAll', '{{ last (regexFindAll "[a-z]+" (print .v ";" .w) -1) }}', '<two:.w>'],
  ['splitList', '{{ index (splitList ":" (print .v ":" .w)) 1 }}', '<two:.w>'],
  ['split', '{{ $p := split "." (print .v "." .w) }}{{ $p._1 }}{{ $p._0 }}', '<two:.w><one:.v>'],
  ['splitn', '{{ (splitn "." 2 (print .v "." .w ".x"))._1 }}', '<two:.w>.x'],
  [
    'default',
    '{{ default "c" .v }}{{ default .w .empty }}{{ .none | default "c" }}{{ (default .m .none).a }}',
    '<one:.v><two:.w ~empty><c:~none><A:.m.a>',
  ],
  ['coalesce', '{{ coalesce .empty .w .v }}', '<two:.w ~empty>'],
  ['ternary', '{{ ternary .v .w .on }}{{ .off | ternary .v .w }}', '<one:.v><two:.w>'],
  ['list, index', '{{ index (list .v "c" .w) 2 }}{{ index (list .v "c") 1 }}', '<two:.w>c'],
  [
    'index of data',
    '{{ index .m "in" "deep" }}{{ index .l 1 }}{{ index .objects 0 "name" }}',
    '<D:.m.in.deep><y:.l.1><p:.objects.0.name>',
  ],
  ['first, last', '{{ first .l }}{{ last .l }}', '<x:.l.0><x:.l.2>'],
  [
    'rest, initial, reverse',
    '{{ range rest .l }}{{ . }}{{ end }}-{{ range initial .l }}{{ . }}{{ end }}-{{ first (reverse .l) }}',
    '<y:.l.1><x:.l.2>-<x:.l.0><y:.l.1>-<x:.l.2>',
  ],
  [
    'append, prepend, concat',
    '{{ join "" (concat (append .l .v) (prepend (list "c") .w)) }}',
    '<x:.l.0><y:.l.1><x:.l.2><one:.v><two:.w>c',
  ],
  [
    'uniq, without, compact',
    '{{ join "" (uniq .l) }}-{{ join "" (without .l "x") }}-{{ join "" (compact (list .empty .v)) }}',
    '<x:.l.0><y:.l.1>-<y:.l.1>-<one:.v>',
  ],
  ['slice, chunk', '{{ join "" (slice .l 1 3) }}-{{ index (chunk 2 .l) 1 0 }}', '<y:.l.1><x:.l.2>-<x:.l.2>'],
  ['sortAlpha', '{{ join "" (sortAlpha (list .w .v "a")) }}', 'a<one:.v><two:.w>'],
  ['has', '{{ has .v .l }}', '<false:.v .l|has>'],
  [
    'dict',
    '{{ $d := dict "a" .v .w 1 "c" "d" }}{{ $d.a }}{{ $d.c }}{{ range $k, $v := $d }}{{ $k }}{{ end }}',
    '<one:.v>dac<two:.w>',
  ],
  ['get', '{{ get .m "a" }}{{ get (dict "x" .v) "x" }}{{ get .m "none" }}', '<A:.m.a><one:.v>'],
  ['set', '{{ $_ := set .m "a" .v }}{{ .m.a }}{{ .m.b }}', '<one:.v><B:.m.b>'],
  ['set of a constant', '{{ $_ := set .m "a" "A" }}{{ .m.a }}', 'A'],
  ['set in a nested map', '{{ $_ := set .m.in "deep" .w }}{{ $x := .m }}{{ $x.in.deep }}', '<two:.w>'],
  ['unset', '{{ $d := unset (dict "a" .v "b" .w) "a" }}{{ $d.a }}{{ $d.b }}', '<no value><two:.w>'],
  ['pluck', '{{ first (pluck "a" (dict "b" 1) .m) }}', '<A:.m.a>'],
  [
    'pick, omit',
    '{{ (pick .m "a").a }}{{ (omit .m "a").b }}{{ (omit (dict "a" .v) "b").a }}',
    '<A:.m.a><B:.m.b><one:.v>',
  ],
  ['keys, values', '{{ keys .m.in | first }}{{ values .m.in | first }}', '<deep:#m.in.deep><D:.m.in.deep>'],
  ['merge', '{{ $d := merge (dict "a" .v) .m }}{{ $d.a }}{{ $d.b }}{{ $d.in.deep }}', '<one:.v><B:.m.b><D:.m.in.deep>'],
  [
    'merge of nested maps',
    '{{ $d := merge (dict "in" (dict "deep" .v)) .m }}{{ $d.in.deep }}{{ $d.in.same }}',
    '<one:.v><B:.m.in.same>',
  ],
  [
    'mergeOverwrite',
    '{{ $d := mergeOverwrite (deepCopy .m) (dict "a" .v "in" (dict "deep" .w)) }}{{ $d.a }}{{ $d.b }}{{ $d.in.deep }}{{ $d.in.same }}{{ .m.a }}',
    '<one:.v><B:.m.b><two:.w><B:.m.in.same><A:.m.a>',
  ],
  ['deepCopy', '{{ $d := deepCopy (dict "a" (dict "b" .v)) }}{{ $d.a.b }}', '<one:.v>'],
  ['dig', '{{ dig "in" "deep" "c" .m }}{{ dig "in" "none" .v .m }}', '<D:.m.in.deep><one:.v ~m.in.none>'],
  ['toJson', '{{ toJson (dict "a" .v "b" (list .n "c")) }}', '{"a":"<one:.v|toJson>","b":[<5:.n|toJson>,"c"]}'],
  [
    'toJson of data',
    '{{ toJson .m.in }}',
    '{<"deep":#m.in.deep|toJson>:"<D:.m.in.deep|toJson>",<"same":#m.in.same|toJson>:"<B:.m.in.same|toJson>"}',
  ],
  ['toPrettyJson', '{{ toPrettyJson (dict "a" (list .v)) }}', '{\n  "a": [\n    "<one:.v|toPrettyJson>"\n  ]\n}'],
  ['toRawJson', '{{ toRawJson (dict "a" (print "<" .v)) }}', '{"a":"<<one:.v|toRawJson>"}'],
  [
    'fromJson',
    '{{ $d := fromJson (printf `{"a": "%s", "b": [%v, 1]}` .v .n) }}{{ $d.a }}{{ index $d.b 0 }}{{ index $d.b 1 }}',
    '<one:.v|printf|fromJson><5:.n|printf|fromJson>1',
  ],
  ['generated', '{{ randAlpha 3 }}-{{ uuidv4 }}', '<gen0:randAlpha@1>-<gen1:uuidv4@1>'],
  ['generated with arguments', '{{ shuffle .v }}', '<gen0:shuffle@1 .v|shuffle>'],
  [
    'derived from a generated value',
    '{{ $p := randAlpha 3 }}{{ $p | b64enc }}:{{ print "x" $p | sha256sum | trunc 2 }}:{{ .v }}',
    '<Z2VuMA==:randAlpha@1|b64enc>:<af:randAlpha@1|sha256sum>:<one:.v>',
  ],
];

for (const [statement, template, wanted] of statements)
  test(`${statement} hands on what its values are made of`, () => assert.equal(described(template), wanted));

for (const [name, template, wanted] of calls)
  test(`what is made of values goes through: ${name}`, () => assert.equal(described(template), wanted));

test('a small container of containers of containers does not take for ever', () => {
  const nested = '{{ $l := list .v }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}';
  assert.equal(described(`${nested}{{ int $l }}`), '<0:.v|int>');
});

test('a text that is put together in a loop is bounded like any other', () => {
  const set = new TemplateSet();
  set.add(parse('t', '{{ $x := .v }}{{ range until 100000 }}{{ $x = print $x $.w $.v }}{{ end }}', { functions }));
  const budget = new Budget({ limits: { time: 500 } });
  assert.throws(
    () => execute(set, 't', data(), { functions, budget, trace: { tracer: new Tracer() } }),
    (error: unknown) => error instanceof TemplateError && error.kind === 'limit',
  );
});
