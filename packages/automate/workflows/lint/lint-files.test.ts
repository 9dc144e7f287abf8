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

test('references that can never get a value are told with their line, and none that can', () => {
  const called = `kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - name: a
            template: make
        - - name: b
            template: inner
            arguments:
              parameters:
                - {name: own, value: "{{tasks.name}}"}
                - {name: bare, value: "{{steps.a}}"}
                - {name: field, value: "{{ steps.a.podName }}"}
                - {name: output, value: "{{steps.a.outputs.parameters.siez}}"}
                - {name: file, value: "{{steps.a.outputs.artifacts.log}}"}
                - {name: other, value: "{{tasks.a.outputs.result}}"}
                - {name: good, value: "{{steps.a.outputs.parameters.size}} {{steps.a.outputs.result}} {{steps.a.id}}"}
    - name: inner
      inputs: {parameters: [{name: own}, {name: bare}, {name: field}, {name: output}, {name: file}, {name: other}, {name: good}]}
      steps:
        - - {name: c, template: say, arguments: {parameters: [{name: text, value: "{{steps.name}}"}]}}
    - name: make
      container: {image: a, command: [b]}
      outputs: {parameters: [{name: size, valueFrom: {path: /size}}]}
    - {name: say, inputs: {parameters: [{name: text}]}, container: {image: a, command: [echo]}}
`;
  assert.deepEqual(lint(called), [
    '14: tasks.name has no value here: no task calls this template',
    '15: steps.a names no value',
    '16: steps.a has no podName',
    '17: template make of step a has no output parameter siez',
    '18: template make of step a has no output artifact log',
    '19: tasks.a does not exist in a template of steps',
  ]);
});

test('arguments with an enum have one of its values, also those of calls', () => {
  const chosen = `kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  arguments:
    parameters:
      - {name: good, enum: [a, "2"], value: 2}
      - {name: bad, enum: [a, b], value: c}
      - {name: none, enum: [], value: a}
      - {name: open, enum: [a]}
  templates:
    - name: main
      inputs: {parameters: [{name: x, value: "1"}]}
      steps:
        - - name: a
            template: say
            arguments:
              parameters:
                - {name: text, enum: [x, z], value: w}
                - {name: late, enum: [x], value: "{{inputs.parameters.x}}"}
    - {name: say, inputs: {parameters: [{name: text}, {name: late}]}, container: {image: a, command: [echo]}}
`;
  assert.deepEqual(lint(chosen), [
    '8: the parameter bad cannot be "c"',
    '9: the parameter none has no values to choose from',
    '19: the parameter text cannot be "w"',
  ]);
  const submitted = { parameters: ['good=3'] };
  const { problems } = lintFiles([{ file: 'w.yaml', text: chosen }], { submitted });
  assert.ok(problems.some(({ line, message }) => line === 7 && message === 'the parameter good cannot be "3"'));
});

test('fields that there are not are told with their line and the field that was meant, also of templates in templates', () => {
  const text = `kind: CronWorkflow
metadata: {name: nightly}
spec:
  schedules: ["0 0 * * *"]
  timzone: UTC
  workflowSpec:
    entrypoint: main
    templates:
    - name: main
      steps:
      - - name: one
          inline:
            container: {image: x, command: [x], evn: []}
`;
  const files = [{ file: 'cron.yaml', text }];
  const { problems } = lintFiles(files);
  assert.deepEqual(
    problems.map(({ line, message, remedy }) => `${line}: ${message}. ${remedy}`),
    [
      '5: there is no field timzone. Write timezone, or take it out',
      '13: there is no field evn. Write env, or take it out',
    ],
  );
  assert.deepEqual(lintFiles(files, { isLenient: true }), { problems: [], count: 1 });
  assert.deepEqual(lintFiles(files, { kinds: ['Workflow'] }), { problems: [], count: 0 });
});
