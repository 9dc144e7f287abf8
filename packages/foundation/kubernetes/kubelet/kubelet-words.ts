/** What a text of a kubelet, a container runtime, a network or a storage driver means, and what can be done about it. */
export interface Meaning {
  readonly text: string;
  readonly remedies: readonly string[];
}

/** Of several that fit the first holds: what is specific stands before what many messages end with, such as `not found`. */
type Meanings = readonly (readonly [pattern: RegExp, meaning: Meaning | ((match: RegExpExecArray) => Meaning)])[];

function meaningOf(table: Meanings, message: string): Meaning | undefined {
  for (const [pattern, meaning] of table) {
    const match = pattern.exec(message);
    if (match) return typeof meaning === 'function' ? meaning(match) : meaning;
  }
  return undefined;
}

const freeDisk =
  'Free the disk of the node (kubectl describe node shows its conditions), or let another node take the pod';

const pulls: Meanings = [
  [/no space left on device/i, { text: 'the disk of the node is full', remedies: [freeDisk] }],
  [
    /no match for platform|no matching manifest|exec format/i,
    {
      text: "the image is not built for the node's architecture",
      remedies: ['Build the image for that architecture, or select other nodes'],
    },
  ],
  [
    /toomanyrequests|too many requests|rate limit|\b429\b/i,
    {
      text: 'the registry limits the rate of pulls',
      remedies: ['Wait for the limit to reset, pull with a credential, or use a mirror'],
    },
  ],
  [
    /proxyconnect|proxy authentication required/i,
    {
      text: 'the proxy of the node cannot be reached or lets nothing through',
      remedies: ['Check the proxy settings of the container runtime on the node, and the proxy'],
    },
  ],
  [
    /lookup (\S{1,253}?)(?: on \S+)?: .*|no such host/i,
    ([, host]) => ({
      text: `the node does not find the registry${host ? ` ${host}` : ''} by DNS`,
      remedies: ['Correct the host in the image name, or the DNS of the nodes'],
    }),
  ],
  [
    /x509|certificate|tls: /i,
    {
      text: 'the node does not trust the certificate of the registry',
      remedies: ["Give the nodes' container runtime the authority of the registry, or renew its certificate"],
    },
  ],
  [
    /server gave HTTP response to HTTPS client/i,
    {
      text: 'the registry speaks no TLS, and the container runtime asks for it',
      remedies: [
        'Serve the registry with TLS, or list it as an insecure registry in the container runtime of the nodes',
      ],
    },
  ],
  [
    /connection refused|i\/o timeout|timed? ?out|deadline exceeded|no route to host|network is unreachable|connection reset|unexpected EOF|RegistryUnavailable/i,
    {
      text: 'the registry cannot be reached from the node',
      remedies: ["Check the registry's address and the network of the nodes"],
    },
  ],
  [
    /\b5\d\d (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway)|unexpected status.{0,40}: 5\d\d/i,
    {
      text: 'the registry answers with an error of its own',
      remedies: ['See the log of the registry; the kubelet tries again'],
    },
  ],
  [
    /unauthorized|authentication required|denied|forbidden|no basic auth|insufficient_scope|authorization failed/i,
    {
      text: 'the registry refuses the credential, or the image does not exist for it',
      remedies: ['Add or correct imagePullSecrets of the pod or its service account'],
    },
  ],
  [
    /not found|manifest unknown|no such (?:image|manifest)|name unknown/i,
    {
      text: 'the registry has no such image or tag',
      remedies: ['Correct the image name or tag in Git, or push that tag'],
    },
  ],
];

/** Why an image cannot be pulled, by what the kubelet says of it. */
export function pullMeaning(message: string, reason: string, image: string): Meaning {
  if (reason === 'ErrImageNeverPull')
    return {
      text: 'imagePullPolicy is Never, and the node does not have the image',
      remedies: ['Set imagePullPolicy to IfNotPresent, or load the image onto each node'],
    };
  if (reason === 'InvalidImageName')
    return { text: 'the image name is not valid', remedies: ['Correct the image name in Git'] };
  // names of images and addresses hold any word
  const words = (image ? message.replaceAll(image, '') : message).replaceAll(/"[^"]*"/g, '');
  return (
    meaningOf(pulls, `${words} ${reason}`) ?? {
      text: 'the kubelet backs off between attempts',
      remedies: ['Check the image name, tag and pull secret'],
    }
  );
}

