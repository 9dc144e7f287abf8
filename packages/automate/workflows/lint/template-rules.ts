import { hasLocationOrKey } from '../model/artifacts.ts';
import { isPodTemplate, setKinds, templateType } from '../model/template-type.ts';
import type { Arguments, Artifact, Parameter, Template, WorkflowSpec } from '../model/types.ts';
import { finding, type LintFinding, type Path } from './finding.ts';

const kindsTold = 'container, containerSet, steps, script, resource, dag, suspend, template, template ref';
const policies = ['Always', 'OnFailure', 'OnError', 'OnTransientError'];
const actions = ['get', 'create', 'apply', 'delete', 'replace', 'patch'];
const parameterName = /^[-a-zA-Z0-9_]+$/;
const fieldName = /^[a-zA-Z0-9][-a-zA-Z0-9]*$/;
const longestName = 128;

/** A finding with the same in upstream's words. */
function rule(path: Path, [message, remedy]: readonly [string, string], told: string): LintFinding {
  return { ...finding(path, message, remedy), told };
}

const hasVariable = (text: unknown): boolean => typeof text === 'string' && text.includes('{{');
const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** What is wrong with the name of a template, a step, a task or a container; undefined if nothing is. */
export function fieldNameProblem(name: string): string | undefined {
  if (name.length > longestName) return `must be no more than ${longestName} characters`;
  if (fieldName.test(name)) return undefined;
  return "name must consist of alpha-numeric characters or '-', and must start with an alpha-numeric character (e.g. My-name1-2, 123-NAME)";
}

/** Rules for what a template says of itself; what it calls is looked at elsewhere. */
export function lintOwnFields(template: Template, path: Path, spec: WorkflowSpec): LintFinding[] {
  const kinds = setKinds(template);
  const place = `templates.${template.name ?? ''}`;
  if (kinds.length > 1)
    return [
      rule(
        path,
        [`template ${template.name ?? ''} is of several kinds: ${kinds.join(', ')}`, 'Keep one of them'],
        `${place} multiple template types specified. choose one of: ${kindsTold}`,
      ),
    ];
  const problem = template.name && fieldNameProblem(template.name);
  return [
    ...(problem
      ? [
          rule(
            [...path, 'name'],
            [`the name ${template.name} cannot be used: ${problem}`, 'Rename it'],
            `spec.templates.name: '${template.name}' is invalid: ${problem}`,
          ),
        ]
      : []),
    ...lintFits(template, path, place),
    ...lintInputs(template, path, place),
    ...lintOutputs(template, path, place),
    ...lintContainers(template, { path, place, spec }),
    ...lintResource(template, path, place),
    ...lintMetrics(template, path, place),
  ];
}

/** Templates that run as a pod, or in that of the agent. */
function isLeaf(template: Template): boolean {
  return isPodTemplate(template) || ['http', 'plugin'].includes(templateType(template) ?? '');
}

/** Fields that only templates of some kinds have. */
function lintFits(template: Template, path: Path, place: string): LintFinding[] {
  const { activeDeadlineSeconds, timeout, pendingTimeout, parallelism, retryStrategy, resourceClaims } = template;
  const type = templateType(template) ?? '';
  const calls = type === 'steps' || type === 'dag';
  const findings: LintFinding[] = [];
  const unfit = (field: keyof Template, where: string, told: string) =>
    findings.push(
      rule(
        [...path, field],
        [`${field} has no place in a template of ${type}`, `Remove it, or set it in ${where}`],
        told,
      ),
    );
  const leaves = 'the templates that are called, which run as pods';
  if (isSet(activeDeadlineSeconds)) {
    const seconds = Number(activeDeadlineSeconds);
    if (calls)
      unfit('activeDeadlineSeconds', leaves, `${place}.activeDeadlineSeconds is only valid for leaf templates`);
    else if (!hasVariable(activeDeadlineSeconds) && !(Number.isInteger(seconds) && seconds >= 0))
      findings.push(
        rule(
          [...path, 'activeDeadlineSeconds'],
          [
            `activeDeadlineSeconds is ${JSON.stringify(activeDeadlineSeconds)}, it must be a whole number above 0`,
            'Write seconds, or a variable',
          ],
          `${place}.activeDeadlineSeconds must be a positive integer > 0 or an argo variable`,
        ),
      );
  }
  const kind = type === 'dag' ? 'DAG' : `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  if (isSet(timeout) && !isLeaf(template)) unfit('timeout', leaves, `${kind} template doesn't support timeout field`);
  else if (/^\d+$/.test(String(timeout ?? '')))
    findings.push(
      rule(
        [...path, 'timeout'],
        [`timeout is ${timeout} without a unit`, `Write ${timeout}s`],
        `${template.name} has invalid duration format in timeout`,
      ),
    );
  if (isSet(pendingTimeout) && !isLeaf(template))
    unfit('pendingTimeout', leaves, `${kind} template doesn't support pendingTimeout field`);
  if (isSet(parallelism) && !calls)
    unfit(
      'parallelism',
      'templates of steps and dag',
      `${place}.parallelism is only valid for steps and dag templates`,
    );
  if (resourceClaims?.length && !isPodTemplate(template))
    unfit(
      'resourceClaims',
      leaves,
      `${place}.resourceClaims is not supported for ${kind} templates, which do not create a pod`,
    );
  const policy = retryStrategy?.retryPolicy;
  if (policy && !hasVariable(policy) && !policies.includes(policy))
    findings.push(
      rule(
        [...path, 'retryStrategy', 'retryPolicy'],
        [`the retryPolicy ${policy} is not known`, `Write one of ${policies.join(', ')}`],
        `${policy} is not a valid RetryPolicy`,
      ),
    );
  return findings;
}

