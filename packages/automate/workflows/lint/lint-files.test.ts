import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintFiles } from './lint-files.ts';

const lint = (text: string) =>
  lintFiles([{ file: 'w.yaml', text }]).problems.map(({ line, message }) => `${line}: ${message}`);

test('mistakes are told with their line', () => {
  assert.deepEqual(
    lint(`apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  entrypoint: mian
  templates:
    - name: main
      dag:
        tasks:
          - {name: a, template: say}
          - name: b
            template: shout
            depends: a.Succeded
          - name: c
            template: say
            arguments: {parameters: [{name: text, value: "{{tasks.b.outputs.result}}"}]}
          - {name: d, template: main, depends: e}
          - {name: e, template: main, depends: d}
    - name: say
      inputs: {parameters: [{name: text}]}
      container:
        image: alpine
        command: [echo, "{{inputs.parameters.txt}}", "{{workflow.parameters.name}}", "{{ workflow.parameters.json }}"]
`),
    [
      '5: there is no template mian',
      '10: template say needs the parameter text',
      "13: task result 'Succeded' for task 'a' is invalid",
      '12: there is no template shout',
      '16: tasks.b has not run by then',
      '17: task d waits for itself',
      '18: task e waits for itself',
      '23: the template has no inputs.parameters.txt',
      '23: the workflow has no parameter name',
    ],
  );
});

test('templates of other files are known', () => {
  const template = `kind: WorkflowTemplate
metadata: {name: shared}
spec: {templates: [{name: say, inputs: {parameters: [{name: text}]}, container: {image: a}}]}
`;
  const workflow = `kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - {name: a, templateRef: {name: shared, template: say}}
        - - {name: b, templateRef: {name: shared, template: sing}}
`;
  const { problems } = lintFiles([
    { file: 't.yaml', text: template },
    { file: 'w.yaml', text: workflow },
  ]);
  assert.deepEqual(
    problems.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ['w.yaml:8: template say needs the parameter text', 'w.yaml:9: there is no template sing'],
  );
});
