import type { FlagSpec, FlagTable } from './flags.ts';

const ignoredText: FlagSpec = { type: 'ignored-text' };
const ignoredBool: FlagSpec = { type: 'ignored-bool' };
const server = 'It needs a cluster; templates are rendered without one';

const globalFlags: FlagTable = {
  namespace: { type: 'text', short: 'n' },
  debug: { type: 'bool' },
  help: { type: 'bool', short: 'h' },
  'kube-context': ignoredText,
  kubeconfig: ignoredText,
  'registry-config': { type: 'text' },
  'repository-cache': { type: 'text' },
  'repository-config': { type: 'text' },
  'content-cache': { type: 'text' },
  'burst-limit': ignoredText,
  qps: ignoredText,
  'kube-apiserver': ignoredText,
  'kube-as-group': ignoredText,
  'kube-as-user': ignoredText,
  'kube-ca-file': ignoredText,
  'kube-insecure-skip-tls-verify': ignoredBool,
  'kube-tls-server-name': ignoredText,
  'kube-token': ignoredText,
  color: ignoredText,
  colour: ignoredText,
};

/** How the host of a chart is reached. */
const accessFlags: FlagTable = {
  username: { type: 'text' },
  password: { type: 'text' },
  'ca-file': { type: 'text' },
  'cert-file': { type: 'text' },
  'key-file': { type: 'text' },
  'insecure-skip-tls-verify': { type: 'bool' },
  'plain-http': { type: 'bool' },
};

/** Where a chart is. */
const chartPathFlags: FlagTable = {
  ...accessFlags,
  version: { type: 'text' },
  repo: { type: 'text' },
  'pass-credentials': { type: 'bool' },
  verify: { type: 'bool' },
  keyring: { type: 'text' },
};

/** The flags of `helm template` and the global ones. */
export const templateFlags: FlagTable = {
  ...globalFlags,
  ...chartPathFlags,
  values: { type: 'csv', short: 'f' },
  set: { type: 'list' },
  'set-string': { type: 'list' },
  'set-file': { type: 'list' },
  'set-json': { type: 'list' },
  'set-literal': { type: 'list' },
  'show-only': { type: 'list', short: 's' },
  'output-dir': { type: 'text' },
  'include-crds': { type: 'bool' },
  'skip-crds': { type: 'bool' },
  'skip-tests': { type: 'bool' },
  'no-hooks': { type: 'bool' },
  'is-upgrade': { type: 'bool' },
  'kube-version': { type: 'text' },
  'api-versions': { type: 'csv', short: 'a' },
  'release-name': { type: 'bool' },
  'name-template': { type: 'text' },
  'generate-name': { type: 'bool', short: 'g' },
  'skip-schema-validation': { type: 'bool' },
  'dependency-update': { type: 'bool' },
  explain: { type: 'bool' },
  output: { type: 'text', short: 'o' },
  devel: { type: 'bool' },
  'dry-run': { type: 'text', alone: 'unset' },
  validate: { type: 'bool', refused: server, deprecated: "use '--dry-run=server' instead" },
  'post-renderer': { type: 'text', refused: 'Programs are not run on rendered output; use kustomize patches' },
  'post-renderer-args': { type: 'list', refused: 'Programs are not run on rendered output; use kustomize patches' },
  'enable-dns': { type: 'bool', refused: 'Templates can not reach the network' },
  'create-namespace': ignoredBool,
  'force-replace': ignoredBool,
  force: { type: 'ignored-bool', deprecated: 'use --force-replace instead' },
  'force-conflicts': ignoredBool,
  'server-side': ignoredBool,
  replace: ignoredBool,
  timeout: { type: 'duration' },
  'wait-for-jobs': ignoredBool,
  wait: { type: 'ignored-text', alone: 'watcher' },
  description: ignoredText,
  'disable-openapi-validation': ignoredBool,
  'rollback-on-failure': ignoredBool,
  atomic: { type: 'ignored-bool', deprecated: 'use --rollback-on-failure instead' },
  'render-subchart-notes': {
    type: 'ignored-bool',
    deprecated: "this flag has no effect for 'helm template' and will be removed in Helm 5",
  },
  labels: { type: 'ignored-text', short: 'l' },
  'hide-notes': {
    type: 'ignored-bool',
    deprecated: "this flag has no effect for 'helm template' and will be removed in Helm 5",
  },
  'take-ownership': ignoredBool,
};

/** Those of `helm dependency build` and `update`. */
export const dependencyFlags: FlagTable = {
  ...globalFlags,
  ...accessFlags,
  verify: { type: 'bool' },
  keyring: { type: 'text' },
  'skip-refresh': { type: 'bool' },
};

export const dependencyListFlags: FlagTable = { ...globalFlags, 'max-col-width': { type: 'text' } };

export const pullFlags: FlagTable = {
  ...globalFlags,
  ...chartPathFlags,
  devel: { type: 'bool' },
  untar: { type: 'bool' },
  prov: { type: 'bool' },
  untardir: { type: 'text' },
  destination: { type: 'text', short: 'd' },
};

export const repoAddFlags: FlagTable = {
  ...globalFlags,
  username: { type: 'text' },
  password: { type: 'text' },
  'password-stdin': { type: 'bool' },
  'force-update': { type: 'bool' },
  'cert-file': { type: 'text' },
  'key-file': { type: 'text' },
  'ca-file': { type: 'text' },
  'insecure-skip-tls-verify': { type: 'bool' },
  'allow-deprecated-repos': { type: 'bool' },
  'pass-credentials': { type: 'bool' },
  timeout: { type: 'duration' },
};

export const repoListFlags: FlagTable = {
  ...globalFlags,
  'no-headers': { type: 'bool' },
  output: { type: 'text', short: 'o' },
};

export const repoUpdateFlags: FlagTable = { ...globalFlags, timeout: { type: 'duration' } };

export const repoIndexFlags: FlagTable = {
  ...globalFlags,
  url: { type: 'text' },
  merge: { type: 'text' },
  json: { type: 'bool' },
};

export const registryLoginFlags: FlagTable = {
  ...globalFlags,
  username: { type: 'text', short: 'u' },
  password: { type: 'text', short: 'p' },
  'password-stdin': { type: 'bool' },
  insecure: { type: 'bool' },
  'cert-file': { type: 'text' },
  'key-file': { type: 'text' },
  'ca-file': { type: 'text' },
  'plain-http': { type: 'bool' },
};

export const plainFlags: FlagTable = globalFlags;
