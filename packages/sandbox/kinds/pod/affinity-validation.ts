import {
  type FieldErrors,
  isDnsLabel,
  isDnsSubdomain,
  labelValueProblems,
  qualifiedNameProblems,
  validateLabels,
} from '@tiphys/apimachinery';
import type { LabelSelector } from '@tiphys/kubernetes';
import { oneOf } from '../shared/field-rules.ts';
import { validateSelector } from '../shared/selector-validation.ts';
import type { PodSpec } from '../shared/shapes.ts';

interface NodeTerm {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
  matchFields?: { key: string; operator: string; values?: string[] }[];
}

/** A `v1.NodeSelector`. */
export interface NodeSelector {
  nodeSelectorTerms?: NodeTerm[];
}

interface PodTerm extends KeyedSelector {
  topologyKey?: string;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
}

interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodTerm }[];
}

interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeTerm }[];
  };
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(affinity: Affinity, path: string, errors: FieldErrors): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity) {
    const at = `${path}.nodeAffinity`;
    const required = nodeAffinity[REQUIRED];
    if (required) validateRequiredNodes(required, `${at}.${REQUIRED}`, errors);
    nodeAffinity[PREFERRED]?.forEach(({ weight, preference }, index) => {
      validateWeight(weight, `${at}.${PREFERRED}[${index}]`, errors);
      validateNodeTerm(preference, `${at}.${PREFERRED}[${index}].preference`, errors, true);
    });
  }
  if (podAffinity) validatePodAffinity(podAffinity, `${path}.podAffinity`, errors);
  if (podAntiAffinity) validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`, errors);
}

function validateWeight(weight: number, path: string, errors: FieldErrors): void {
  if (weight < 1 || weight > 100) errors.invalid(`${path}.weight`, weight, 'must be in the range 1-100');
}

/** Terms of which one has to fit a node. */
export function validateRequiredNodes({ nodeSelectorTerms }: NodeSelector, path: string, errors: FieldErrors): void {
  const at = `${path}.nodeSelectorTerms`;
  if (!nodeSelectorTerms?.length) errors.required(at, 'must have at least one node selector term');
  nodeSelectorTerms?.forEach((term, index) => {
    validateNodeTerm(term, `${at}[${index}]`, errors);
  });
}

/** Values of what is only preferred may be of any form. */
function validateNodeTerm(term: NodeTerm, path: string, errors: FieldErrors, anyValue = false): void {
  (term.matchExpressions ?? []).forEach(({ key, operator, values = [] }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    if (operator === 'In' || operator === 'NotIn') {
      if (!values.length) errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length)
        errors.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if (operator === 'Gt' || operator === 'Lt') {
      if (values.length !== 1)
        errors.required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else errors.invalid(`${at}.operator`, operator, 'not a valid selector operator');
    for (const text of qualifiedNameProblems(key)) errors.invalid(`${at}.key`, key, text);
    if (!anyValue)
      values.forEach((value, position) => {
        for (const text of labelValueProblems(value)) errors.invalid(`${at}.values[${position}]`, value, text);
      });
  });
  (term.matchFields ?? []).forEach(({ key, operator, values = [] }, index) => {
    const at = `${path}.matchFields[${index}]`;
    if (operator !== 'In' && operator !== 'NotIn')
      errors.invalid(`${at}.operator`, operator, 'not a valid selector operator');
    else if (values.length !== 1)
      errors.required(
        `${at}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      );
    if (key !== 'metadata.name') errors.invalid(`${at}.key`, key, 'not a valid field selector key');
    else
      values.forEach((value, position) => {
        for (const text of isDnsSubdomain(value)) errors.invalid(`${at}.values[${position}]`, value, text);
      });
  });
}

function validatePodAffinity(affinity: PodAffinity, path: string, errors: FieldErrors): void {
  affinity[REQUIRED]?.forEach((term, index) => {
    validatePodTerm(term, `${path}.${REQUIRED}[${index}]`, errors);
  });
  affinity[PREFERRED]?.forEach(({ weight, podAffinityTerm }, index) => {
    validateWeight(weight, `${path}.${PREFERRED}[${index}]`, errors);
    validatePodTerm(podAffinityTerm, `${path}.${PREFERRED}[${index}].podAffinityTerm`, errors);
  });
}

