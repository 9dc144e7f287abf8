/** Keys of Argo CD that change nothing here, by ConfigMap, with what holds instead. */
const unread: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'argocd-cm': {
    'timeout.hard.reconciliation': 'what a render has read is known, so that none is stale',
  },
  'argocd-cmd-params-cm': {
    'controller.operation.processors': 'one queue for all work, 25 at once',
    'controller.status.processors': 'one queue for all work, 25 at once',
    'controller.ignore.normalizer.jq.timeout': 'jq is bounded by its steps, 500,000 of them',
    'controller.kubectl.parallelism.limit': 'there is no kubectl',
    'controller.metrics.cache.expiration': 'metrics are of the moment in which they are asked for',
    'controller.repo.error.grace.period.seconds': 'the last good state stays until the repository can be read again',
    'controller.resource.health.persist': 'health of objects is in status.resources',
    'otlp.address': 'no traces are sent yet',
    'redis.compression': 'caches need no Redis',
    'redis.db': 'caches need no Redis',
    'reposerver.allow.oob.symlinks': 'links never leave the repository',
    'reposerver.enable.builtin.git.config': 'the configuration of git is built in',
    'reposerver.grpc.max.size': 'nothing is sent between processes',
    'reposerver.helm.manifest.max.extracted.size': 'charts may have 100 MiB and 20,000 files',
    'reposerver.oci.manifest.max.extracted.size': 'the built-in limit',
    'reposerver.parallelism.limit': 'a few threads render',
    'reposerver.git.lsremote.parallelism.limit': 'one look at a remote serves all applications',
    'reposerver.helm.user.agent': 'requests say that they are from Tiphys',
    'server.enable.gzip': 'answers are compressed',
    'server.listen.address': 'the flag --host',
    'server.webhook.parallelism.limit': 'a webhook costs one look at its remote',
  },
};

/** Keys that somebody has set and that change nothing here, as sentences. Empty values are none. */
export function unreadSettings(configMap: (name: string) => Readonly<Record<string, string>>): string[] {
  return Object.entries(unread).flatMap(([name, keys]) => {
    const data = configMap(name);
    return Object.entries(keys).flatMap(([key, instead]) =>
      data[key] ? [`${key} of ${name} changes nothing: ${instead}`] : [],
    );
  });
}