/** Names of parameters and artifacts: each is there, can be referred to, and is there once. */
export function lintNames(given: Arguments | undefined, path: Path, place: string): LintFinding[] {
  return (['parameters', 'artifacts'] as const).flatMap((field) => {
    const names = (given?.[field] ?? []).map(({ name }) => name);
    return names.flatMap((name, index) => {
      const at = [...path, field, index];
      const told = `${place}${field}[${index}].name`;
      if (!name) return [rule(at, [`one of the ${field} has no name`, 'Add name'], `${told} is required`)];
      if (!parameterName.test(name) && !hasVariable(name))
        return [
          rule(
            [...at, 'name'],
            [`the name ${name} cannot be used`, "Write letters, digits, '_' and '-'"],
            `${told}: '${name}' is invalid: Parameter/Artifact name must consist of alpha-numeric characters, '_' or '-' e.g. my_param_1, MY-PARAM-1`,
          ),
        ];
      if (names.indexOf(name) < index)
        return [
          rule([...at, 'name'], [`two ${field} are called ${name}`, 'Rename one'], `${told} '${name}' is not unique`),
        ];
      return [];
    });
  });
}

function lintInputs(template: Template, path: Path, place: string): LintFinding[] {
  const at = [...path, 'inputs'];
  const findings = lintNames(template.inputs, at, `${place}.inputs.`);
  for (const [index, artifact] of (template.inputs?.artifacts ?? []).entries()) {
    const where = [...at, 'artifacts', index];
    const told = `${place}.inputs.artifacts.${artifact.name}`;
    findings.push(...lintPath(template, artifact, { path: where, told }));
    if (artifact.from)
      findings.push(
        rule(
          [...where, 'from'],
          ['from has no place in inputs', 'Give the artifact in the arguments of the call'],
          `${told}.from not valid in inputs`,
        ),
      );
    if (artifact.git && !artifact.git.repo)
      findings.push(
        rule([...where, 'git'], ['git has no repo', 'Add repo with its URL'], `${told}.git.repo is required`),
      );
  }
  return findings;
}

function lintPath(
  template: Template,
  { name, path: file }: Artifact,
  { path, told }: { path: Path; told: string },
): LintFinding[] {
  if (!isLeaf(template)) {
    if (!file) return [];
    return [
      rule(
        [...path, 'path'],
        [`artifact ${name} has a path, and this template has no files`, 'Remove it'],
        `${told}.path only valid in container/script templates`,
      ),
    ];
  }
  if (file || !isPodTemplate(template)) return [];
  return [
    rule(
      path,
      [`artifact ${name} has no path`, 'Add path, where its file is in the container'],
      `error in ${told}: Artifact '${name}' did not specify a path`,
    ),
  ];
}

function lintOutputs(template: Template, path: Path, place: string): LintFinding[] {
  const { outputs } = template;
  const at = [...path, 'outputs'];
  const findings = lintNames(outputs, at, `${place}.outputs.`);
  for (const [index, artifact] of (outputs?.artifacts ?? []).entries()) {
    const told = `${place}.outputs.artifacts.${artifact.name}`;
    findings.push(...lintPath(template, artifact, { path: [...at, 'artifacts', index], told }));
  }
  for (const [index, parameter] of (outputs?.parameters ?? []).entries()) {
    const problem = outputProblem(template, parameter);
    if (!problem) continue;
    const [message, remedy, told] = problem;
    findings.push(
      rule([...at, 'parameters', index], [message, remedy], `${place}.outputs.parameters.${parameter.name}${told}`),
    );
  }
  return findings;
}

