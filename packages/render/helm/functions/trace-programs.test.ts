import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, goValue, parse, TemplateError, TemplateSet, Tracer } from '@tiphys/template';
import fc from 'fast-check';
import { chartFunctions } from './chart-functions.ts';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

/** Each value is a word of its own, so that wherever it stands in an output it can be told what it must be made of. */
const words: Readonly<Record<string, string>> = {
  tok0q: 'a',
  tok1q: 'b',
  tok2q: 'm.k',
  tok3q: 'm.o',
  tok4q: 'l.0',
  tok5q: 'l.1',
  tok6q: 'in.deep.x',
};
const data = () =>
  goValue({
    a: 'tok0q',
    b: 'tok1q',
    m: { k: 'tok2q', o: 'tok3q' },
    l: ['tok4q', 'tok5q'],
    in: { deep: { x: 'tok6q' } },
  });

interface Grammar {
  readonly text: string;
  readonly map: string;
  readonly list: string;
}

const shapes = {
  text: [
    '(print T T)',
    '(printf "%s+%s" T T)',
    '(printf "%-9s|%q" T T)',
    '(cat T T)',
    '(quote T)',
    '(squote T T)',
    '(indent 2 T)',
    '(nindent 1 T)',
    '(trim T)',
    '(trunc 99 T)',
    '(trimSuffix "+" T)',
    '(trimAll "+" T)',
    '(join "," L)',
    '(get M "k")',
    '(index L 0)',
    '(first L)',
    '(last L)',
    '(M).k',
    '(default T .none)',
    '(coalesce "" T)',
    '(ternary T T true)',
    '(or .none T)',
    '(include "h" T)',
    '(include "pair" M)',
    '(tpl "[{{ . }}]" T)',
    '(tpl (print "{{ .k }}" T) M)',
    '(tpl "{{ define `d` }}({{ . }}){{ end }}{{ template `d` .o }}" M)',
    '(substr 0 999 (print T T))',
    '(upper "x" | print T)',
    '(T | trimPrefix "+" | squote)',
    '(index M "o")',
    '(join T L)',
    '(M | values | first)',
    '(slice T 0)',
    '(plural T T 1)',
    '(splitList "" T | join "")',
    '(regexFind "tok.*" T)',
    '(required "m" T)',
    '(replace "+" T T)',
    '(regexReplaceAll "[+]" T T)',
    '(first (splitList "+" T))',
    '(repeat 2 T)',
    '(toString T)',
    '(dig "k" "" M)',
    '(html T)',
  ],
  map: [
    '(dict "k" T "o" T)',
    '(merge (dict "k" T) M)',
    '(merge M M)',
    '(set (dict "o" T) "k" T)',
    '(unset (set M "y" T) "y")',
    '(mergeOverwrite M (dict "k" T))',
    '(set M "o" T)',
    '(pick M "k" "o")',
    '(deepCopy M)',
    '(omit M "x")',
    '(index (list M M) 1)',
  ],
  list: [
    '(list T T)',
    '(append L T)',
    '(concat L L)',
    '(reverse L)',
    '(rest (prepend L T))',
    '(sortAlpha L)',
    '(uniq L)',
    '(compact L)',
    '(values M)',
  ],
  documents: [
    '(get (fromYaml (toYaml M)) "k")',
    '(get (fromJson (toJson M)) "o")',
    '(toYaml M)',
    '(toJson L)',
    '(index (fromYamlArray (toYaml L)) 0)',
  ],
} as const;
const leaves: Grammar = { text: '.a .b .m.k $.in.deep.x "+" "x"', map: '.m $.m', list: '.l $.l' };
const statements = [
  '{{ T }}',
  '{{ $x := T }}{{ $x }}-{{ $x }}',
  '{{ $x := M }}{{ $x.k }}',
  '{{ range L }}{{ . }};{{ end }}',
  '{{ range $k, $v := M }}{{ $v }}{{ end }}',
  '{{ with M }}{{ .k }}{{ $.b }}{{ end }}',
  '{{ with $x := T }}{{ $x }}{{ . }}{{ end }}',
  '{{ if T }}{{ T }}{{ else }}{{ .a }}{{ end }}',
  '{{ template "h" T }}',
  '\ntext\n',
];

