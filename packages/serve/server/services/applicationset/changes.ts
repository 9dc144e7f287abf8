import { isDeepStrictEqual } from 'node:util';
import type { ApplicationSet, services } from '@tiphys/api';
import { isAlreadyExists, isConflict } from '@tiphys/kubernetes';
import { applicationSetKind, projectOf } from '../../applications/application-sets.ts';
import { accessApplicationSet } from '../../context/application-set-access.ts';
import { generateOrRefuse } from '../../context/generate-set.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { Call } from '../../rpc/call.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import { Code, invalidArgument, RpcError, wrapped } from '../../rpc/rpc-error.ts';

type Handlers = ServiceHandlers<typeof services.applicationset>;

const attempts = 10;

export function applicationSetChanges(context: ServerContext): Pick<Handlers, 'create' | 'generate' | 'delete'> {
  const { client, events } = context;
  return {
    async create({ applicationset, upsert = false, dryRun = false }, call) {
      if (!applicationset)
        throw new RpcError(Code.Unknown, 'error creating ApplicationSets: ApplicationSets is nil in request');
      const wanted = await checked(context, call, applicationset);
      if (dryRun) {
        const applications = await generateOrRefuse(context, wanted, call.signal);
        const resources = applications.map(({ application: { metadata } }) => ({
          group: 'argoproj.io',
          version: 'v1alpha1',
          kind: 'Application',
          name: metadata.name ?? '',
          namespace: metadata.namespace ?? '',
          health: {},
        }));
        return { ...wanted, status: { ...wanted.status, resources } } as ApplicationSet;
      }
      try {
        const created = await client.create<ApplicationSet>(wanted);
        await events.record(created, 'ResourceCreated', call.identity?.subject, 'created ApplicationSet');
        return { ...created, ...applicationSetKind };
      } catch (error) {
        if (!isAlreadyExists(error)) throw wrapped('error creating ApplicationSet', error);
      }
      const { namespace = '', name = '' } = wanted.metadata;
      const existing = await client.get<ApplicationSet>({ ...applicationSetKind, namespace, name });
      if (sameDeclaration(existing, wanted)) return { ...existing, ...applicationSetKind };
      if (!upsert) throw invalidArgument('existing ApplicationSet spec is different, use upsert flag to force update');
      const updated = await update(context, call, existing, wanted);
      await events.record(updated, 'ResourceUpdated', call.identity?.subject, 'updated ApplicationSets spec');
      return { ...updated, ...applicationSetKind };
    },

    async generate({ applicationSet }, call) {
      if (!applicationSet)
        throw new RpcError(Code.Unknown, 'error creating ApplicationSets: ApplicationSets is nil in request');
      const wanted = await checked(context, call, applicationSet);
      const generated = await generateOrRefuse(context, wanted, call.signal);
      return { applications: generated.map(({ application }) => application) };
    },

    async delete(request, call) {
      const found = await accessApplicationSet(context, call, 'delete', request);
      const { namespace = '', name = '' } = found.metadata;
      await client.delete({ ...applicationSetKind, namespace, name });
      await events.record(found, 'ResourceDeleted', call.identity?.subject, 'deleted ApplicationSets');
      return {};
    },
  };
}

/** A request's set as an object of the cluster, if it may be created. Upstream's rules and words. */
async function checked(context: ServerContext, call: Call, given: ApplicationSet): Promise<ApplicationSet> {
  const { applicationSets, namespace: own } = context;
  const set: ApplicationSet = {
    ...given,
    ...applicationSetKind,
    metadata: { ...given.metadata, namespace: given.metadata?.namespace || own },
  };
  const name = set.metadata.name ?? '';
  const project = set.spec?.template?.spec?.project ?? '';
  if (project.includes('{{'))
    throw new RpcError(
      Code.Unknown,
      'error validating ApplicationSets: the Argo CD API does not currently support creating ApplicationSets with templated `project` fields',
    );
  if ((set.spec?.generators ?? []).some((generator) => Object.values(generator).every((value) => value == null)))
    throw new RpcError(
      Code.Unknown,
      `error validating ApplicationSets: ApplicationSet ${name} contains unrecognized generators`,
    );
  applicationSets.assertNamespace(set.metadata.namespace ?? '');
  try {
    (await context.enforcer()).enforce(call.identity, 'applicationsets', 'create', applicationSets.rbacName(set));
    if (!(await context.projects.find(project)))
      throw invalidArgument(`ApplicationSet references project ${project} which does not exist`);
  } catch (error) {
    throw wrapped(`error checking create permissions for ApplicationSets ${name} `, error);
  }
  return set;
}

async function update(
  context: ServerContext,
  call: Call,
  existing: ApplicationSet,
  wanted: ApplicationSet,
): Promise<ApplicationSet> {
  const { client, applicationSets } = context;
  const enforcer = await context.enforcer();
  enforcer.enforce(call.identity, 'applicationsets', 'update', applicationSets.rbacName(wanted));
  // who moves a set between projects must be able to change it in both
  if (projectOf(existing) !== projectOf(wanted)) {
    enforcer.enforce(call.identity, 'applicationsets', 'create', applicationSets.rbacName(wanted));
    enforcer.enforce(call.identity, 'applicationsets', 'update', applicationSets.rbacName(existing));
  }
  const { namespace = '', name = '' } = wanted.metadata;
  let current = existing;
  for (let attempt = 1; ; attempt++) {
    const { finalizers: _, ...metadata } = current.metadata;
    const next = {
      ...current,
      ...applicationSetKind,
      metadata: {
        ...metadata,
        labels: { ...current.metadata.labels, ...wanted.metadata.labels },
        annotations: { ...current.metadata.annotations, ...wanted.metadata.annotations },
        ...(wanted.metadata.finalizers ? { finalizers: wanted.metadata.finalizers } : {}),
      },
      spec: wanted.spec,
    };
    try {
      return await client.update<ApplicationSet>(next);
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw wrapped('error updating ApplicationSets', error);
      current = await client.get<ApplicationSet>({ ...applicationSetKind, namespace, name });
    }
  }
}

function sameDeclaration(a: ApplicationSet, b: ApplicationSet): boolean {
  return (
    isDeepStrictEqual(a.spec, b.spec) &&
    isDeepStrictEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) &&
    isDeepStrictEqual(a.metadata.annotations ?? {}, b.metadata.annotations ?? {}) &&
    isDeepStrictEqual(a.metadata.finalizers ?? [], b.metadata.finalizers ?? [])
  );
}
