import { anyText } from '../model/go-text.ts';
import type { NodeStatus } from '../model/types.ts';
import { VerbError } from './submit.ts';

/** A test for nodes, from `KEY=VALUE,KEY!=VALUE` over displayName, name, id, templateName, phase, inputs.parameters.NAME.value. */
export function nodeSelector(text: string): (node: NodeStatus) => boolean {
  const terms = text
    .split(',')
    .filter(Boolean)
    .map((term) => {
      const match = /^([^=!]+)(==|=|!=)(.*)$/s.exec(term);
      if (!match) throw new VerbError(`invalid selector: '${term}'; use KEY=VALUE or KEY!=VALUE`);
      return { key: (match[1] ?? '').trim(), isEqual: match[2] !== '!=', value: (match[3] ?? '').trim() };
    });
  return (node) => terms.every(({ key, isEqual, value }) => (fieldOf(node, key) === value) === isEqual);
}

function fieldOf(node: NodeStatus, key: string): string | undefined {
  const parameter = /^inputs\.parameters\.(.+)\.value$/.exec(key)?.[1];
  if (parameter) {
    const value = node.inputs?.parameters?.find(({ name }) => name === parameter)?.value;
    return value === undefined ? undefined : anyText(value);
  }
  switch (key) {
    case 'displayName':
      return node.displayName;
    case 'name':
      return node.name;
    case 'id':
      return node.id;
    case 'phase':
      return node.phase;
    case 'templateName':
      return node.templateName;
    case 'templateRef.name':
      return node.templateRef?.name;
    case 'templateRef.template':
      return node.templateRef?.template;
    default:
      throw new VerbError(`field selector '${key}' is not supported`);
  }
}
