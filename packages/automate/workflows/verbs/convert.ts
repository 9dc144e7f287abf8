type Json = Record<string, unknown>;

const kinds: readonly unknown[] = ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'];

/** An object with the fields that Argo Workflows 4 took away in the form that it has now: `schedule`, `semaphore`, `mutex`. */
export function converted(object: unknown): unknown {
  if (!isObject(object) || !kinds.includes(object.kind) || !isObject(object.spec)) return object;
  return { ...object, spec: object.kind === 'CronWorkflow' ? cronSpec(object.spec) : workflowSpec(object.spec) };
}

function cronSpec({ schedule, schedules, workflowSpec: inner, ...rest }: Json): Json {
  const all = [...(typeof schedule === 'string' && schedule ? [schedule] : []), ...((schedules as unknown[]) ?? [])];
  return {
    ...rest,
    ...(all.length > 0 ? { schedules: [...new Set(all)] } : {}),
    ...(isObject(inner) ? { workflowSpec: workflowSpec(inner) } : {}),
  };
}

function workflowSpec(spec: Json): Json {
  const { templates, templateDefaults } = spec;
  return {
    ...withLocks(spec),
    ...(Array.isArray(templates)
      ? { templates: templates.map((each) => (isObject(each) ? template(each) : each)) }
      : {}),
    ...(isObject(templateDefaults) ? { templateDefaults: template(templateDefaults) } : {}),
  };
}

function template(given: Json): Json {
  const { steps, dag } = given;
  const call = (each: unknown) =>
    isObject(each) && isObject(each.inline) ? { ...each, inline: template(each.inline) } : each;
  return {
    ...withLocks(given),
    ...(Array.isArray(steps) ? { steps: steps.map((group) => (Array.isArray(group) ? group.map(call) : group)) } : {}),
    ...(isObject(dag) && Array.isArray(dag.tasks) ? { dag: { ...dag, tasks: dag.tasks.map(call) } } : {}),
  };
}

function withLocks(holder: Json): Json {
  if (!isObject(holder.synchronization)) return holder;
  const { semaphore, mutex, semaphores, mutexes, ...rest } = holder.synchronization;
  const list = (one: unknown, several: unknown) => [...(one ? [one] : []), ...(Array.isArray(several) ? several : [])];
  const all = { semaphores: list(semaphore, semaphores), mutexes: list(mutex, mutexes) };
  return {
    ...holder,
    synchronization: {
      ...rest,
      ...Object.fromEntries(Object.entries(all).filter(([, values]) => values.length > 0)),
    },
  };
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
