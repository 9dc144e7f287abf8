import type { Place } from '@tiphys/diagnosis';
import { formatFloat } from '@tiphys/yaml';
import { GoError } from '../failure/go-error.ts';
import { formatGvk, type Gvk, sameGvk, splitApiVersion } from '../kustomization/gvk.ts';
import type { Var } from '../kustomization/kustomization.ts';
import { expandVars, type VarValue } from '../replacement/expand-vars.ts';
import { splitFieldPath } from '../replacement/split-path.ts';
import type { PlacedVar } from '../replacement/var-set.ts';
import type { Resource } from '../resource/resource.ts';
import { effectiveNamespace, formatId, type ResourceId } from '../resource/resource-id.ts';
import { near } from '../resource/resource-map.ts';
import { applyFieldSpec, onResource } from '../transform/field-spec.ts';
import { lookup } from '../tree/fields.ts';
import { boolTag, floatTag, intTag, type Node, stringTag } from '../tree/node.ts';
import type { Accumulator } from './accumulator.ts';

const defaultPath = 'metadata.name';

/** Takes in the vars of a kustomization: notes on the resource that each reads from that it does. */
export function mergeVars(accumulator: Accumulator, vars: readonly Var[], placeOf: (index: number) => Place): void {
  const { resources } = accumulator;
  for (const [i, variable] of vars.entries()) {
    const wanted = targetOf(variable);
    const matches = (id: ResourceId): boolean =>
      id.name === wanted.name &&
      sameGvk(id, wanted) &&
      (wanted.namespace === '' || effectiveNamespace(wanted) === effectiveNamespace(id));
    const found = resources.matchingAnyId(matches);
    if (found.length > 1)
      throw merging(
        vars,
        new GoError(
          `found ${found.length} resId matches for var ${formatVar(variable, wanted)} (unable to disambiguate)`,
          {
            place: placeOf(i),
            evidence: { matches: found.map((resource) => formatId(resource.id)).join(', ') },
            remedies: ['Add objref.namespace'],
          },
        ),
      );
    found[0]?.varNames.push(variable.name ?? '');
  }
  for (const [i, variable] of vars.entries()) {
    try {
      accumulator.vars.add({ variable, place: placeOf(i) });
    } catch (error) {
      throw merging(vars, error as GoError);
    }
  }
}

function merging(vars: readonly Var[], error: GoError): GoError {
  const shown = vars.map((variable) => formatVar(variable, gvkOf(variable))).join(' ');
  error.message = `merging vars [${shown}]: ${error.message}`;
  return error;
}

function gvkOf(variable: Var): Gvk {
  const { group = '', version = '', kind = '' } = variable.objref ?? {};
  return { group, version, kind };
}

function targetOf(variable: Var): ResourceId {
  const { apiVersion, name = '', namespace = '' } = variable.objref ?? {};
  const own = gvkOf(variable);
  const parts = apiVersion ? splitApiVersion(apiVersion) : undefined;
  const gvk = parts
    ? { kind: own.kind, version: parts.version, group: parts.group === '' ? own.group : parts.group }
    : own;
  return { ...gvk, name, namespace, clusterScoped: false };
}

/** As Go's %v shows it. */
function formatVar(variable: Var, gvk: Gvk): string {
  return `{${variable.name ?? ''} ${formatGvk(gvk)} {${variable.fieldref?.fieldPath ?? ''}}}`;
}

/** Replaces `$(NAME)` in the fields of varReference, once all names are final. */
export function resolveVars(accumulator: Accumulator, warn: (line: string) => void): void {
  const { resources, vars, config } = accumulator;
  const values = new Map<string, VarValue | undefined>();
  for (const placed of vars.all) values.set(placed.variable.name ?? '', readVar(placed, resources.resources, warn));
  if (values.size === 0) return;
  const used = new Set<string>();
  const varValue = (name: string): VarValue | undefined => {
    const value = values.get(name);
    if (value !== undefined) used.add(name);
    return value;
  };
  try {
    for (const resource of resources.resources)
      onResource(resource, () => {
        for (const spec of config.varReference)
          applyFieldSpec(resource, spec, { set: (node) => expandNode(node, varValue) });
      });
  } finally {
    const unused = [...values.keys()].filter((name) => !used.has(name));
    if (unused.length > 0) warn(`well-defined vars that were never replaced: ${unused.join(',')}`);
  }
}

