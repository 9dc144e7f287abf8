import type { Application, ApplicationSet, ApplicationSetTemplate } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { PatchError, strategicMerge } from '@tiphys/kubernetes';
import { parseYaml, YamlError } from '@tiphys/yaml';
import { applicationTemplateInvalid } from '../diagnoses/diagnoses.ts';
import { isRecord, type Params } from '../params/params.ts';
import { applicationType } from './application-type.ts';
import { deepReplace } from './deep-replace.ts';
import { type Replace, replacer } from './replace.ts';

/** Finalizer with which a deleted Application takes its resources along. */
export const resourcesFinalizer = 'resources-finalizer.argocd.argoproj.io';

/**
 * The Application that the template gives for one set of parameters, in the namespace of the set; not yet one that is stored.
 * Upstream rules: it has the finalizer unless the template has others or resources are to be preserved, and a patch never changes
 * the project.
 */
export function renderApplication(set: ApplicationSet, template: ApplicationSetTemplate, params: Params): Application {
  const replace = replacer(
    { goTemplate: set.spec.goTemplate ?? false, options: set.spec.goTemplateOptions ?? [] },
    params,
  );
  const { name, labels, annotations, finalizers } = template.metadata ?? {};
  const draft = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: name ?? '',
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers?.length ? { finalizers } : {}),
    },
    spec: template.spec,
  } as Application;
  const filled = Object.keys(params).length === 0 ? draft : deepReplace(draft, replace);
  if (!set.spec.syncPolicy?.preserveResourcesOnDeletion && !filled.metadata.finalizers?.length && filled !== draft)
    filled.metadata.finalizers = [resourcesFinalizer];
  const { templatePatch } = set.spec;
  const patched = templatePatch === undefined ? filled : applyTemplatePatch(filled, templatePatch, replace);
  return { ...patched, metadata: { ...patched.metadata, namespace: set.metadata.namespace ?? '' } } as Application;
}

function applyTemplatePatch(application: Application, templatePatch: string, replace: Replace): Application {
  const text = replace(templatePatch);
  const patch = readPatch(text);
  try {
    const patched = strategicMerge(application, patch, applicationType);
    return { ...patched, spec: { ...patched.spec, project: application.spec.project } };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw patchInvalid(
      `error while applying templatePatch template to json ${JSON.stringify(text)}: ${error.message}`,
      text,
    );
  }
}

function readPatch(text: string): Record<string, unknown> {
  let patch: unknown;
  try {
    // tabs may indent JSON, and not YAML
    patch = text.trimStart().startsWith('{') ? JSON.parse(text) : parseYaml(text);
  } catch (error) {
    const reason = error instanceof YamlError ? error.goMessage : (error as Error).message;
    throw patchInvalid(`error while converting template to json ${JSON.stringify(text)}: ${reason}`, text);
  }
  if (patch === null) return {};
  if (!isRecord(patch)) throw patchInvalid(`invalid templatePatch ${JSON.stringify(text)}: it is no object`, text);
  return patch;
}

function patchInvalid(message: string, text: string) {
  return failure(applicationTemplateInvalid, {
    message,
    place: { field: 'spec.templatePatch' },
    evidence: { patch: text.slice(0, 2000) },
    remedies: ['Correct the patch; after its templates are filled it must be YAML of an Application'],
  });
}