const sources = ['path', 'jqFilter', 'jsonPath', 'parameter', 'expression', 'supplied'] as const;

/** What each kind of template takes outputs from. */
const wanted = new Map<string, readonly (typeof sources)[number][]>([
  ['container', ['path']],
  ['containerSet', ['path']],
  ['script', ['path']],
  ['resource', ['jqFilter', 'jsonPath']],
  ['dag', ['parameter', 'expression']],
  ['steps', ['parameter', 'expression']],
]);

function outputProblem(
  template: Template,
  { name, value, valueFrom }: Parameter,
): readonly [string, string, string] | undefined {
  if (value !== undefined && valueFrom)
    return [
      `output ${name} has value and valueFrom`,
      'Keep one of them',
      ' has both valueFrom and value specified, choose one',
    ];
  if (value !== undefined) return undefined;
  const type = templateType(template) ?? '';
  const from = wanted.get(type);
  const remedy = `Add valueFrom with ${from?.join(' or ') ?? 'what gives it its value'}`;
  if (!valueFrom) return [`output ${name} gets no value`, remedy, ' does not have valueFrom or value specified'];
  const found = sources.filter((source) => isSet(valueFrom[source]));
  if (found.length > 1)
    return [
      `output ${name} has several sources: ${found.join(', ')}`,
      'Keep one of them',
      ': multiple valueFrom types specified. choose one of: path, jqFilter, jsonPath, parameter, raw',
    ];
  if (found.length === 0)
    return [
      `valueFrom of output ${name} names no source`,
      remedy,
      ': valueFrom type unspecified. choose one of: path, jqFilter, jsonPath, parameter, raw, expression',
    ];
  if (!from || from.some((source) => source === found[0])) return undefined;
  return [
    `output ${name} of a template of ${type} cannot come from ${found[0]}`,
    remedy,
    `.${from.join(' or ')} must be specified for ${type} templates`,
  ];
}

const isReserved = (name: string | undefined) =>
  name === 'wait' || name === 'supervisor' || name?.startsWith('artifact-plugin-') === true;

function lintContainers(
  template: Template,
  { path, place, spec }: { path: Path; place: string; spec: WorkflowSpec },
): LintFinding[] {
  const { container, containerSet, sidecars = [], initContainers = [], inputs, outputs } = template;
  const findings: LintFinding[] = [];
  for (const kind of ['container', 'script'] as const) {
    const own = template[kind];
    if (!own || own.image || spec.templateDefaults?.[kind]?.image) continue;
    const remedy = `Add image, or ${kind}.image to templateDefaults`;
    findings.push(
      rule([...path, kind], [`the ${kind} has no image`, remedy], `${place}.${kind}.image may not be empty`),
    );
  }
  const mounts = new Map<string, string>();
  const mounted = (at: Path, folder: string | undefined, by: readonly [source: string, told: string]) => {
    if (!folder) return;
    const other = mounts.get(folder);
    const [source, told] = by;
    if (other)
      findings.push(
        rule(
          at,
          [`${folder} is mounted twice: by ${other} and ${source}`, 'Give one another path'],
          `${told} '${folder}' already mounted in ${other}`,
        ),
      );
    else mounts.set(folder, source);
  };
  for (const [index, { mountPath, name }] of (container?.volumeMounts ?? []).entries())
    mounted([...path, 'container', 'volumeMounts', index], mountPath, [
      `container.volumeMounts.${name}`,
      `${place}.container.volumeMounts[${index}].mountPath`,
    ]);
  if (container)
    for (const [index, { path: file, name }] of (inputs?.artifacts ?? []).entries())
      mounted([...path, 'inputs', 'artifacts', index], file, [
        `inputs.artifacts.${name}`,
        `${place}.inputs.artifacts[${index}].path`,
      ]);
  for (const [index, { name }] of sidecars.entries())
    if (isReserved(name)) {
      const told = `${place}.sidecars: "${name}" is a reserved Argo container name`;
      findings.push(
        rule([...path, 'sidecars', index], [`the name ${name} is used by workflows themselves`, 'Rename it'], told),
      );
    }
  if (initContainers.some(({ name }) => !name))
    findings.push(
      rule(
        [...path, 'initContainers'],
        ['an init container has no name', 'Add name'],
        'initContainers must all have container name',
      ),
    );
  const passes = inputs?.artifacts?.length || outputs?.parameters?.length || outputs?.artifacts?.length;
  return containerSet
    ? [...findings, ...lintContainerSet(containerSet, { path, place, passes: Boolean(passes) })]
    : findings;
}

