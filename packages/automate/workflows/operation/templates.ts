import { mergeOver } from '../model/merge.ts';
import { templateType } from '../model/template-type.ts';
import type { Template, TemplateCall, WorkflowSpec } from '../model/types.ts';
import { OperationError } from './halt.ts';
import type { Operation } from './operation.ts';

/** Where names of templates are looked up: the workflow itself, a WorkflowTemplate, or a ClusterWorkflowTemplate. */
export interface TemplateScope {
  readonly kind: 'local' | 'namespaced' | 'cluster';
  readonly name: string;
}

export interface Resolved {
  readonly template: Template;
  /** Where the template itself looks up names. */
  readonly scope: TemplateScope;
}

export const localScope: TemplateScope = { kind: 'local', name: '' };

export function scopeText({ kind, name }: TemplateScope): string {
  return `${kind}/${name}`;
}

/** The scope of a node as its status keeps it. */
export function scopeOf(text: string | undefined): TemplateScope {
  const [kind, name] = (text ?? '').split('/');
  if (kind === 'namespaced' || kind === 'cluster') return { kind, name: name ?? '' };
  return localScope;
}

/**
 * The template that a call means, as it was when the workflow first used it: what comes from elsewhere is kept in
 * `status.storedTemplates`. Throws an `OperationError` if there is none.
 */
export function resolveTemplate(op: Operation, scope: TemplateScope, call: TemplateCall): Resolved {
  const key = storedKey(scope, call);
  const stored = key === undefined ? undefined : op.status.storedTemplates?.[key];
  const template = stored ?? find(op, scope, call);
  if (key !== undefined && !stored) {
    op.status.storedTemplates ??= {};
    op.status.storedTemplates[key] = template;
  }
  const inner: TemplateScope = call.templateRef
    ? { kind: call.templateRef.clusterScope ? 'cluster' : 'namespaced', name: call.templateRef.name }
    : scope;
  if (!stored) storeInline(op, inner, template);
  if (!templateType(template)) throw new OperationError(`template '${template.name ?? ''}' type is unknown`);
  return { template, scope: inner };
}

function storedKey(scope: TemplateScope, call: TemplateCall): string | undefined {
  const { templateRef, inline } = call;
  if (templateRef) {
    return `${templateRef.clusterScope ? 'cluster' : 'namespaced'}/${templateRef.name}/${templateRef.template}`;
  }
  if (scope.kind === 'local') return undefined;
  return `${scopeText(scope)}/${inline ? `inline/${call.name ?? ''}` : (call.template ?? '')}`;
}

function storeInline(op: Operation, scope: TemplateScope, template: Template): void {
  if (scope.kind === 'local') return;
  for (const call of [...(template.steps ?? []).flat(), ...(template.dag?.tasks ?? [])]) {
    const key = call.inline && storedKey(scope, call);
    if (!key || op.status.storedTemplates?.[key]) continue;
    op.status.storedTemplates ??= {};
    op.status.storedTemplates[key] = call.inline as Template;
  }
}

function find(op: Operation, scope: TemplateScope, call: TemplateCall): Template {
  if (call.inline) return call.inline;
  const { templateRef } = call;
  if (templateRef) {
    const kind = templateRef.clusterScope ? 'cluster' : 'namespaced';
    return named(holderOf(op, { kind, name: templateRef.name }), templateRef.template, templateRef.name);
  }
  if (call.template) return named(holderOf(op, scope), call.template, scope.kind === 'local' ? undefined : scope.name);
  throw new OperationError('failed to get a template: a step or task needs template, templateRef or inline');
}

function holderOf(op: Operation, { kind, name }: TemplateScope): WorkflowSpec {
  if (kind === 'local') return op.spec;
  const found = op.facts.template(kind, name);
  if (found) return found.spec;
  const what = kind === 'cluster' ? 'cluster workflow template' : 'workflow template';
  throw new OperationError(`${what} ${name} not found`);
}

function named(spec: WorkflowSpec, name: string, holder: string | undefined): Template {
  const template = spec.templates?.find((candidate) => candidate.name === name);
  if (!template) {
    const where = holder === undefined ? '' : ` in workflow template ${holder}`;
    throw new OperationError(`template ${name} not found${where}`);
  }
  const { podMetadata } = spec;
  if (!podMetadata) return template;
  const { labels, annotations } = template.metadata ?? {};
  return {
    ...template,
    metadata: {
      labels: { ...podMetadata.labels, ...labels },
      annotations: { ...podMetadata.annotations, ...annotations },
    },
  };
}

/** The template with the workflow's `templateDefaults` where it says nothing itself. */
export function withDefaults(op: Operation, template: Template): Template {
  const { templateDefaults } = op.spec;
  if (!templateDefaults) return template;
  const type = templateType(template);
  const defaults: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(templateDefaults)) {
    const isKind = templateType({ [field]: value }) !== undefined;
    if (!isKind || field === type) defaults[field] = value;
  }
  return mergeOver(defaults, template as Record<string, unknown>) as Template;
}
