import { type CommandCase, quiet } from './command-cases.ts';

const running = `apiVersion: v1
kind: Pod
metadata: {name: full, labels: {app: full}, annotations: {note: 'a long one'}}
spec:
  terminationGracePeriodSeconds: 0
  nodeSelector: {kubernetes.io/os: linux}
  tolerations: [{key: own, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
  volumes:
  - {name: data, emptyDir: {medium: Memory, sizeLimit: 1Mi}}
  - {name: config, configMap: {name: settings, optional: true}}
  - {name: secret, secret: {secretName: none, optional: true}}
  - {name: down, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
  - {name: host, hostPath: {path: /tmp, type: Directory}}
  initContainers:
  - {name: before, image: busybox, command: [sh, -c, 'true']}
  - {name: beside, image: busybox, restartPolicy: Always}
  containers:
  - name: main
    image: nginx
    imagePullPolicy: IfNotPresent
    command: [serve, --fast]
    args: [-v]
    ports: [{containerPort: 80, name: http}, {containerPort: 53, protocol: UDP}]
    env:
    - {name: A, value: b}
    - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: KEY, valueFrom: {configMapKeyRef: {name: settings, key: color, optional: true}}}
    envFrom: [{configMapRef: {name: settings, optional: true}, prefix: P_}]
    resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 200m, memory: 128Mi}}
    livenessProbe: {httpGet: {path: /live, port: http}, periodSeconds: 30}
    readinessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 0}
    startupProbe: {exec: {command: ['true']}, failureThreshold: 5}
    volumeMounts: [{name: data, mountPath: /data}, {name: config, mountPath: /etc/app, readOnly: true, subPath: x}]
---
apiVersion: v1
kind: Pod
metadata: {name: crashing, labels: {app: crashing}}
spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: [sh, -c, 'exit 3']}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pulling}
spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: 'example.invalid/x:1', imagePullPolicy: Never}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waiting}
spec: {terminationGracePeriodSeconds: 0, nodeSelector: {nowhere: at-all}, containers: [{name: main, image: nginx}]}
`;

const jobs = `apiVersion: batch/v1
kind: Job
metadata: {name: done}
spec:
  completions: 2
  completionMode: Indexed
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: ['true']}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: failed}
spec:
  backoffLimit: 0
  activeDeadlineSeconds: 600
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: [sh, -c, 'exit 1']}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: held}
spec:
  suspend: true
  parallelism: 3
  ttlSecondsAfterFinished: 100
  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: ['true']}]}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: '0 3 * * *'
  timeZone: Europe/Rome
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 200
  jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: main, image: busybox, command: ['true']}]}}}}
`;

const workload = (kind: string, name: string, more = '') => `apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  ${more}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: 'nginx:1', ports: [{containerPort: 80, name: http}]}]}
`;

const network = `apiVersion: v1
kind: Service
metadata: {name: web, annotations: {a: b}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}, {name: udp, port: 53, protocol: UDP}]}
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: Service
metadata: {name: outside}
spec: {type: ExternalName, externalName: example.com}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: front, annotations: {x: y}}
spec:
  ingressClassName: none
  defaultBackend: {service: {name: db, port: {number: 5432}}}
  tls: [{hosts: [example.com], secretName: cert}]
  rules:
  - host: example.com
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}, {path: /x, pathType: Exact, backend: {service: {name: none, port: {number: 80}}}}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  minReplicas: 1
  maxReplicas: 2
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
  - {type: Pods, pods: {metric: {name: hits}, target: {type: AverageValue, averageValue: 10}}}
  - {type: External, external: {metric: {name: queue, selector: {matchLabels: {a: b}}}, target: {type: Value, value: 5}}}
  - {type: ContainerResource, containerResource: {name: memory, container: main, target: {type: AverageValue, averageValue: 1Gi}}}
  behavior: {scaleDown: {stabilizationWindowSeconds: 60, policies: [{type: Pods, value: 1, periodSeconds: 30}]}, scaleUp: {selectPolicy: Disabled}}
`;