function lintContainerSet(
  { containers = [] }: NonNullable<Template['containerSet']>,
  { path, place, passes }: { path: Path; place: string; passes: boolean },
): LintFinding[] {
  const at = [...path, 'containerSet', 'containers'];
  const told = `${place}.containerSet.containers`;
  if (containers.length === 0)
    return [rule(at, ['the set has no containers', 'Add one'], `${told} must have at least one container`)];
  const names = containers.map(({ name }) => name);
  const findings: LintFinding[] = [];
  for (const [index, { name, dependencies = [] }] of containers.entries()) {
    const where = [...at, index];
    if (!name)
      findings.push(rule(where, ['a container has no name', 'Add name'], `${told}[${index}].name is required`));
    else if (names.indexOf(name) < index)
      findings.push(
        rule(
          where,
          [`two containers are called ${name}`, 'Rename one'],
          `${told}[${index}].name '${name}' is not unique`,
        ),
      );
    else if (isReserved(name))
      findings.push(
        rule(
          where,
          [`the name ${name} is used by workflows themselves`, 'Rename it'],
          `${told}: "${name}" is a reserved Argo container name`,
        ),
      );
    for (const needed of dependencies)
      if (!names.includes(needed))
        findings.push(
          rule(
            where,
            [`there is no container ${needed}`, 'Add it, or correct the name'],
            `${told}.${name} dependency '${needed}' not defined`,
          ),
        );
  }
  if (passes && !names.includes('main'))
    findings.push(
      rule(
        at,
        ['no container of the set is called main, which takes inputs and gives outputs', 'Rename one to main'],
        `${told} must have a container named "main" for input or output`,
      ),
    );
  return findings;
}

function lintResource({ resource, inputs }: Template, path: Path, place: string): LintFinding[] {
  if (!resource) return [];
  const at = [...path, 'resource'];
  const { action, manifest, manifestFrom } = resource;
  if (hasVariable(action)) return [];
  if (!actions.includes(action))
    return [
      rule(
        [...at, 'action'],
        [`the action ${action ?? ''} is not known`, `Write one of ${actions.join(', ')}`],
        `${place}.resource.action must be one of: ${actions.join(', ')}`,
      ),
    ];
  if (action === 'get' || action === 'delete') return [];
  if (!manifest && !manifestFrom)
    return [
      rule(
        at,
        [`${action} has no manifest`, 'Add manifest or manifestFrom'],
        `either ${place}.resource.manifest or ${place}.resource.manifestFrom must be specified`,
      ),
    ];
  if (manifest && manifestFrom)
    return [
      rule(
        at,
        ['manifest and manifestFrom cannot both be used', 'Keep one of them'],
        "shouldn't have both `manifest` and `manifestFrom` specified in `Manifest` for resource template",
      ),
    ];
  const name = manifestFrom?.artifact?.name;
  if (!name || inputs?.artifacts?.some((artifact) => artifact.name === name)) return [];
  return [
    rule(
      [...at, 'manifestFrom'],
      [`the template has no input artifact ${name}`, 'Add it to inputs.artifacts, or correct the name'],
      `artifact ${name} in \`manifestFrom\` refer to a non-exist artifact`,
    ),
  ];
}

function lintMetrics({ metrics, name: template }: Template, path: Path, place: string): LintFinding[] {
  return (metrics?.prometheus ?? []).flatMap(({ name, help }, index) => {
    const at = [...path, 'metrics', 'prometheus', index];
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name ?? '') && !hasVariable(name))
      return [
        rule(
          at,
          [`the metric name ${name ?? ''} cannot be used`, "Write letters, digits and '_'"],
          `${place} metric name '${name ?? ''}' is invalid. Metric names must contain alphanumeric characters or '_'`,
        ),
      ];
    if (help) return [];
    return [
      rule(
        at,
        [`metric ${name} of ${template} has no help`, 'Add help'],
        `${place} metric '${name}' must contain a help string under 'help: ' field`,
      ),
    ];
  });
}

/** Whether an argument says where its artifact is. */
export function isGiven(artifact: Artifact): boolean {
  return Boolean(artifact.from || artifact.fromExpression) || hasLocationOrKey(artifact);
}
