import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import type { MachineSettings } from '../model/settings.ts';
import type { Workflow, WorkflowTemplate } from '../model/types.ts';
import { Simulation } from '../simulate/simulation.ts';

const template = parseDocuments(
  `
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: base}
spec:
  entrypoint: main
  templates: [{name: main, container: {image: x, command: [x]}}]
`,
  { file: 't.yaml' },
).documents[0]?.value as unknown as WorkflowTemplate;

function ended(spec: object, settings: Partial<MachineSettings>): { phase: string; message: string } {
  const workflow = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'w' }, spec };
  const run = new Simulation({ workflow: workflow as Workflow, templates: [template], settings }).run();
  return { phase: run.workflow.status?.phase ?? '', message: run.workflow.status?.message ?? '' };
}

const workflowTemplateRef = { name: 'base' };
const strict = { templateReferencing: 'Strict' } as const;

test('where templateReferencing restricts workflows to templates, only some fields may be set beside the reference', () => {
  assert.match(
    ended({ entrypoint: 'main', templates: template.spec.templates }, strict).message,
    /workflowTemplateRef/,
  );
  assert.equal(ended({ workflowTemplateRef, priority: 3, serviceAccountName: '' }, strict).phase, 'Succeeded');
  const { phase, message } = ended({ workflowTemplateRef, serviceAccountName: 'root', hostNetwork: true }, strict);
  assert.equal(phase, 'Error');
  assert.match(message, /fields \[hostNetwork serviceAccountName\] are not permitted/);
});

test('an installation may allow further fields, but not what reaches pods of artifact garbage collection', () => {
  const settings = { ...strict, userOverrides: ['serviceAccountName'] };
  assert.equal(ended({ workflowTemplateRef, serviceAccountName: 'builder' }, settings).phase, 'Succeeded');
  const { message } = ended({ workflowTemplateRef, artifactGC: { serviceAccountName: 'root' } }, settings);
  assert.match(message, /artifactGC\.serviceAccountName/);
});