/** Programs: a shape, and for each letter in it another program of that kind, down to a leaf. */
function programs(withDocuments: boolean): fc.Arbitrary<string> {
  const { text, map, list } = fc.letrec<Grammar>((tie) => {
    const filled = (shape: string): fc.Arbitrary<string> => {
      const parts = shape.split(/\b([TML])\b/);
      const kinds = { T: tie('text'), M: tie('map'), L: tie('list') } as const;
      return fc
        .tuple(...parts.map((part, i) => (i % 2 === 1 ? kinds[part as 'T'] : fc.constant(part))))
        .map((all) => all.join(''));
    };
    const kind = (own: readonly string[], plain: string): fc.Arbitrary<string> =>
      fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.constantFrom(...plain.split(' ')), ...own.map(filled));
    return {
      text: kind(withDocuments ? [...shapes.text, ...shapes.documents] : shapes.text, leaves.text),
      map: kind(shapes.map, leaves.map),
      list: kind(shapes.list, leaves.list),
    };
  });
  const statement = fc
    .tuple(fc.constantFrom(...statements), fc.array(text, { minLength: 2, maxLength: 2 }), map, list)
    .map(([shape, texts, aMap, aList]) => {
      let next = 0;
      return shape.replace(/\b[TML]\b/g, (letter) =>
        letter === 'T' ? (texts[next++ % 2] as string) : letter === 'M' ? aMap : aList,
      );
    });
  return fc.array(statement, { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
}

const helpers = '{{ define "h" }}<{{ . }}>{{ end }}{{ define "pair" }}k={{ .k }}{{ end }}';

function run(program: string, tracer?: Tracer) {
  const set = new TemplateSet();
  set.add(parse('t', helpers + program, { functions: chartFunctions }));
  return execute(set, 't', data(), {
    functions: chartFunctions,
    missingKey: 'zero',
    host: { included: new Map(), lookups: () => new Map() },
    ...(tracer ? { trace: { tracer } } : {}),
  });
}

function* wordsOf(text: string): Generator<{ start: number; end: number; path: string }> {
  for (const { 0: word, index } of text.matchAll(/tok\dq/g))
    yield { start: index, end: index + word.length, path: words[word] as string };
}

/** Some programs fail, `required` of nothing: they fail with and without a trace. */
function works(program: string): boolean {
  const outcome = (tracer?: Tracer): string => {
    try {
      return run(program, tracer).text;
    } catch (error) {
      if (error instanceof TemplateError) return error.goMessage;
      throw error;
    }
  };
  const plain = outcome();
  assert.equal(outcome(new Tracer()), plain, 'the output is the same without a trace');
  return !plain.startsWith('template: ');
}

function check(program: string, exact: boolean): void {
  fc.pre(works(program));
  const { text, trace } = run(program, new Tracer());
  const pathsOf = (from: number, to: number): string[] =>
    (trace?.segments(from, to) ?? [])
      .filter((segment) => segment.text !== '')
      .flatMap(({ origins }) =>
        origins.flatMap((origin) => {
          if (origin.kind === 'generated') return ['generated'];
          return origin.role === 'empty' ? [] : [origin.path.join('.')];
        }),
      );
  let at = 0;
  for (const { start, end, path } of wordsOf(text)) {
    const paths = pathsOf(start, end);
    if (exact) {
      assert.deepEqual([...new Set(paths)], [path], `${program}\n${text}\nat ${start}`);
      assert.deepEqual(start > at ? pathsOf(at, start) : [], [], `${program}\n${text}\nbetween ${at} and ${start}`);
    } else assert.ok(paths.includes(path), `${program}\n${text}\nat ${start}: ${paths}`);
    at = end;
  }
}

test('in the output of any program each word of the data is made of its own place, and nothing else is', () => {
  fc.assert(
    fc.property(programs(false), (program) => check(program, true)),
    { numRuns: 1500 },
  );
});

test('through documents and back each word still knows its own place', () => {
  fc.assert(
    fc.property(programs(true), (program) => check(program, false)),
    { numRuns: 1000 },
  );
});
