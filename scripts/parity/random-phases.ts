import fc from 'fast-check';
import type { CaseFolder } from './case-folder.ts';
import type { ParityRun } from './parity-run.ts';
import { type ChartCase, randomChart, randomFlags } from './random-chart.ts';
import { randomBody, randomExpression, templateData } from './random-template.ts';
import { randomYaml } from './random-values.ts';

const meta = 'apiVersion: v2\nname: random\nversion: 0.1.0\n';

function unique<T>(arbitrary: fc.Arbitrary<T>, seed: number, count: number): T[] {
  return [...new Set(fc.sample(arbitrary, { seed, numRuns: count }))];
}

/** Random templates and values, random charts and flags: rendered by both. `scale` 1 takes about two minutes. */
export async function compareRandom(run: ParityRun, folder: CaseFolder, seed: number, scale: number): Promise<void> {
  const count = (number: number): number => Math.ceil(number * scale);
  await run.compareTogether(unique(randomExpression, seed, count(900)), count(20), (cases) => {
    const lines = cases.map((text, i) => `{{ define "t${i}" }}{{ toJson (${text}) }}|{{ ${text} }}{{ end }}`);
    return templates(folder, lines, cases);
  });
  await run.compareTogether(unique(randomBody, seed + 1, count(500)), count(20), (cases) => {
    const lines = cases.map((text, i) => `{{ define "t${i}" }}${text}{{ end }}`);
    return templates(folder, ['{{ define "leaf" }}[{{ . }}]{{ end }}', ...lines], cases);
  });
  await run.compareTogether(unique(randomYaml, seed + 2, count(600)), count(20), (cases) => values(folder, cases));
  for (const one of fc.sample(randomFlags, { seed, numRuns: count(40) })) await run.compare(chart(folder, one));
  for (const one of fc.sample(randomChart, { seed, numRuns: count(60) })) await run.compare(chart(folder, one));
}

function templates(folder: CaseFolder, definitions: readonly string[], cases: readonly string[]) {
  const uses = cases.map((_text, i) => `t${i}: {{ include "t${i}" .Values | toJson }}\n`);
  const path = folder.write('templates', {
    'Chart.yaml': meta,
    'values.yaml': templateData,
    'templates/_definitions.tpl': definitions.join('\n'),
    'templates/all.yaml': uses.join(''),
  });
  return { name: cases.join('\n'), args: ['template', 'parity', path] };
}

function values(folder: CaseFolder, cases: readonly string[]) {
  const printed = `{{ range $key, $value := .Values }}
{{ $key }}: {{ toJson $value | quote }}
{{ $key }}-go: {{ printf "%#v" $value | quote }}
{{ $key }}-yaml: {{ dict "value" $value | toYaml | nindent 2 }}
{{- end }}
`;
  const path = folder.write('values', {
    'Chart.yaml': meta,
    'values.yaml': cases.map((text, i) => `k${i}: ${text}\n`).join(''),
    'templates/all.yaml': printed,
  });
  return { name: `values: ${JSON.stringify(cases)}`, args: ['template', 'parity', path] };
}

function chart(folder: CaseFolder, { files, flags }: ChartCase) {
  const path = folder.write('chart', files);
  const args = ['template', 'parity', path, ...flags.map((flag) => flag.replace('@/', `${path}/`))];
  return { name: `${flags.join(' ')}\n${JSON.stringify(files, undefined, 1)}`, args };
}
