/** Fields that more than one kind has. `Key` names a key of a Secret or a ConfigMap. */
export const commonFields = `
  Key: name key optional:bool
  PodTemplate: metadata:Metadata serviceAccountName container:any volumes:any[] securityContext:any
    nodeSelector:text{} tolerations:any[] imagePullSecrets:any[] priorityClassName priority:number affinity:any
  Metadata: annotations:text{} labels:text{}
  S3Object: endpoint bucket:S3Bucket region insecure:bool accessKey:Key secretKey:Key events:text[] filter:S3Filter
    metadata:text{} caCertificate:Key
  S3: endpoint bucket:S3Bucket region insecure:bool accessKey:Key secretKey:Key events:text[] filter:S3Filter
    metadata:text{} caCertificate:Key
  S3Bucket: key name
  S3Filter: prefix suffix
  Backoff: duration:amount factor:amount jitter:amount steps:number
  Tls: caCertSecret:Key clientCertSecret:Key clientKeySecret:Key insecureSkipVerify:bool enabled:bool
  BasicAuth: username:Key password:Key
  KafkaConsumerGroup: groupName oldest:bool rebalanceStrategy
  Sasl: mechanism userSecret:Key passwordSecret:Key
  SchemaRegistry: url schemaId:number auth:BasicAuth
  NatsAuth: basic:BasicAuth token:Key nkey:Key credential:Key
  GithubApp: privateKey:Key appID:number installationID:number
`;