const storage = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: NAMESPACE}
provisioner: kubernetes.io/no-provisioner
parameters: {a: b}
volumeBindingMode: WaitForFirstConsumer
mountOptions: [ro]
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAMESPACE}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: NAMESPACE
  hostPath: {path: /tmp/none}
  persistentVolumeReclaimPolicy: Retain
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: NAMESPACE}
`;

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.NAMESPACE.example.com}
spec:
  group: NAMESPACE.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, shortNames: [gd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}, {name: Wide, type: string, jsonPath: .spec.color, priority: 1}]
    schema:
      openAPIV3Schema:
        type: object
        description: A gadget.
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1, description: How large.}
              color: {type: string, enum: [red, blue], default: red}
              tags: {type: array, items: {type: string}}
              more: {type: object, additionalProperties: {type: string}}
          status: {type: object, properties: {size: {type: integer}}}
`;
const gadget = (size: string) => `apiVersion: NAMESPACE.example.com/v1
kind: Gadget
metadata: {name: one, labels: {a: b}}
spec: {size: ${size}, tags: [x, z], more: {k: v}}
`;

export const descriptionCases: readonly CommandCase[] = [
  {
    name: 'describe-pods',
    steps: [
      { run: 'apply -f -', input: running },
      quiet('wait pod/full --for=condition=Ready --timeout=180s'),
      quiet("wait pod/crashing --for=jsonpath='{.status.phase}'=Failed --timeout=180s"),
      quiet(
        "wait pod/pulling --for=jsonpath='{.status.containerStatuses[0].state.waiting.reason}'=ImagePullBackOff --timeout=180s",
      ),
      quiet("wait pod/waiting --for=jsonpath='{.status.conditions[0].reason}'=Unschedulable --timeout=180s"),
      'describe pod full --show-events=false',
      'describe pods -l app=crashing --show-events=false',
      'describe pod/waiting --show-events=false',
      'describe pods/none',
      'get pods --sort-by=.metadata.name',
      'get pods -o wide --sort-by=.metadata.name',
      'get pod full crashing',
      'get pods --field-selector=status.phase=Failed -o name',
      'get pods --field-selector=spec.restartPolicy=Never,metadata.name!=x -o name',
      'get pods --field-selector=status.nonsense=x',
      'logs crashing',
      'logs full',
      'logs full -c before --tail=1',
      'logs full -c none',
      'logs -l app=full -c main',
      'logs crashing --previous',
      'logs full --since=1h --since-time=2020-01-01T00:00:00Z',
      'logs waiting',
      'logs deployment/none',
      'delete pods --all --now',
    ],
  },
  {
    name: 'describe-jobs',
    steps: [
      { run: 'apply -f -', input: jobs },
      quiet('wait job/done --for=condition=Complete --timeout=180s'),
      quiet('wait job/failed --for=condition=Failed --timeout=180s'),
      'describe job done --show-events=false',
      'describe job failed --show-events=false',
      'describe job held --show-events=false',
      'describe cronjob nightly',
      'get jobs,cronjobs',
      'get jobs -o wide',
      'get cronjobs -o wide',
      'get events --field-selector=involvedObject.name=failed,reason=BackoffLimitExceeded -o custom-columns=T:.type,M:.message',
      'events --for=job/failed --types=Warning --no-headers -o name',
      'create job manual --from=cronjob/nightly --dry-run=server -o yaml',
      'create job manual --from=cronjob/none',
      'create job manual --from=job/done',
      'wait job --all --for=condition=Complete --timeout=1s',
      'wait job/done job/failed --for=condition=Complete=True --timeout=1s',
      "wait job/held --for=jsonpath='{.spec.suspend}'=true",
      "wait job/held --for=jsonpath='{.spec.none}' --timeout=1s",
      "wait job/held --for=jsonpath='{.spec'",
      'wait job/held --for=nonsense',
      'delete jobs,cronjobs --all',
    ],
  },
  {
    name: 'describe-workloads',
    steps: [
      {
        run: 'apply -f -',
        input: [
          workload('Deployment', 'web', 'replicas: 1'),
          workload('StatefulSet', 'db', 'serviceName: db\n  replicas: 1'),
          workload('DaemonSet', 'agent'),
          network,
        ].join('---\n'),
      },
      quiet('rollout status deployment/web --timeout=180s'),
      quiet('rollout status statefulset/db --timeout=180s'),
      quiet('rollout status daemonset/agent --timeout=180s'),
      quiet("wait hpa/web --for=jsonpath='{.status.conditions[0].status}'=False --timeout=180s"),
      'describe deployment web --show-events=false',
      'describe statefulset db --show-events=false',
      'describe replicaset -l app=web --show-events=false',
      'get events --field-selector=involvedObject.kind=StatefulSet -o custom-columns=T:.type,R:.reason,M:.message',
      'get events --field-selector=involvedObject.kind=Deployment -o custom-columns=T:.type,R:.reason,M:.message,S:.reportingComponent',
      'describe service db outside --show-events=false',
      'describe ingress front --show-events=false',
      'describe hpa web --show-events=false',
      'get deployments,statefulsets,services,ingresses,hpa -o wide',
      'get daemonset agent -o custom-columns=N:.metadata.name,M:.status.numberMisscheduled',
      'get endpointslices -l kubernetes.io/service-name=web -o custom-columns=P:.ports[*].name,T:.addressType',
      'logs deployment/web --tail=1',
      'wait deployment/web --for=condition=available --timeout=30s',
      'wait deployment/web --for=condition=Available=false --timeout=1s',
      'wait --for=delete deployment/none',
      'delete deployment,statefulset,daemonset --all --wait=false',
    ],
  },
  {
    name: 'describe-cluster',
    steps: [
      { run: 'apply -f -', input: storage },
      'describe pv NAMESPACE --show-events=false',
      'describe storageclass NAMESPACE',
      'describe pvc data --show-events=false',
      'get pv NAMESPACE',
      'get pv NAMESPACE -o wide',
      'get storageclass NAMESPACE',
      'get pvc',
      'delete pvc data',
      'delete pv,storageclass NAMESPACE',
      { run: 'apply -f -', input: definition },
      quiet('wait crd/gadgets.NAMESPACE.example.com --for=condition=Established --timeout=180s'),
      'get crd gadgets.NAMESPACE.example.com',
      'describe crd gadgets.NAMESPACE.example.com',
      { run: 'apply -f -', input: gadget('1') },
      { run: 'apply -f -', input: gadget('2') },
      { run: 'apply -f -', input: gadget('0') },
      ...['many', '1.5', '-1', '5000000000', '{a: b, c: [1, x]}'].map((size) => ({
        run: 'apply -f -',
        input: gadget(size),
      })),
      'get gadgets',
      'get gd -o wide',
      'get all',
      'describe gadget one',
      'explain gadget',
      'explain gadget.spec --recursive',
      'explain gadget.spec.more',
      'explain gadget.spec.none',
      'explain gadget --output=plaintext-openapiv2',
      'api-resources --api-group=NAMESPACE.example.com -o wide',
      'api-resources --api-group=NAMESPACE.example.com --no-headers',
      'scale gadget one --replicas=3',
      'get gadget one -o jsonpath={.spec.size}',
      'patch gadget one --type=merge -p \'{"spec":{"color":"green"}}\'',
      'patch gadget one -p \'{"spec":{"color":"blue"}}\'',
      { run: 'edit gadget one', editor: 'sed -i s/red/blue/ $1' },
      'label gadget one a- b=c',
      'wait gadget/one --for=jsonpath={.spec.color}=blue',
      'patch gadget one --subresource=status --type=merge -p \'{"status":{"size":3}}\'',
      'patch gadget one --subresource=status --type=merge -p \'{"status":{"size":"many"}}\'',
      'get gadget one --subresource=scale -o yaml',
      'get gadget one --subresource=status -o jsonpath={.status}',
      'delete gadget one',
      'delete crd gadgets.NAMESPACE.example.com',
      'get gadgets',
    ],
  },
];
