import { type AppProject, names } from '@tiphys/api';
import { type Client, type Clock, Informer, type KubeObject } from '@tiphys/kubernetes';
import { clusterSecretSelector } from './clusters/cluster-registry.ts';
import { generatedValuesLabel } from './sources/generated-values.ts';

/** The objects of the control plane's namespace that applications are delivered by, but for the Applications themselves. */
export class ControlPlaneInformers {
  readonly projects: Informer<AppProject>;
  readonly configMaps: Informer<KubeObject>;
  readonly clusterSecrets: Informer<KubeObject>;
  readonly repositorySecrets: Informer<KubeObject>;
  readonly templateSecrets: Informer<KubeObject>;
  readonly writeSecrets: Informer<KubeObject>;
  readonly writeTemplates: Informer<KubeObject>;
  readonly generatedSecrets: Informer<KubeObject>;

  constructor({ client, namespace, clock }: { client: Client; namespace: string; clock: Clock }) {
    const inform = <T extends KubeObject>(apiVersion: string, kind: string, labelSelector?: string) =>
      new Informer<T>(client, {
        ref: { apiVersion, kind, namespace },
        clock,
        ...(labelSelector ? { labelSelector } : {}),
      });
    const secretsOf = (type: string) => inform<KubeObject>('v1', 'Secret', `${names.labels.secretType}=${type}`);
    this.projects = inform<AppProject>(names.apiVersion, 'AppProject');
    this.configMaps = inform<KubeObject>('v1', 'ConfigMap', `${names.labels.partOf}=argocd`);
    this.clusterSecrets = inform<KubeObject>('v1', 'Secret', clusterSecretSelector);
    this.repositorySecrets = secretsOf(names.secretTypes.repository);
    this.templateSecrets = secretsOf(names.secretTypes.repositoryCredentials);
    this.writeSecrets = secretsOf(names.secretTypes.repositoryWrite);
    this.writeTemplates = secretsOf(names.secretTypes.repositoryCredentialsWrite);
    this.generatedSecrets = inform<KubeObject>('v1', 'Secret', `${generatedValuesLabel}=true`);
  }

  /** The Secrets that say how clusters and repositories are reached. */
  get credentials(): readonly Informer<KubeObject>[] {
    const { clusterSecrets, repositorySecrets, templateSecrets, writeSecrets, writeTemplates } = this;
    return [clusterSecrets, repositorySecrets, templateSecrets, writeSecrets, writeTemplates];
  }

  /** Resolves when all of them are filled. */
  async start(signal: AbortSignal): Promise<void> {
    const all = [this.projects, this.configMaps, ...this.credentials, this.generatedSecrets];
    for (const informer of all) informer.start(signal);
    await Promise.all(all.map((informer) => informer.synced));
  }
}
