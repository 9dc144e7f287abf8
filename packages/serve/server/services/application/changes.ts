import { isDeepStrictEqual } from 'node:util';
import { type Application, names, type services } from '@tiphys/api';
import { isAlreadyExists } from '@tiphys/kubernetes';
import { applicationKind, rbacName, refOf } from '../../applications/applications.ts';
import { applyPatch } from '../../applications/patch.ts';
import { accessApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import { validateApplication } from '../../context/validate.ts';
import type { Call } from '../../rpc/call.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import { Code, invalidArgument, RpcError, wrapped } from '../../rpc/rpc-error.ts';

type Handlers = ServiceHandlers<typeof services.application>;

export function applicationChanges(
  context: ServerContext,
): Pick<Handlers, 'create' | 'update' | 'updateSpec' | 'patch' | 'delete'> {
  const { applications, namespace, events } = context;

  const store = async (
    call: Call,
    action: string,
    wanted: Application,
    options: Replacement & { validate: boolean; project?: string | undefined },
  ) => {
    const name = wanted.metadata.name ?? '';
    await accessApplication(context, call, action, {
      name,
      appNamespace: wanted.metadata.namespace,
      project: options.project,
    });
    const valid = await validateApplication(context, call, wanted, options.validate);
    const updated = await applications.change(refOf(wanted), (current) => replaced(current, valid, options));
    await events.record(updated, 'ResourceUpdated', call.identity?.subject, 'updated application spec');
    return updated;
  };

  return {
    async create({ application, upsert = false, validate = true }, call) {
      if (!application) throw new RpcError(Code.Unknown, 'error creating application: application is nil in request');
      const wanted = received(application, namespace);
      (await context.enforcer()).enforce(call.identity, 'applications', 'create', rbacName(wanted, namespace));
      const valid = await validateApplication(context, call, wanted, validate);
      applications.assertNamespace(refOf(wanted).namespace);
      // an operation may only come through Sync, which checks who may
      delete valid.operation;
      try {
        const created = await applications.create(valid);
        await events.record(created, 'ResourceCreated', call.identity?.subject, 'created application');
        return created;
      } catch (error) {
        if (!isAlreadyExists(error)) throw wrapped('error creating application', error);
      }
      const existing = await applications.get(refOf(valid));
      if (sameDeclaration(existing, valid)) return existing;
      if (!upsert) throw invalidArgument('existing application spec is different, use upsert flag to force update');
      (await context.enforcer()).enforce(call.identity, 'applications', 'update', rbacName(valid, namespace));
      const updated = await applications.change(refOf(valid), (current) => replaced(current, valid, { merge: true }));
      await events.record(updated, 'ResourceUpdated', call.identity?.subject, 'updated application spec');
      return updated;
    },

    async update({ application, validate = true, project }, call) {
      if (!application) throw new RpcError(Code.Unknown, 'error updating application: application is nil in request');
      const wanted = received(application, namespace);
      (await context.enforcer()).enforce(call.identity, 'applications', 'update', rbacName(wanted, namespace));
      return await store(call, 'update', wanted, { merge: false, validate, project });
    },

    async updateSpec(request, call) {
      if (!request.spec) throw new RpcError(Code.Unknown, 'error updating application spec: spec is nil in request');
      const { app } = await accessApplication(context, call, 'update', request);
      return (
        await store(
          call,
          'update',
          { ...app, spec: request.spec },
          { merge: false, validate: request.validate ?? true, project: request.project },
        )
      ).spec;
    },

    async patch(request, call) {
      const { app } = await accessApplication(context, call, 'get', request);
      (await context.enforcer()).enforce(call.identity, 'applications', 'update', rbacName(app, namespace));
      const patched = applyPatch(app, request.patchType || 'json', request.patch ?? '') as Application;
      return await store(call, 'update', received(patched, namespace), {
        merge: false,
        exact: true,
        validate: true,
        project: request.project,
      });
    },

    async delete(request, call) {
      const { app } = await accessApplication(context, call, 'get', request);
      (await context.enforcer()).enforce(call.identity, 'applications', 'delete', rbacName(app, namespace));
      const ref = refOf(app);
      const finalizers = deletionFinalizers(app, request.cascade ?? true, request.propagationPolicy ?? '');
      if (finalizers) await applications.mergePatch(ref, { metadata: { finalizers } });
      await applications.delete(ref);
      await events.record(app, 'ResourceDeleted', call.identity?.subject, 'deleted application');
      return {};
    },
  };
}

/** A request's application as an object of the cluster; the wire has no kind. */
function received(application: Application, namespace: string): Application {
  return {
    ...application,
    ...applicationKind,
    metadata: { ...application.metadata, namespace: application.metadata?.namespace || namespace },
    spec: application.spec ?? { destination: {}, project: '' },
  };
}

/** What controllers remember on an Application, and nobody declares. */
const stateAnnotations: readonly string[] = [
  'notified.notifications.argoproj.io',
  names.annotations.notificationOutbox,
  names.annotations.notificationProblems,
];

/**
 * The annotations that are wanted, with the state as it is stored: the Application may have been read before something was told, and
 * what would be forgotten would be told again.
 */
function withState(
  wanted: Record<string, string> | undefined,
  stored: Record<string, string> | undefined,
): Record<string, string> | undefined {
  const isState = ([key]: [string, string]) => stateAnnotations.includes(key);
  const state = Object.entries(stored ?? {}).filter(isState);
  if (!wanted && state.length === 0) return undefined;
  return Object.fromEntries([...Object.entries(wanted ?? {}).filter((entry) => !isState(entry)), ...state]);
}

interface Replacement {
  /** Labels and annotations that are stored stay where nothing else is wanted. */
  readonly merge: boolean;
  /** What is wanted was made of what is stored, so that what it lacks is to go. */
  readonly exact?: boolean;
}

function replaced(current: Application, wanted: Application, { merge, exact = false }: Replacement): Application {
  const { labels, annotations, finalizers, ...rest } = current.metadata;
  const metadata: Application['metadata'] = { ...rest };
  const newLabels = merge ? { ...labels, ...wanted.metadata.labels } : wanted.metadata.labels;
  const newAnnotations = merge ? { ...annotations, ...wanted.metadata.annotations } : wanted.metadata.annotations;
  if (newLabels) metadata.labels = newLabels;
  const kept = exact ? newAnnotations : withState(newAnnotations, annotations);
  if (kept) metadata.annotations = kept;
  if (wanted.metadata.finalizers) metadata.finalizers = wanted.metadata.finalizers;
  else if (finalizers && current.metadata.deletionTimestamp) metadata.finalizers = finalizers;
  return { ...current, metadata, spec: wanted.spec };
}

function sameDeclaration(a: Application, b: Application): boolean {
  return (
    isDeepStrictEqual(a.spec, b.spec) &&
    isDeepStrictEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) &&
    isDeepStrictEqual(a.metadata.annotations ?? {}, b.metadata.annotations ?? {}) &&
    isDeepStrictEqual(a.metadata.finalizers ?? [], b.metadata.finalizers ?? [])
  );
}

/** The finalizers to store before a deletion, or undefined if they are right already. */
function deletionFinalizers(app: Application, cascade: boolean, policy: string): string[] | undefined {
  const present = app.metadata.finalizers ?? [];
  const { resources, resourcesBackground, resourcesForeground } = names.finalizers;
  const cascading = [resources, resourcesBackground, resourcesForeground] as readonly string[];
  if (!cascade) {
    if (policy) throw invalidArgument('cannot set propagation policy when cascading is disabled');
    return present.some((item) => cascading.includes(item))
      ? present.filter((item) => !cascading.includes(item))
      : undefined;
  }
  const finalizer = { '': resources, background: resourcesBackground, foreground: resourcesForeground }[
    policy.toLowerCase()
  ];
  if (!finalizer) throw invalidArgument(`invalid propagation policy: ${policy}`);
  // an object that is being deleted takes no new finalizers
  if (present.includes(finalizer) || app.metadata.deletionTimestamp) return undefined;
  return [...present.filter((item) => !cascading.includes(item)), finalizer];
}
