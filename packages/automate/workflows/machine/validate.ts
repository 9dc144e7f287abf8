import { lintSpec } from '../lint/lint-spec.ts';
import { pathText } from '../lint/path-text.ts';
import type { Operation } from '../operation/operation.ts';

/** What is so wrong with a spec that it cannot begin; undefined if nothing is. */
export function validateSpec(op: Operation): string | undefined {
  const { spec } = op;
  if (!spec.entrypoint) return 'spec.entrypoint is required';
  const names = new Set<string>();
  for (const [index, template] of (spec.templates ?? []).entries()) {
    if (!template.name) return `templates[${index}].name is required`;
    if (names.has(template.name)) return `templates[${index}].name '${template.name}' is not unique`;
    names.add(template.name);
  }
  const templates = (name: string, isCluster: boolean) =>
    op.facts.template(isCluster ? 'cluster' : 'namespaced', name)?.spec.templates;
  const [first] = lintSpec(spec, { templates }, { isTemplate: false });
  return first && `${pathText(first.path)}: ${first.message}`;
}
