import type { Template } from './types.ts';

const kinds = [
  'container',
  'containerSet',
  'steps',
  'dag',
  'script',
  'resource',
  'data',
  'suspend',
  'http',
  'plugin',
] as const;

export type TemplateType = (typeof kinds)[number];

/** All that a template says that it does; more than one is a mistake. */
export function setKinds(template: Template): TemplateType[] {
  return kinds.filter((kind) => template[kind] !== undefined && template[kind] !== null);
}

/** What a template does, by the first of its fields that is set; undefined if none is. */
export function templateType(template: Template): TemplateType | undefined {
  return kinds.find((kind) => template[kind] !== undefined && template[kind] !== null);
}

/** True for templates that run as a pod of their own. */
export function isPodTemplate(template: Template): boolean {
  const type = templateType(template);
  return type === 'container' || type === 'containerSet' || type === 'script' || type === 'resource' || type === 'data';
}

/** Names of the containers that the user asked for, without sidecars. */
export function mainContainers({ containerSet }: Template): string[] {
  return containerSet ? containerSet.containers.map(({ name }) => name) : ['main'];
}