function validatePodTerm(term: PodTerm, path: string, errors: FieldErrors): void {
  validateSelector(term.labelSelector, `${path}.labelSelector`, errors);
  validateSelector(term.namespaceSelector, `${path}.namespaceSelector`, errors);
  for (const name of term.namespaces ?? [])
    for (const text of isDnsLabel(name)) errors.invalid(`${path}.namespace`, name, text);
  validateLabelKeys(term, path, errors);
  const { topologyKey = '' } = term;
  if (!topologyKey) errors.required(`${path}.topologyKey`, 'can not be empty');
  for (const text of qualifiedNameProblems(topologyKey)) errors.invalid(`${path}.topologyKey`, topologyKey, text);
}

interface KeyedSelector {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

/** Keys whose values are those of the pod itself; the selector has been made of them already. */
function validateLabelKeys(
  { labelSelector: selector, matchLabelKeys = [], mismatchLabelKeys = [] }: KeyedSelector,
  path: string,
  errors: FieldErrors,
): void {
  for (const [field, keys] of [
    ['matchLabelKeys', matchLabelKeys],
    ['mismatchLabelKeys', mismatchLabelKeys],
  ] as const) {
    if (keys.length && !selector)
      errors.forbidden(`${path}.${field}`, 'must not be specified when labelSelector is not set');
    else
      keys.forEach((key, index) => {
        for (const text of qualifiedNameProblems(key)) errors.invalid(`${path}.${field}[${index}]`, key, text);
      });
  }
  const known = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && known.has(key))
      errors.invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector');
    known.add(key);
  }
  matchLabelKeys.forEach((key, index) => {
    if (mismatchLabelKeys.includes(key))
      errors.invalid(`${path}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  });
}

interface Spread extends KeyedSelector {
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  minDomains?: number;
}

export function validateSpreads(spreads: readonly Spread[], path: string, errors: FieldErrors): void {
  spreads.forEach((spread, index) => {
    const at = `${path}[${index}]`;
    const { maxSkew = 0, topologyKey, whenUnsatisfiable, minDomains } = spread;
    if (maxSkew <= 0) errors.invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero');
    if (!topologyKey) errors.required(`${at}.topologyKey`, 'can not be empty');
    oneOf(whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway'], `${at}.whenUnsatisfiable`, errors);
    if (
      spreads
        .slice(index + 1)
        .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable)
    )
      errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    if (minDomains !== undefined) {
      if (minDomains <= 0) errors.invalid(`${at}.minDomains`, minDomains, 'must be greater than zero');
      if (whenUnsatisfiable !== 'DoNotSchedule')
        errors.invalid(
          `${at}.minDomains`,
          minDomains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
        );
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const)
      oneOf(spread[field], ['Honor', 'Ignore'], `${at}.${field}`, errors);
    validateLabelKeys(spread, at, errors);
    validateSelector(spread.labelSelector, `${at}.labelSelector`, errors);
  });
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: PodSpec['tolerations'], path: string, errors: FieldErrors): void {
  (tolerations ?? []).forEach((toleration, index) => {
    const at = `${path}[${index}]`;
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
    if (key) for (const text of qualifiedNameProblems(key)) errors.invalid(`${at}.key`, key, text);
    if (!key && operator !== 'Exists')
      errors.invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    if (tolerationSeconds !== undefined && effect !== 'NoExecute')
      errors.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (operator === 'Equal' || operator === '') {
      for (const text of labelValueProblems(value)) errors.invalid(`${at}.operator`, value, text);
    } else if (operator === 'Exists') {
      if (value) errors.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else errors.notSupported(`${at}.operator`, operator, ['Equal', 'Exists']);
    if (effect) oneOf(effect, EFFECTS, `${at}.effect`, errors);
  });
}

export function validateNodeSelector(
  selector: Record<string, string> | undefined,
  path: string,
  errors: FieldErrors,
): void {
  validateLabels(selector, path, errors);
}