const starts: Meanings = [
  [
    /runAsNonRoot/,
    {
      text: '',
      remedies: ['Set runAsUser to a number other than 0, build the image with such a USER, or take runAsNonRoot out'],
    },
  ],
  [
    /executable file not found|exec: "([^"]*)".*(?:no such file|not found)|stat \S+: no such file/i,
    { text: '', remedies: ['Correct the command in the manifest, or add the program to the image'] },
  ],
  [
    /exec format error/i,
    { text: '', remedies: ['Build the image for the architecture of the node, or select other nodes'] },
  ],
  [
    /permission denied/i,
    { text: '', remedies: ['Make the program executable in the image, or correct the command and runAsUser'] },
  ],
  [/no command specified/i, { text: '', remedies: ['Give the container a command, or the image an ENTRYPOINT'] }],
  [
    /not a directory|are you trying to mount a directory onto a file|subPath|failed to prepare subPath/i,
    { text: '', remedies: ['Correct volumeMounts: mountPath and subPath must both name a file, or both a folder'] },
  ],
  [
    /failed to sync (?:configmap|secret) cache/i,
    { text: '', remedies: ['The kubelet cannot read from the API server: check the node, its rights and its network'] },
  ],
  [
    /deadline exceeded|timed out|is already in use|failed to reserve/i,
    {
      text: '',
      remedies: [
        'See the log of the container runtime on the node: it is overloaded or holds a container of that name',
      ],
    },
  ],
  [/no space left on device/i, { text: '', remedies: [freeDisk] }],
  [
    /not found|couldn't find key|references non-existent/i,
    { text: '', remedies: ['Create what is missing (ConfigMap, Secret or key), or correct the reference in Git'] },
  ],
];

/** What to do about a container that the kubelet cannot create or start. */
export const startRemedies = (message: string): readonly string[] =>
  meaningOf(starts, message)?.remedies ?? ['Correct what the message names in the pod template, or what it refers to'];

const volumes: Meanings = [
  [
    /\b(configmap|secret) "([^"]{1,253})" not found/,
    ([, kind, name]) => {
      const object = `${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${name}`;
      return {
        text: `${object} does not exist`,
        remedies: [`Add ${object} to the source, correct its name in spec.volumes, or make it optional`],
      };
    },
  ],
  [
    /references non-existent (?:secret|config) key: ([^\s,]{1,253})/,
    ([, key]) => ({
      text: `what it is made of has no key ${key}`,
      remedies: ['Add the key, or correct spec.volumes'],
    }),
  ],
  [
    /Multi-Attach error.{0,300}?(?:already (?:exclusively attached to one node|used by pod\(s\) ([^\n]{1,300})))/s,
    ([, pods]) => ({
      text: `another node holds it${pods ? `: it is used by ${pods}` : ''}, and it can be attached to one node alone`,
      remedies: [
        'End the pod that holds it, or delete it if its node is gone; a Deployment with such a volume needs strategy Recreate',
        'See which node holds the volume: kubectl get volumeattachments',
      ],
    }),
  ],
  [
    /driver name (\S{1,253}) not found in the list of registered CSI drivers/,
    ([, driver]) => ({
      text: `the storage driver ${driver} does not run on the node`,
      remedies: [
        `Install or start the node plugin of ${driver} (its DaemonSet may not tolerate the taints of the node)`,
      ],
    }),
  ],
  [
    /wrong fs type|bad option|bad superblock/i,
    {
      text: 'the file system is not the wanted one, or the node lacks the program that mounts it',
      remedies: [
        'Correct fsType and mount options of the volume, or install the mount helper (nfs-common, for example) on the nodes',
      ],
    },
  ],
  [
    /access denied by server|permission denied/i,
    {
      text: 'the storage server refuses the node',
      remedies: ['Let the storage server export the volume to the addresses of the nodes'],
    },
  ],
  [
    /connection refused|connection timed out|no route to host|no such host|failed to resolve/i,
    {
      text: 'the storage server cannot be reached from the node',
      remedies: ['Check the address in the volume, and the network from the nodes to the storage server'],
    },
  ],
];

/** Why a volume cannot be mounted or attached; undefined for a text that nothing is known of. */
export const volumeMeaning = (message: string): Meaning | undefined => meaningOf(volumes, message);

const sandboxes: Meanings = [
  [
    /no IP addresses available|failed to (?:allocate|assign|request).{0,60}(?:IP|address)|InsufficientFreeAddresses|IPAM.{0,80}exhaust/i,
    {
      text: 'the node has no free address for pods',
      remedies: [
        'Give the node or the cluster more addresses for pods (the subnet, or the range of the network plugin), or remove pods',
      ],
    },
  ],
  [
    /cni plugin not initialized|network plugin is not ready|no networks found in|failed to find plugin/i,
    {
      text: 'the network plugin (CNI) of the node is not set up',
      remedies: ['Start the pods of the network plugin on the node, and see their log'],
    },
  ],
  [
    /no runtime for "([^"]{1,253})" is configured/,
    ([, handler]) => ({
      text: `the node has no runtime ${handler}, which the RuntimeClass of the pod names`,
      remedies: [
        `Configure ${handler} in the container runtime of the node, or let the RuntimeClass select nodes that have it`,
      ],
    }),
  ],
  [/no space left on device/i, { text: 'the disk of the node is full', remedies: [freeDisk] }],
  [
    /too many open files|cannot allocate memory|resource temporarily unavailable|pids?.{0,20}limit/i,
    {
      text: 'the node has no processes, memory or files left',
      remedies: ['Let other nodes take pods, or raise the limits of the node'],
    },
  ],
];

/** Why the sandbox of a pod cannot be made; undefined for a text that nothing is known of. */
export const sandboxMeaning = (message: string): Meaning | undefined => meaningOf(sandboxes, message);