function readVar(
  { variable, place }: PlacedVar,
  resources: readonly Resource[],
  warn: (line: string) => void,
): VarValue | undefined {
  const name = variable.name ?? '';
  const path = variable.fieldref?.fieldPath || defaultPath;
  const wanted = targetOf(variable);
  const shown = formatVar({ ...variable, fieldref: { fieldPath: path } }, wanted);
  const resource = resources.find((candidate) => candidate.varNames.includes(name));
  if (resource === undefined)
    throw new GoError(`var '${shown}' cannot be mapped to a field in the set of known resources`, {
      place,
      evidence: near(wanted, resources),
      remedies: ['Correct objref: the name is the one before prefixes and suffixes'],
    });
  try {
    const source = lookup(resource.node, ...splitFieldPath(path).flatMap(splitIndex));
    if (source === undefined) throw new GoError(`no field named '${path}'`);
    const value = valueOfNode(source);
    if (value === undefined) warn(`MakePrimitiveReplacer: bad replacement of var ${name}: ${path} is no scalar`);
    return value;
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    throw new GoError(`field specified in var '${shown}' not found in corresponding resource`, {
      place,
      evidence: { resource: formatId(resource.id), field: path },
      cause: error,
    });
  }
}

/** `ports[0]` is the key `ports` and the index 0. */
function splitIndex(part: string): string[] {
  const match = /^(.*)\[(\d+)\]$/.exec(part);
  if (!match) return [part];
  const [, key = '', index = ''] = match;
  return key === '' ? [index] : [key, index];
}

/** Undefined for maps and lists, which are not put into texts. */
function valueOfNode({ kind, tag, value }: Node): VarValue | undefined {
  if (kind !== 'scalar') return undefined;
  switch (tag) {
    case intTag:
      if (!/^[-+]?\d+$/.test(value))
        throw new GoError(`strconv.Atoi: parsing ${JSON.stringify(value)}: invalid syntax`);
      return { kind: 'int', text: String(BigInt(value.replace(/^\+/, ''))) };
    case floatTag: {
      const number = Number(value);
      if (Number.isNaN(number))
        throw new GoError(`strconv.ParseFloat: parsing ${JSON.stringify(value)}: invalid syntax`);
      return { kind: 'float', text: positional(number), inside: formatFloat(number) };
    }
    case boolTag:
      return { kind: 'bool', text: value.toLowerCase() };
    default:
      return { kind: 'string', text: value };
  }
}

function positional(value: number): string {
  const text = formatFloat(value);
  const [digits = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = Number(exponent);
  if (shift < 0) return `${value < 0 ? '-' : ''}0.${'0'.repeat(-shift - 1)}${whole.replace('-', '')}${fraction}`;
  if (fraction.length <= shift) return whole + fraction.padEnd(shift, '0');
  return `${whole}${fraction.slice(0, shift)}.${fraction.slice(shift)}`;
}

const tags = { int: intTag, float: floatTag, bool: boolTag, string: stringTag } as const;

function expandNode(node: Node, varValue: (name: string) => VarValue | undefined): void {
  if (node.isNull) return;
  if (node.kind === 'scalar') expandScalar(node, varValue);
  else if (node.kind === 'map') {
    for (let i = 0; i + 1 < node.content.length; i += 2) {
      const key = node.content[i] as Node;
      if (!isString(key)) throw new GoError(`invalid map key: value='${key.value}', tag='${key.tag}'`);
      expandScalar(node.content[i + 1] as Node, varValue);
    }
  } else
    for (const item of node.content) {
      if (!isString(item)) throw new GoError('invalid value type expect a string');
      expandScalar(item, varValue);
    }
}

function isString({ kind, tag }: Node): boolean {
  return kind === 'scalar' && (tag === stringTag || tag === '');
}

function expandScalar(node: Node, varValue: (name: string) => VarValue | undefined): void {
  if (!isString(node)) return;
  const { kind, text } = expandVars(node.value, varValue);
  node.value = text;
  node.tag = tags[kind];
  node.style = '';
}
