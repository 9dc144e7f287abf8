import { printYaml } from '@tiphys/yaml';
import type { Catalogue } from './catalogue.ts';

/** The catalogue as the data of a ConfigMap, for people who want to change it. */
export function catalogueConfigMap({ triggers, templates }: Catalogue, name: string): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: {
      ...Object.fromEntries(
        [...triggers].map(([key, conditions]) => [
          `trigger.${key}`,
          printYaml(conditions.map((item) => ({ ...item, send: [...item.send] }))),
        ]),
      ),
      ...Object.fromEntries([...templates].map(([key, template]) => [`template.${key}`, printYaml(template)])),
    },
  };
}
